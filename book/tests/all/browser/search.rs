//! The search, from the server and from disk.

use super::page::Page;
use super::site::reader;

/// Returns the results of a search, best first, as page and heading: `Glossary » Bank conflict`.
fn search(page: &mut Page, words: &str) -> Vec<String> {
    page.click("#mdbook-search-toggle");
    page.wait_for("document.activeElement?.id === 'mdbook-searchbar'");
    page.type_text(words);
    // mdBook writes the number of results above them when they are complete.
    page.wait_for("/\\d|No/.test(document.querySelector('#mdbook-searchresults-header')?.textContent)");
    page.evaluate("[...document.querySelectorAll('#mdbook-searchresults li a')].map(link => link.textContent.trim())")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn search_finds_bank_conflict_from_disk_and_from_the_server() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for address in [site.on_disk("index.html"), site.served("index.html")] {
        page.open(&address);
        let found = search(&mut page, "bank conflict");
        assert!(found.iter().take(3).any(|title| title.contains("Bank conflict")), "{address}: {found:?}");
        page.follow("#mdbook-searchresults li a");
        page.wait_for("document.querySelector('main mark')");
        let text: String = page.evaluate("document.querySelector('main').textContent.toLowerCase()");
        assert!(text.contains("bank conflict"), "the first result leads elsewhere");
        assert_eq!(page.problems(), [""; 0]);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn search_finds_nothing_of_a_word_that_is_nowhere() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk("index.html"));
    assert_eq!(search(&mut page, "zyzzyva"), [""; 0]);
}
