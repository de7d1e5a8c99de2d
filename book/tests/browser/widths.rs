//! No page is wider than its window, be it a telephone's or a desk's.

use crate::page::Page;
use crate::site::reader;

const WIDTHS: [u32; 2] = [380, 1280];
const THEMES: [&str; 2] = ["light", "navy"];

/// What is too wide on a page, in windows of all widths and themes; `change` is a script that runs on it first.
fn too_wide(page: &mut Page, address: &str, change: &str) -> Vec<String> {
    let mut found = Vec::new();
    for width in WIDTHS {
        // before the page: mdBook looks for room for its sidebar once
        page.resize(width, 800);
        page.open(address);
        page.wake();
        page.run(change);
        for theme in THEMES {
            page.choose_theme(theme);
            let wide: Vec<String> = page.evaluate("checks.tooWide()");
            found.extend(wide.iter().map(|what| format!("{width} px, {theme}: {what}")));
        }
    }
    found
}

#[test]
fn no_page_is_wider_than_its_window() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let mut found = Vec::new();
    for name in site.chapters() {
        let wide = too_wide(&mut page, &site.on_disk(name), "");
        found.extend(wide.iter().map(|what| format!("{name}, {what}")));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_page_that_is_too_wide_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let wide = "<p style='width: 500px'>wide</p>";
    for (html, widths) in [
        (wide.to_owned(), &["380 px"][..]),
        (format!("<div style='overflow-x: hidden'>{wide}</div>"), &["380 px"]),
        ("<p style='position: relative; left: 1200px'>far</p>".to_owned(), &["380 px", "1280 px"]),
        (format!("<div style='overflow-x: auto'>{wide}</div>"), &[]),
    ] {
        let change = format!("document.querySelector('main').insertAdjacentHTML('beforeend', {html:?})");
        let found = too_wide(&mut page, &site.on_disk("glossary.html"), &change);
        for width in ["380 px", "1280 px"] {
            let is_found = found.iter().any(|what| what.starts_with(width));
            assert_eq!(is_found, widths.contains(&width), "{width}, {html}: {found:?}");
        }
    }
}
