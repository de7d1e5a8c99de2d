//! No page is wider than its window, be it a telephone's or a desk's.

use crate::barriers::UNFOLD;
use crate::page::Page;
use crate::site::reader;
use crate::themes::LIGHT_AND_DARK;
use crate::visits::visits;

/// A telephone's window, in CSS pixels.
pub const NARROW: u32 = 380;
/// A desk's.
pub const WIDE: u32 = 1280;

/// Opens a page in a window of that width, with all that is folded or asleep.
pub fn open_at(page: &mut Page, width: u32, address: &str) {
    // before the page: mdBook looks for room for its sidebar once
    page.resize(width, 800);
    page.open(address);
    page.wake();
    page.run(UNFOLD);
}

/// What is too wide on the page that is open, in its theme.
pub fn too_wide(page: &mut Page) -> Vec<String> {
    page.evaluate("checks.tooWide()")
}

#[test]
fn no_page_is_wider_than_its_window() {
    let Some(visits) = visits() else { return };
    assert_eq!(visits.flat_map(|visit| &visit.too_wide).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_page_that_is_too_wide_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let wide = "<p style='width: 500px'>wide</p>";
    for (html, widths) in [
        (wide.to_owned(), &[NARROW][..]),
        (format!("<div style='overflow-x: hidden'>{wide}</div>"), &[NARROW]),
        ("<p style='position: relative; left: 1200px'>far</p>".to_owned(), &[NARROW, WIDE]),
        (format!("<div style='overflow-x: auto'>{wide}</div>"), &[]),
    ] {
        let change = format!("document.querySelector('main').insertAdjacentHTML('beforeend', {html:?})");
        for width in [NARROW, WIDE] {
            open_at(&mut page, width, &site.on_disk("glossary.html"));
            page.run(&change);
            for theme in LIGHT_AND_DARK {
                page.choose_theme(theme);
                let found = too_wide(&mut page);
                assert_eq!(!found.is_empty(), widths.contains(&width), "{width} px, {theme}, {html}: {found:?}");
            }
        }
    }
}
