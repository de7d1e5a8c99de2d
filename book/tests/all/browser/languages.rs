//! The tabs for two languages, their keyboard control, the remembered choice, and the player that follows it.

use super::page::Page;
use super::site::{Site, reader};
use std::fs;

/// A script that returns the visible parts of each group of tabs.
const SHOWN: &str = "[...document.querySelectorAll('.languages')].filter(checks.isVisible).map(group =>
    [...group.querySelectorAll('.language')].filter(checks.isVisible).map(part => part.dataset.language).join())";

/// Returns the faults of the page's tabs: a group that shows another language, or tabs and parts that do not refer to each
/// other.
fn faults(page: &mut Page, language: &str) -> Vec<String> {
    let shown: Vec<String> = page.evaluate(SHOWN);
    assert!(!shown.is_empty(), "no code in two languages");
    let mut found: Vec<String> = shown.into_iter().filter(|shown| shown != language).collect();
    let broken: Vec<String> = page.evaluate(&format!(
        "[...document.querySelectorAll('.languages [role=tab]')].filter(tab => {{
            const part = document.getElementById(tab.getAttribute('aria-controls'));
            const isChosen = tab.dataset.language === {language:?};
            return part?.getAttribute('role') !== 'tabpanel' || part.getAttribute('aria-labelledby') !== tab.id
                || part.hidden === isChosen || tab.tabIndex !== (isChosen ? 0 : -1)
                || tab.getAttribute('aria-selected') !== String(isChosen)
                || tab.parentElement.getAttribute('role') !== 'tablist';
        }}).map(tab => tab.id)"
    ));
    found.extend(broken);
    found
}

/// Returns the place of the first Rust tab in the window.
fn place(page: &mut Page) -> f64 {
    page.evaluate(
        "document.querySelectorAll('.languages [data-language=rust][role=tab]')[1].getBoundingClientRect().top",
    )
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_choice_is_for_all_code_and_is_remembered_on_other_pages() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let addresses: [fn(&Site, &str) -> String; 2] = [Site::on_disk, Site::served];
    for address in addresses {
        page.open(&address(site, "stage01-naive.html"));
        page.click(".languages [data-language=cuda][role=tab]");
        assert_eq!(faults(&mut page, "cuda"), [""; 0]);
        page.run("document.querySelectorAll('.languages')[1].scrollIntoView({ block: 'center', behavior: 'instant' })");
        let before = place(&mut page);
        page.run("document.querySelectorAll('.languages [data-language=rust][role=tab]')[1].click()");
        assert_eq!(faults(&mut page, "rust"), [""; 0]);
        assert!((place(&mut page) - before).abs() < 2.0, "what was clicked moved in the window");
        page.open(&address(site, "stage02-shared.html"));
        assert_eq!(faults(&mut page, "rust"), [""; 0]);
        assert_eq!(page.problems(), [""; 0]);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn tabs_that_show_both_or_name_nothing_are_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for wrong in [
        "document.querySelector('.language[hidden]').hidden = false",
        "document.querySelector('.language').removeAttribute('aria-labelledby')",
        "document.querySelector('.languages [role=tab]').tabIndex = -1",
    ] {
        page.open(&site.on_disk("stage01-naive.html"));
        assert_eq!(faults(&mut page, "cuda"), [""; 0]);
        page.run(wrong);
        assert_ne!(faults(&mut page, "cuda"), [""; 0], "{wrong}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn arrow_keys_choose_and_do_not_turn_the_page() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk("stage01-naive.html"));
    page.run("document.querySelector('.languages [data-language=cuda][role=tab]').focus()");
    for (key, language) in [("ArrowRight", "rust"), ("ArrowRight", "cuda"), ("ArrowLeft", "rust")] {
        page.press(key);
        assert_eq!(faults(&mut page, language), [""; 0]);
        assert_eq!(page.evaluate::<String>("document.activeElement.dataset.language"), language);
    }
    assert!(page.evaluate::<bool>("location.pathname.endsWith('stage01-naive.html')"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn without_a_script_both_languages_are_there() {
    let Some((_browser, _page, site)) = reader() else { return };
    let page = fs::read_to_string(site.on_disk("stage01-naive.html").trim_start_matches("file://")).unwrap();
    let parts: Vec<&str> = page.match_indices("<div class=\"language\" ").map(|(at, _)| &page[at..at + 60]).collect();
    assert!(parts.len() >= 6 && parts.iter().all(|part| !part.contains("hidden")), "{parts:?}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn no_page_in_rust_is_wider_than_its_window() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for width in [380, 1280] {
        page.resize(width, 800);
        for name in ["stage01-naive.html", "stage03-unroll.html", "stage05-coulomb.html", "kernels-in-rust.html"] {
            page.open(&site.on_disk(name));
            page.run("document.querySelector('.languages [data-language=rust][role=tab]')?.click()");
            for theme in ["light", "navy"] {
                page.choose_theme(theme);
                assert_eq!(page.evaluate::<Vec<String>>("checks.tooWide()"), [""; 0], "{name}, {width} px, {theme}");
            }
        }
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_player_runs_and_steps_through_the_language_that_is_chosen() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for stage in ["stage01-naive", "stage02-shared", "stage03-unroll", "stage04-shuffle", "stage05-coulomb"] {
        page.open(&site.on_disk(&format!("{stage}.html")));
        page.wake();
        page.run("document.querySelector('.languages [data-language=rust][role=tab]').click()");
        let chosen: String = page.evaluate("document.querySelector('[data-player-choice=language]').value");
        assert_eq!(chosen, "Rust", "{stage}");
        page.click("[data-player-run]");
        page.wait_for("document.querySelector('.player-result[data-verified], .player-result.player-fault')");
        let result: String = page.evaluate("document.querySelector('.player-result').textContent");
        assert!(result.contains("✓ Verified.") && result.contains(", Rust, "), "{stage}: {result}");
        page.click("[data-player-trace]");
        page.wait_for("document.querySelector('.player-said')?.textContent.trim()");
        let code: String = page.evaluate("document.querySelector('.player-code').textContent");
        assert!(code.contains(".rs") && code.contains("ptx-kernel") || code.contains("kernels! {"), "{stage}");
        assert_eq!(page.problems(), [""; 0], "{stage}");
    }
}
