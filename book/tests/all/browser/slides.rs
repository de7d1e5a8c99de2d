//! The slides of each session: every slide fits its window, keys and links work, and print has a page for each slide.

use super::axe::{axe, broken_rules};
use super::chromium::Browser;
use super::page::Page;
use super::site::{Site, reader, site};
use super::visits::for_each_page;
use std::fs;

const SESSIONS: [&str; 5] = [
    "slides/session-1.html",
    "slides/session-2.html",
    "slides/session-3.html",
    "slides/session-4.html",
    "slides/session-5.html",
];

/// The windows of common projectors.
const WINDOWS: [[u32; 2]; 2] = [[1280, 720], [1024, 768]];

/// A script that returns the parts of the present slide that are cut off or outside of their place.
const CUT_OFF: &str = "(() => {
    const slide = document.querySelector('.slide.current'), sheet = slide.querySelector('.sheet');
    const shown = sheet.querySelector('.shown').getBoundingClientRect();
    const bottom = sheet.querySelector('.place').getBoundingClientRect().top;
    const parts = [...sheet.querySelectorAll('.shown > *, .shown pre, .shown td, .shown svg, .shown .explorer-live > *')];
    const isOutside = ({ left, right, top, bottom: end, width }) => width > 0
        && (left < shown.left - 1 || right > shown.right + 1 || top < -1 || end > bottom + 1);
    const found = parts.filter(checks.isVisible).filter((part) => isOutside(part.getBoundingClientRect())).map(checks.describe);
    const scrolls = [sheet, ...sheet.querySelectorAll('pre')].filter((box) =>
        box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1);
    return [...found, ...scrolls.map((box) => `${checks.describe(box)} scrolls`)].map((what) => `slide ${slide.id}: ${what}`);
})()";

/// The size of the smallest text on the present slide, in CSS pixels, apart from the names of files.
const SMALLEST: &str =
    "Math.min(...[...document.querySelectorAll('.slide.current .shown :is(p:not(.file), li, td, th, pre)')]
    .filter((part) => checks.isVisible(part) && !part.closest('.explorer, .book-footer'))
    .map((part) => parseFloat(getComputedStyle(part).fontSize)), 100)";

fn go(page: &mut Page, number: usize) {
    page.run(&format!("location.hash = '{number}'"));
    page.wait_for(&format!("document.querySelector('.slide.current').id === '{number}'"));
    page.evaluate::<()>("checks.wake()");
}

fn count(page: &mut Page) -> usize {
    page.evaluate("document.querySelectorAll('.slide').length")
}

fn now(page: &mut Page) -> usize {
    page.evaluate("Number(document.querySelector('.slide.current').id)")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_slide_fits_and_can_be_read_from_the_last_row() {
    let Some(browser) = Browser::shared() else { return };
    let site = site();
    let found = for_each_page(&browser, SESSIONS.to_vec(), |page, name| {
        let mut found = Vec::new();
        for [width, height] in WINDOWS {
            page.resize(width, height);
            page.open(&site.on_disk(name));
            for number in 1..=count(page) {
                go(page, number);
                let mut here: Vec<String> = page.evaluate(CUT_OFF);
                let smallest: f64 = page.evaluate(SMALLEST);
                // A fortieth of the height is 4.5 cm on a screen that is 1.8 m high.
                if smallest * 40.0 < f64::from(height) {
                    here.push(format!("slide {number}: letters of {smallest} px"));
                }
                found.extend(here.into_iter().map(|what| format!("{name}, {width} x {height}, {what}")));
            }
        }
        found.extend(page.problems());
        found
    });
    assert_eq!(found.concat(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_slide_that_does_not_fit_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.resize(1280, 720);
    for html in ["<p style='height: 900px'>long</p>", "<table><tr><td style='min-width: 1300px'>wide</td></tr></table>"]
    {
        page.open(&site.on_disk(SESSIONS[0]));
        go(&mut page, 3);
        assert_eq!(page.evaluate::<Vec<String>>(CUT_OFF), [""; 0]);
        page.run(&format!("document.querySelector('.current .shown').insertAdjacentHTML('beforeend', {html:?})"));
        assert!(!page.evaluate::<Vec<String>>(CUT_OFF).is_empty(), "{html}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn keys_lead_through_the_slides() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk(SESSIONS[4]));
    let last = count(&mut page);
    for (key, number) in [
        ("ArrowRight", 2),
        ("PageDown", 3),
        ("ArrowDown", 4),
        ("ArrowLeft", 3),
        ("PageUp", 2),
        ("ArrowUp", 1),
        ("ArrowLeft", 1),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 1),
    ] {
        page.press(key);
        page.wait_for(&format!("document.querySelector('.current').id === '{number}'"));
        assert!(number == 1 || page.evaluate::<String>("location.hash") == format!("#{number}"), "{key}");
    }
    page.type_text(" ");
    page.wait_for("document.querySelector('.current').id === '2'");
    page.run("history.back()");
    page.wait_for("document.querySelector('.current').id === '1'");
    page.type_text("?");
    page.wait_for("document.querySelector('dialog').open");
    page.type_text("?");
    page.wait_for("!document.querySelector('dialog').open");
    let notes = "checks.isVisible(document.querySelector('.current .notes'))";
    assert!(!page.evaluate::<bool>(notes));
    page.type_text("s");
    assert!(page.evaluate::<bool>(notes));
    page.type_text("t");
    assert!(page.evaluate::<bool>("document.documentElement.matches('.navy')"));
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn keys_of_an_explorer_stay_in_it() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk(SESSIONS[0]));
    let explorer: usize = page.evaluate("Number(document.querySelector('.slide:has(.explorer)').id)");
    go(&mut page, explorer);
    let stride = ".explorer input[name=stride]";
    page.run(&format!("document.querySelector('{stride}').focus()"));
    page.press("ArrowUp");
    assert_eq!(now(&mut page), explorer);
    assert_eq!(page.evaluate::<String>(&format!("document.querySelector('{stride}').value")), "2");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn two_windows_show_the_same_slide() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.served(SESSIONS[4]));
    page.run("document.body.append(Object.assign(document.createElement('iframe'), { src: location.pathname }))");
    let other = "document.querySelector('iframe').contentDocument?.querySelector('.current')?.id";
    page.wait_for(&format!("{other} === '1'"));
    page.press("End");
    page.wait_for(&format!("Number({other}) === document.querySelectorAll('.slide').length"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn print_has_a_page_for_each_slide_with_notes_or_without() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for name in SESSIONS {
        page.open(&site.on_disk(name));
        let slides = count(&mut page);
        let wide = page.print();
        assert_eq!(wide.len(), slides, "{name}");
        assert!(wide.iter().all(|size| size == &wide[0] && size.starts_with("906.9")), "{name}: {wide:?}");
        page.type_text("s");
        let tall = page.print();
        assert_eq!(tall.len(), slides, "{name} with notes");
        assert!(tall.iter().all(|size| size.starts_with("59")), "{name}: {tall:?}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn links_of_slides_lead_somewhere_and_pages_name_their_license() {
    let site = site();
    let read = |name: &str| fs::read_to_string(site.folder().join(name)).unwrap_or_default();
    for name in SESSIONS {
        let page = read(name);
        let mut followed = 0;
        for link in page.split("<a href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { read(&format!("slides/{file}")) };
            assert!(target.contains("</html>"), "{name}: {link}");
            assert!(anchor.is_empty() || target.contains(&format!("id=\"{anchor}\"")), "{name}: {link}");
            followed += usize::from(!file.is_empty());
        }
        assert!(followed > 0, "{name}: no link to the book");
        for words in ["the Coalesced authors", env!("CARGO_PKG_VERSION"), "MIT or Apache-2.0"] {
            assert!(page.contains(words), "{name}: no {words}");
        }
    }
}

/// Returns the address of a copy of a page without its scripts.
fn without_scripts(site: &Site, name: &str) -> String {
    let page = fs::read_to_string(site.folder().join(name)).unwrap();
    let copy = site.folder().join(name.replace(".html", "-bare.html"));
    let parts = page.split("<script").map(|part| part.split_once("</script>").map_or(part, |(_, rest)| rest));
    fs::write(&copy, parts.collect::<String>()).unwrap();
    format!("file://{}", copy.display())
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn without_scripts_slides_and_notes_lie_below_one_another() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&without_scripts(site, SESSIONS[0]));
    let slides = count(&mut page);
    let shown = "[...document.querySelectorAll('.sheet')].filter(checks.isVisible).length";
    assert_eq!(page.evaluate::<usize>(shown), slides);
    assert!(page.evaluate::<bool>("checks.isVisible(document.querySelector('.notes'))"));
    assert!(page.evaluate::<bool>("document.documentElement.scrollWidth <= innerWidth"));
    assert_eq!(page.print().len(), slides);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn axe_finds_nothing_serious_on_any_slide() {
    let Some(axe) = axe() else { return };
    let Some(browser) = Browser::shared() else { return };
    let site = site();
    let found = for_each_page(&browser, SESSIONS.to_vec(), |page, name| {
        let mut found = Vec::new();
        for is_dark in [false, true] {
            page.prefer_dark(is_dark);
            page.open(&site.on_disk(name));
            for number in 1..=count(page) {
                go(page, number);
            }
            // All slides at once, with their notes.
            page.run("document.documentElement.classList.remove('js')");
            page.evaluate::<()>(&format!("{{ {axe} }} null"));
            let here: Vec<String> = page.evaluate(&broken_rules(&[]));
            found.extend(here.into_iter().map(|what| format!("{name}, dark {is_dark}: {what}")));
        }
        found
    });
    assert_eq!(found.concat(), [""; 0]);
}
