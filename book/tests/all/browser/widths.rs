//! The width of pages, which must fit the windows of phones and of desktops.

use super::barriers::UNFOLD;
use super::page::Page;
use super::site::reader;
use super::themes::LIGHT_AND_DARK;
use super::visits::visits;

/// The width of a phone's window in CSS pixels.
pub const NARROW: u32 = 380;
/// The width of a desktop window in CSS pixels.
pub const WIDE: u32 = 1280;

/// Opens a page in a window of a width, with all folded parts open and all explorers active.
pub fn open_at(page: &mut Page, width: u32, address: &str) {
    // mdBook decides about its sidebar once, when the page opens.
    page.resize(width, 800);
    page.open(address);
    page.wake();
    page.run(UNFOLD);
}

/// Returns the elements of the open page that are too wide.
pub fn too_wide(page: &mut Page) -> Vec<String> {
    page.evaluate("checks.tooWide()")
}

/// Returns the texts of the open page's figures that are outside of their pictures.
pub fn outside(page: &mut Page) -> Vec<String> {
    page.evaluate("checks.outside()")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn no_text_of_a_figure_leaves_its_picture() {
    let Some(visits) = visits() else { return };
    assert_eq!(visits.flat_map(|visit| &visit.outside).collect::<Vec<_>>(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_text_that_leaves_its_picture_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open_at(&mut page, WIDE, &site.on_disk("sources.html"));
    assert_eq!(outside(&mut page), [""; 0]);
    for (x, anchor, is_noticed) in [(10, "start", false), (90, "start", true), (10, "end", true)] {
        let svg = format!(
            "<figure class='probe'><svg width='100' viewBox='0 0 100 40'><title>a picture</title>\
             <text x='{x}' y='30' text-anchor='{anchor}'>words</text></svg></figure>"
        );
        page.run(&format!("document.querySelector('main').insertAdjacentHTML('beforeend', {svg:?})"));
        let found = outside(&mut page);
        assert_eq!(found.iter().any(|what| what.contains("\"words\" leaves \"a picture\"")), is_noticed, "{found:?}");
        page.run("document.querySelector('.probe').remove()");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn no_page_is_wider_than_its_window() {
    let Some(visits) = visits() else { return };
    assert_eq!(visits.flat_map(|visit| &visit.too_wide).collect::<Vec<_>>(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
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
