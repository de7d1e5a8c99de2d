//! What there is to see on every page, seen once for all tests: to open a page is most of the work.

use crate::barriers::{THEMES, barriers};
use crate::browser::Browser;
use crate::page::Page;
use crate::site::{Site, site};
use crate::themes::{Figures, LIGHT_AND_DARK, unchanged};
use crate::weight::weigh;
use crate::widths::{NARROW, WIDE, open_at, too_wide};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// What was found on a page, each with the page's name.
#[derive(Default)]
pub struct Visit {
    /// Its file.
    pub name: &'static str,
    /// Whether it is a chapter, and not the page for print or that of a page that is not there.
    pub is_chapter: bool,
    /// Bytes over the network, for somebody who has nothing of the book.
    pub bytes: u64,
    /// Of the page and all that it names, from the book's server.
    pub problems_served: Vec<String>,
    /// Likewise, of a file on disk.
    pub problems_on_disk: Vec<String>,
    /// What keeps a reader out, in every theme.
    pub barriers: Vec<String>,
    /// Figures that are hard to see, or that do not change with the theme.
    pub figures_at_fault: Vec<String>,
    /// How many there are.
    pub figures: usize,
    /// What is too wide for its window.
    pub too_wide: Vec<String>,
}

/// All pages.
pub struct Visits {
    /// In the order of their names.
    pub pages: Vec<Visit>,
}

impl Visits {
    /// What was found on any page, each with its page.
    pub fn flat_map<'a>(&'a self, of: impl Fn(&'a Visit) -> &'a Vec<String>) -> impl Iterator<Item = String> {
        self.pages.iter().flat_map(move |visit| of(visit).iter().map(|what| format!("{}, {what}", visit.name)))
    }
}

/// The pages as one test has seen them for all, or nothing where there is no browser.
pub fn visits() -> Option<&'static Visits> {
    static VISITS: OnceLock<Visits> = OnceLock::new();
    let browser = Browser::shared()?;
    Some(VISITS.get_or_init(|| {
        let site = site();
        let names = site.pages.iter().map(String::as_str).collect();
        Visits { pages: for_each_page(&browser, names, |page, name| Visit::to(site, page, name)) }
    }))
}

/// Does the same with pages in several windows at once, one a core.
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

    /// Looks at the page that is open, in every theme.
    fn look(&mut self, page: &mut Page) {
        let mut figures = Vec::new();
        for theme in THEMES {
            page.choose_theme(theme);
            self.barriers.extend(barriers(page).iter().map(|what| format!("{theme}: {what}")));
            if LIGHT_AND_DARK.contains(&theme) {
                let here = Figures::of(page);
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
    }
}
