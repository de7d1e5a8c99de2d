//! A page is light: what comes over the network when it is opened, and how soon it is seen.

use crate::page::Page;
use crate::site::reader;
use crate::visits::visits;

/// Of every page but the one for print, text packed by the server, with style sheets, scripts and fonts.
const MOST_BYTES: u64 = 600_000;

/// What comes when a page is opened by somebody who has nothing of the book, and the problems with it.
pub fn weigh(page: &mut Page, address: &str) -> (u64, Vec<String>) {
    page.forget_files();
    page.received();
    page.open(address);
    page.received()
}

#[test]
fn no_page_is_heavier_than_600_kb() {
    let Some(visits) = visits() else { return };
    let chapters = visits.pages.iter().filter(|visit| visit.is_chapter);
    let weights: Vec<(u64, &str)> = chapters.map(|visit| (visit.bytes, visit.name)).collect();
    assert!(weights.iter().all(|(bytes, _)| *bytes > 100_000), "style sheets and fonts are not counted: {weights:?}");
    let heavy: Vec<_> = weights.iter().filter(|(bytes, _)| *bytes > MOST_BYTES).collect();
    assert!(heavy.is_empty(), "{heavy:?}");
    let (bytes, name) = weights.iter().max().unwrap();
    println!("the heaviest page is {name}, {bytes} bytes");
}

#[test]
fn a_page_with_its_data_inside_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    // as a browser gets it: the largest file of data, beside the page
    let name = "stage06-limit.html";
    page.before_every_page(
        "addEventListener('DOMContentLoaded', () => document.querySelectorAll('[data-file]').forEach(element =>
            document.head.append(Object.assign(document.createElement('script'), { src: element.dataset.file }))))",
    );
    assert!(weigh(&mut page, &site.served(name)).0 > MOST_BYTES);
}

/// A figure, not a bound: machines differ. `cargo test --test browser first_paint -- --nocapture` shows it.
#[test]
fn the_first_paint_from_disk_is_measured() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for name in ["index.html", "stage03-unroll.html", "stage06-limit.html"] {
        page.open(&site.on_disk(name));
        let paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
        page.wait_for(&format!("{paint} > 0"));
        println!("{name}: first paint after {:.0} ms", page.evaluate::<f64>(paint));
    }
}
