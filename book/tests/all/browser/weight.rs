//! The size of pages, and the time of their first paint.

use super::page::Page;
use super::site::reader;
use super::visits::visits;

/// The greatest size of a page except the one for print, with all that it loads before a reader scrolls, uncompressed.
const MAX_BYTES: u64 = 600_000;

/// Returns the bytes for a page with an empty cache, and the problems.
pub fn weigh(page: &mut Page, address: &str) -> (u64, Vec<String>) {
    page.forget_files();
    page.received();
    page.open(address);
    page.received()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn no_page_is_heavier_than_600_kb() {
    let Some(visits) = visits() else { return };
    let chapters = visits.pages.iter().filter(|visit| visit.is_chapter);
    let weights: Vec<(u64, &str)> = chapters.map(|visit| (visit.bytes, visit.name)).collect();
    assert!(weights.iter().all(|(bytes, _)| *bytes > 100_000), "style sheets and fonts are not counted: {weights:?}");
    let heavy: Vec<_> = weights.iter().filter(|(bytes, _)| *bytes > MAX_BYTES).collect();
    assert!(heavy.is_empty(), "{heavy:?}");
    let (bytes, name) = weights.iter().max().unwrap();
    println!("the heaviest page is {name}, {bytes} bytes");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_page_with_its_data_inside_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    // The largest file of data, as a browser receives it.
    let name = "stage06-limit.html";
    page.before_every_page(
        "addEventListener('DOMContentLoaded', () => document.querySelectorAll('[data-file]').forEach(element =>
            document.head.append(Object.assign(document.createElement('script'), { src: element.dataset.file }))))",
    );
    assert!(weigh(&mut page, &site.served(name)).0 > MAX_BYTES);
}

/// Prints the time and sets no bound, since machines differ:
/// `cargo test -p book --test all first_paint -- --ignored --nocapture` shows it.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_first_paint_from_disk_is_measured() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for name in ["index.html", "stage03-unroll.html", "stage06-limit.html"] {
        page.open(&site.on_disk(name));
        let paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
        page.wait_for(&format!("{paint} > 0"));
        println!("{name}: first paint after {:.0} ms", page.evaluate::<f64>(paint));
    }
}
