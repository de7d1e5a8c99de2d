//! axe-core's opinion of every page in every theme, where `COALESCED_AXE` names its file `axe.min.js`.
//!
//! It is not part of the repository; the Python package axe-playwright-python holds it. Without it, `barriers.rs` looks for
//! what it found.

use crate::barriers::{THEMES, UNFOLD};
use crate::browser::Browser;
use crate::page::Page;
use crate::site::{reader, site};
use crate::visits::for_each_page;
use std::env;
use std::fs;
use std::io::{Write, stderr};

/// What a theme can break.
const OF_COLOR: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// The rules that the page breaks, those of serious and critical impact, each with its places; of some rules alone, where
/// they are named.
fn broken_rules(names: &[&str]) -> String {
    let only =
        if names.is_empty() { String::new() } else { format!(", runOnly: {{ type: 'rule', values: {names:?} }}") };
    format!(
        "axe.run(document, {{ resultTypes: ['violations']{only} }}).then(({{ violations }}) => violations
    .filter(({{ impact }}) => ['serious', 'critical'].includes(impact))
    .map(({{ id, nodes }}) => `${{id}}: ${{nodes.map(({{ target }}) => target).join('; ')}}`))"
    )
}

/// axe-core's text, where there is one.
fn axe() -> Option<String> {
    let Some(file) = env::var_os("COALESCED_AXE") else {
        // not through a macro: the test program keeps what passing tests print
        let _ = writeln!(stderr(), "SKIPPED, axe-core does NOT look at the book: COALESCED_AXE names no axe.min.js");
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
        // a theme changes colors and nothing else
        let here: Vec<String> = page.evaluate(&broken_rules(if theme == THEMES[0] { &[] } else { &OF_COLOR }));
        found.extend(here.into_iter().map(|what| format!("{theme}: {what}")));
    }
    found
}

#[test]
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
fn axe_finds_a_button_without_a_name() {
    let Some(axe) = axe() else { return };
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk("sources.html"));
    page.run("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')");
    assert!(broken(&mut page, &axe).iter().any(|what| what.contains("button-name")));
}
