//! The log of minutes, which a reader may keep.

use super::barriers::{THEMES, barriers};
use super::editor::{desk, open_exercise, repository_file, run, said, write, writer};
use super::handing_in::{click, export, open_page, texts};
use super::page::Page;
use super::site::reader;
use super::widths::{NARROW, WIDE, too_wide};
use book::minutes::Summary;
use serde_json::Value;
use std::fs;

/// A clock that tests move on by `skip(seconds)`, and the number of timers that began.
const CLOCK: &str = "{
    const now = performance.now.bind(performance);
    let ahead = 0;
    performance.now = () => now() + ahead;
    window.skip = seconds => { ahead += 1000 * seconds };
    window.timers = 0;
    const begin = window.setInterval;
    window.setInterval = (...all) => { window.timers += 1; return begin(...all) };
}";

/// Returns what the browser keeps; null if it is nothing.
fn kept(page: &mut Page) -> Value {
    page.evaluate("JSON.parse(localStorage.getItem('coalesced-log'))")
}

/// Returns the counted seconds of a page, up to now.
fn seconds(page: &mut Page, name: &str) -> f64 {
    page.run("coalesced.log.read()");
    kept(page)["page_seconds"][name].as_f64().unwrap_or_default()
}

fn turn_on(page: &mut Page) {
    click(page, ".exercise-log input");
    page.wait_for("document.querySelector('.exercise-log input').checked");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn off_it_keeps_nothing_and_has_no_timer() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.before_every_page(CLOCK);
    page.open(&site.served("glossary.html"));
    page.press("Escape");
    assert!(page.evaluate::<bool>("coalesced.log === undefined"), "its script is loaded for nothing");
    open_page(&mut page, site, "first-kernels.html");
    open_exercise(&mut page, "12_guard");
    page.run("coalesced.log.judged('12_guard.cu', true); coalesced.log.read(); dispatchEvent(new Event('pagehide'))");
    let keys: Vec<String> = page.evaluate("Object.keys(localStorage)");
    assert!(!keys.iter().any(|key| key.contains("log")), "{keys:?}");
    assert_eq!(page.evaluate::<u32>("window.timers"), 0);
    // The same checks notice one that is on.
    turn_on(&mut page);
    assert_eq!(page.evaluate::<u32>("window.timers"), 1);
    assert_eq!(kept(&mut page)["is_on"], true);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_page_counts_until_a_minute_after_it_was_used_and_while_it_is_visible() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.before_every_page(CLOCK);
    open_page(&mut page, site, "first-kernels.html");
    turn_on(&mut page);
    page.open(&site.served("glossary.html"));
    page.wait_for("coalesced.log");
    let between = |value: f64, least: f64, what: &str| {
        assert!((least..least + 20.0).contains(&value), "{what}: {value} and not {least}");
    };
    // A key that scrolls nothing: events of scrolling come late.
    page.press("Escape");
    page.run("skip(50)");
    between(seconds(&mut page, "glossary"), 50.0, "used 50 seconds ago");
    page.run("skip(500)");
    between(seconds(&mut page, "glossary"), 60.0, "used 550 seconds ago");
    page.run("skip(500)");
    page.press("Escape");
    page.run("skip(30)");
    between(seconds(&mut page, "glossary"), 90.0, "used again");
    page.run("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    page.run("document.dispatchEvent(new Event('visibilitychange')); skip(20)");
    between(seconds(&mut page, "glossary"), 90.0, "hidden");
    page.run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); skip(20)");
    between(seconds(&mut page, "glossary"), 110.0, "visible again");
    let glossary = seconds(&mut page, "glossary");
    open_page(&mut page, site, "first-kernels.html");
    between(seconds(&mut page, "first-kernels"), 0.0, "another page");
    // The switch ends it, and what was counted stays until it is cleared.
    click(&mut page, ".exercise-log input");
    page.run("skip(50)");
    assert_eq!(kept(&mut page)["is_on"], false);
    assert!(seconds(&mut page, "first-kernels") < 20.0 && seconds(&mut page, "glossary") >= glossary);
    assert!(!texts(&export(&mut page)).contains_key("log.json"), "an export has a log that is off");
    click(&mut page, ".exercise-log summary");
    click(&mut page, "[data-log-clear]");
    assert_eq!(kept(&mut page)["is_on"], false, "cleared unasked");
    click(&mut page, "[data-log-sure]");
    assert_eq!(kept(&mut page), Value::Null);
    assert!(page.evaluate::<bool>("document.querySelector('.exercise-log details').hidden"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn checks_are_counted_shown_exported_and_read_by_a_teacher() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.before_every_page(CLOCK);
    for width in [WIDE, NARROW] {
        page.resize(width, 800);
        open_page(&mut page, site, "first-kernels.html");
        if width == WIDE {
            turn_on(&mut page);
            let desk = desk("12_guard");
            open_exercise(&mut page, "12_guard");
            page.run("skip(30)");
            run(&mut page, &desk);
            page.press("Escape");
            page.run("skip(30)");
            write(&mut page, &desk, &repository_file("exercises/12_guard/kernels/solution.cu"));
            run(&mut page, &desk);
            run(&mut page, &desk);
        }
        click(&mut page, ".exercise-log summary");
        page.wait_for("document.querySelector('.exercise-log table')");
        let shown = said(&mut page, ".exercise-log .table-wrapper");
        assert!(shown.contains("Your first kernels") && shown.contains("12_guard"), "{shown}");
        for theme in THEMES {
            page.choose_theme(theme);
            assert_eq!(barriers(&mut page), [""; 0], "{width} px, {theme}");
            assert_eq!(too_wide(&mut page), [""; 0], "{width} px, {theme}");
        }
    }
    let zip = export(&mut page);
    let log: Value = serde_json::from_str(&texts(&zip)["log.json"]).unwrap();
    assert_eq!(log["schema"], 1);
    let entry = &log["exercises"]["12_guard.cu"];
    let second = |name: &str| entry[name].as_f64().unwrap();
    assert_eq!(entry["checks"], 3);
    assert!(second("first_verdict_second") - second("opened_second") >= 29.9, "{entry}");
    assert!(second("first_solved_second") - second("first_verdict_second") >= 29.9, "{entry}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.zip");
    fs::write(&file, &zip).unwrap();
    let summary = Summary::read(&[file], &[]).unwrap().text();
    assert!(summary.contains("\nfirst-kernels ") && summary.contains("\n12_guard "), "{summary}");
    assert_eq!(page.problems(), [""; 0]);
}
