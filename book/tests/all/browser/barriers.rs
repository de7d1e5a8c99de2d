//! Accessibility in every theme: contrast, keyboard access to scrolling elements, and names of controls.

use super::page::Page;
use super::site::reader;
use super::visits::visits;

/// mdBook's themes.
pub const THEMES: [&str; 5] = ["light", "rust", "coal", "navy", "ayu"];

/// A script that opens all folded parts of a page.
pub const UNFOLD: &str = "document.querySelectorAll('details').forEach(part => { part.open = true })";

/// Returns the findings on the open page in its theme.
pub fn barriers(page: &mut Page) -> Vec<String> {
    // The page's observers hear of a change of sizes in the next frame.
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(checks.barriers()))))")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn no_page_keeps_a_reader_out_in_any_theme() {
    let Some(visits) = visits() else { return };
    assert_eq!(visits.flat_map(|visit| &visit.barriers).collect::<Vec<_>>(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn what_keeps_readers_out_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let wrong = [
        ("<p style='color: #777; background: #888'>pale</p>", "has a contrast of"),
        ("<div style='width: 50px; overflow: auto'><div style='width: 90px'>wide</div></div>", "keys do not reach"),
        ("<button></button>", "has no name"),
        ("<svg role='img' width='9' height='9'></svg>", "has no name"),
        ("<p aria-expanded='true'>a</p>", "has a state"),
        ("<ul><p>a</p></ul>", "is no item"),
        (
            "<p style='color: #444; background: #fff'>see <a href='x' style='color: #445; text-decoration: none'>it</a></p>",
            "by color alone",
        ),
    ];
    for (html, fault) in wrong {
        page.open(&site.on_disk("sources.html"));
        page.run(&format!("document.querySelector('main').insertAdjacentHTML('beforeend', {html:?})"));
        let found = barriers(&mut page);
        assert!(found.iter().any(|found| found.contains(fault)), "{html}: {found:?}");
    }
}
