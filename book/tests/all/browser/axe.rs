//! axe-core on every page in every theme. `COALESCED_AXE` names its file, `axe.min.js`.
//!
//! axe-core is not part of the repository; the Python package axe-playwright-python contains it. `barriers.rs` checks
//! without it for everything that axe-core has found so far.

use super::barriers::{THEMES, UNFOLD};
use super::chromium::Browser;
use super::editor::{desk, open_exercise, run, writer};
use super::handing_in::click;
use super::page::Page;
use super::site::{reader, site};
use super::visits::for_each_page;
use crate::support::skip;
use std::env;
use std::fs;

/// The rules that a change of theme can break.
const OF_COLOR: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// Returns a script for the rules of serious or critical impact that the page breaks, each with its places. Checks only the
/// named rules, or all of them if `names` is empty.
pub fn broken_rules(names: &[&str]) -> String {
    let only =
        if names.is_empty() { String::new() } else { format!(", runOnly: {{ type: 'rule', values: {names:?} }}") };
    format!(
        "axe.run(document, {{ resultTypes: ['violations']{only} }}).then(({{ violations }}) => violations
    .filter(({{ impact }}) => ['serious', 'critical'].includes(impact))
    .map(({{ id, nodes }}) => `${{id}}: ${{nodes.map(({{ target }}) => target).join('; ')}}`))"
    )
}

/// Returns the source of axe-core; none if it is not installed, which skips the calling test.
pub fn axe() -> Option<String> {
    let Some(file) = env::var_os("COALESCED_AXE") else {
        skip("pip install axe-playwright-python, and name its axe.min.js in COALESCED_AXE");
        return None;
    };
    Some(fs::read_to_string(&file).unwrap_or_else(|error| panic!("COALESCED_AXE={}: {error}", file.display())))
}

fn broken(page: &mut Page, axe: &str) -> Vec<String> {
    page.run(UNFOLD);
    page.evaluate::<()>(&format!("{{ {axe} }} null"));
    let mut found = Vec::new();
    for theme in THEMES {
        page.choose_theme(theme);
        // A theme changes only colors.
        let here: Vec<String> = page.evaluate(&broken_rules(if theme == THEMES[0] { &[] } else { &OF_COLOR }));
        found.extend(here.into_iter().map(|what| format!("{theme}: {what}")));
    }
    found
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn axe_finds_nothing_serious_on_any_page_in_any_theme() {
    let Some(axe) = axe() else { return };
    let Some(browser) = Browser::shared() else { return };
    let site = site();
    let found = for_each_page(&browser, site.chapters().collect(), |page, name| {
        page.open(&site.on_disk(name));
        page.wake();
        broken(page, &axe).iter().map(|what| format!("{name}, {what}")).collect::<Vec<_>>()
    });
    assert_eq!(found.concat(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn axe_finds_nothing_serious_in_an_open_editor() {
    let Some(axe) = axe() else { return };
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("first-kernels.html"));
    open_exercise(&mut page, "12_guard");
    page.click("[data-editor=hint]");
    click(&mut page, ".exercise-log input");
    run(&mut page, &desk("12_guard"));
    click(&mut page, ".exercise-log summary");
    page.wait_for("document.querySelectorAll('.exercise-log table').length === 2");
    click(&mut page, "[data-log-clear]");
    assert_eq!(broken(&mut page, &axe), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn axe_finds_a_button_without_a_name() {
    let Some(axe) = axe() else { return };
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk("sources.html"));
    page.run("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')");
    assert!(broken(&mut page, &axe).iter().any(|what| what.contains("button-name")));
}
