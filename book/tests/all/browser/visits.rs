//! One visit of every page for all tests, since opening pages takes most of the time.

use super::barriers::{THEMES, barriers};
use super::chromium::Browser;
use super::page::Page;
use super::site::{Site, site};
use super::themes::{Figures, LIGHT_AND_DARK, unchanged};
use super::weight::weigh;
use super::widths::{NARROW, WIDE, open_at, outside, too_wide};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// The findings on a page.
#[derive(Default)]
pub struct Visit {
    /// The file name of the page.
    pub name: &'static str,
    /// Whether it is a chapter, and not the page for print or the server's page for missing pages.
    pub is_chapter: bool,
    /// The bytes that it loads with an empty cache, uncompressed.
    pub bytes: u64,
    /// The problems of the page and its resources, from the book's server.
    pub problems_served: Vec<String>,
    /// The problems of the page and its resources, from disk.
    pub problems_on_disk: Vec<String>,
    /// The accessibility problems, in every theme.
    pub barriers: Vec<String>,
    /// The figures with too little contrast, or that do not change with the theme.
    pub figures_at_fault: Vec<String>,
    /// The number of figures.
    pub figures: usize,
    /// The elements that are too wide for the window.
    pub too_wide: Vec<String>,
    /// The texts of figures outside of their pictures, in windows of both widths.
    pub outside: Vec<String>,
}

/// All pages.
pub struct Visits {
    /// The visits, sorted by name.
    pub pages: Vec<Visit>,
}

impl Visits {
    /// Returns the findings on all pages, each with the name of its page.
    pub fn flat_map<'a>(&'a self, of: impl Fn(&'a Visit) -> &'a Vec<String>) -> impl Iterator<Item = String> {
        self.pages.iter().flat_map(move |visit| of(visit).iter().map(|what| format!("{}, {what}", visit.name)))
    }
}

/// Returns the visits of all pages, which the first caller makes; none without a browser.
pub fn visits() -> Option<&'static Visits> {
    static VISITS: OnceLock<Visits> = OnceLock::new();
    let browser = Browser::shared()?;
    Some(VISITS.get_or_init(|| {
        let site = site();
        let names = site.pages.iter().map(String::as_str).collect();
        Visits { pages: for_each_page(&browser, names, |page, name| Visit::to(site, page, name)) }
    }))
}

/// Calls a function for each page, in several windows at once, one per core.
pub fn for_each_page<'a, T: Send>(
    browser: &Browser,
    names: Vec<&'a str>,
    act: impl Fn(&mut Page, &'a str) -> T + Sync,
) -> Vec<T> {
    let to_do = Mutex::new(names.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    let work = || {
        let mut page = Page::new(browser);
        loop {
            let next = to_do.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, name)) = next else { break };
            let result = act(&mut page, name);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        (0..thread::available_parallelism().map_or(1, usize::from)).for_each(|_| _ = scope.spawn(work));
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

impl Visit {
    fn to(site: &Site, page: &mut Page, name: &'static str) -> Self {
        let is_chapter = site.chapters().any(|chapter| chapter == name);
        let mut visit = Self { name, is_chapter, ..Self::default() };
        page.resize(WIDE, 800);
        (visit.bytes, visit.problems_served) = weigh(page, &site.served(name));
        if is_chapter {
            open_at(page, WIDE, &site.on_disk(name));
            visit.look(page);
            visit.problems_on_disk = page.problems();
            open_at(page, NARROW, &site.on_disk(name));
            for theme in LIGHT_AND_DARK {
                page.choose_theme(theme);
                visit.look_for_width(page, NARROW, theme);
            }
        } else if site.pages_on_disk().any(|page| page == name) {
            page.open(&site.on_disk(name));
            visit.problems_on_disk = page.problems();
        }
        visit
    }

    /// Checks the open page in every theme.
    fn look(&mut self, page: &mut Page) {
        let mut figures = Vec::new();
        for theme in THEMES {
            page.choose_theme(theme);
            self.barriers.extend(barriers(page).iter().map(|what| format!("{theme}: {what}")));
            if LIGHT_AND_DARK.contains(&theme) {
                let here = Figures::new(page);
                self.figures_at_fault.extend(here.faint.iter().map(|what| format!("{theme}: {what}")));
                figures.push(here);
                self.look_for_width(page, WIDE, theme);
            }
        }
        if let [light, dark] = &figures[..] {
            self.figures = light.colors.len();
            self.figures_at_fault.extend(unchanged(light, dark));
        }
    }

    fn look_for_width(&mut self, page: &mut Page, width: u32, theme: &str) {
        self.too_wide.extend(too_wide(page).iter().map(|what| format!("{width} px, {theme}: {what}")));
        self.outside.extend(outside(page).iter().map(|what| format!("{width} px, {theme}: {what}")));
    }
}
