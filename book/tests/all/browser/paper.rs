//! Pages on paper: answers open or closed, one language, nothing cut; and the footer of every page.

use super::site::reader;
use std::fs;

/// A script that returns the number of answers that are shown.
const SHOWN: &str = "[...document.querySelectorAll('main details > p')].filter(checks.isVisible).length";

#[test]
#[ignore = "slow: run by cargo x ci"]
fn answers_are_open_on_paper_unless_a_reader_wants_them_closed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let address = site.on_disk("exercises-2.html");
    page.open(&address);
    assert_eq!(page.evaluate::<usize>(SHOWN), 0);
    page.show_on("print");
    let open: usize = page.evaluate(SHOWN);
    assert!(open >= 5, "{open} answers");
    page.open(&format!("{address}?answers=closed"));
    assert_eq!(page.evaluate::<usize>(SHOWN), 0);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn buttons_print_with_and_without_answers() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk("exercises-2.html"));
    // A player that comes later would move the buttons.
    page.wake();
    for (number, answers) in [(2, false), (1, true), (2, false)] {
        page.run("window.print = () => { window.printed = document.documentElement.matches('.answers-closed') }");
        page.click(&format!(".book-print button:nth-of-type({number})"));
        page.wait_for("'printed' in window");
        assert_eq!(page.evaluate::<bool>("window.printed"), !answers);
        page.run("delete window.printed");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn nothing_on_paper_is_wider_than_a_sheet() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.resize(680, 1000);
    for name in ["stage02-shared.html", "stage06-limit.html", "waiting.html"] {
        page.open(&site.on_disk(name));
        page.show_on("print");
        let wide: Vec<String> = page.evaluate(
            "[...document.querySelectorAll('main :is(table, pre, code, svg, .equation)')].filter(checks.isVisible)
                .filter(part => part.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right + 1)
                .map(checks.describe)",
        );
        assert_eq!(wide, [""; 0], "{name}");
        page.show_on("screen");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_page_ends_with_authors_version_and_license() {
    let Some((_browser, _page, site)) = reader() else { return };
    for name in &site.pages {
        let page = fs::read_to_string(site.on_disk(name).trim_start_matches("file://")).unwrap();
        let footer = page.split_once("<footer").map_or("", |(_, rest)| rest);
        for words in ["the Coalesced authors", env!("CARGO_PKG_VERSION"), "MIT or Apache-2.0", "CITATION.cff"] {
            assert!(footer.contains(words), "{name}: no {words}");
        }
    }
}
