//! The explorers: counts, keyboard control, and pictures.

use super::page::Page;
use super::site::{Site, reader};
use serde_json::{Value, json};

const EXPLORERS: [&str; 5] = ["banks", "coalescing", "occupancy", "parallelism", "shuffle"];

/// Opens the first page with an explorer, scrolls to it, and returns its selector.
fn open(page: &mut Page, site: &Site, name: &str) -> String {
    page.open(&site.on_disk(site.page_with(&format!("data-explorer=\"{name}\""))));
    let place = format!(".explorer[data-explorer={name}]");
    page.run(&format!("document.querySelector('{place}').scrollIntoView()"));
    place
}

fn open_live(page: &mut Page, site: &Site, name: &str) -> String {
    let place = open(page, site, name);
    page.wait_for(&format!("document.querySelector('{place}').dataset.ready"));
    place
}

/// Returns the emulator's answer in an explorer.
fn response(page: &mut Page, place: &str) -> Value {
    page.evaluate(&format!("JSON.parse(document.querySelector('{place}').dataset.response)"))
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn examples_have_the_counts_that_a_hand_counts() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let cases = [
        ("banks", "neighboring words", json!({ "wavefronts": 1, "conflicts": 0 })),
        ("banks", "one word for all", json!({ "wavefronts": 1, "conflicts": 0 })),
        ("banks", "every second word", json!({ "wavefronts": 2, "conflicts": 1 })),
        ("banks", "column of a 32-wide tile", json!({ "wavefronts": 32, "conflicts": 31 })),
        ("banks", "with one word of padding", json!({ "wavefronts": 1, "conflicts": 0 })),
        ("banks", "stage 2's copy, in rows", json!({ "wavefronts": 4, "conflicts": 3 })),
        ("banks", "the same, fixed", json!({ "wavefronts": 1, "conflicts": 0 })),
        ("banks", "float4 load", json!({ "wavefronts": 4, "conflicts": 0 })),
        ("coalescing", "neighboring floats", json!({ "sectors": 4, "bytes_asked": 128 })),
        ("coalescing", "the same, one float on", json!({ "sectors": 5, "bytes_asked": 128 })),
        ("coalescing", "one float for all", json!({ "sectors": 1, "bytes_asked": 128 })),
        ("coalescing", "every second float", json!({ "sectors": 8, "bytes_asked": 128 })),
        ("coalescing", "one field of a four-float structure", json!({ "sectors": 16, "bytes_asked": 128 })),
        ("coalescing", "the whole structure as a float4", json!({ "sectors": 16, "bytes_asked": 512 })),
        ("coalescing", "stage 2's copy, in rows", json!({ "sectors": 32, "bytes_asked": 128 })),
        ("coalescing", "the same, fixed", json!({ "sectors": 24, "bytes_asked": 128 })),
        ("coalescing", "column of a matrix", json!({ "sectors": 32, "bytes_asked": 128 })),
        ("coalescing", "neighboring bytes", json!({ "sectors": 1, "bytes_asked": 32 })),
        ("occupancy", "few registers, no tile", json!({ "blocks": 8, "warps": 64 })),
        ("occupancy", "64 registers", json!({ "blocks": 4, "warps": 32, "limiter": "registers" })),
        ("occupancy", "one register more: 65", json!({ "blocks": 3, "warps": 24, "limiter": "registers" })),
        ("occupancy", "a tile of 48 KB", json!({ "blocks": 4, "warps": 32, "limiter": "shared memory" })),
        ("occupancy", "blocks of one warp", json!({ "blocks": 32, "warps": 32, "limiter": "blocks" })),
        ("parallelism", "one warp, one chain", json!({ "inFlight": 1, "predicted": 0.25 })),
        ("parallelism", "four chains", json!({ "inFlight": 4, "predicted": 1 })),
        ("parallelism", "memory: four loads each", json!({ "inFlight": 32768 })),
        ("occupancy", "blocks of 1024, 40 registers", json!({ "blocks": 1, "warps": 32, "limiter": "registers" })),
    ];
    for name in ["banks", "coalescing", "occupancy", "parallelism"] {
        let place = open_live(&mut page, site, name);
        for (_, example, expected) in cases.iter().filter(|(explorer, ..)| *explorer == name) {
            page.click(&format!("{place} [data-preset=\"{example}\"]"));
            let found = response(&mut page, &place);
            for (count, value) in expected.as_object().unwrap() {
                assert_eq!(&found[count], value, "{name}, {example}: {count}");
            }
        }
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn shuffles_read_the_lanes_that_a_hand_names() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let place = open_live(&mut page, site, "shuffle");
    // example, lane, the lane that it reads, whether that is in range
    for (example, lane, source, in_range) in [
        ("first step of a sum", 0, json!(16), true),
        ("first step of a sum", 20, json!(20), false),
        ("its last step", 30, json!(31), true),
        ("sum for everybody, first step", 20, json!(4), true),
        ("lane 0 tells all", 31, json!(0), true),
        ("from the neighbor below", 0, json!(0), false),
        ("two halves by themselves", 16, json!(24), true),
        ("two halves by themselves", 8, json!(8), false),
        ("a mask that is too small", 16, json!(null), false),
    ] {
        page.click(&format!("{place} [data-preset=\"{example}\"]"));
        let found = &response(&mut page, &place)["lanes"][lane];
        assert_eq!((&found["source"], found["in_range"] == true), (&source, in_range), "{example}, lane {lane}");
    }
}

/// Returns the sentence and the picture of an explorer.
fn shown(page: &mut Page, place: &str) -> String {
    page.evaluate(&format!(
        "['answer', 'picture'].map(part => document.querySelector(`{place} .explorer-${{part}}`).innerHTML).join()"
    ))
}

/// Returns the controls of an explorer that change neither sentence nor picture if they are operated by keyboard.
fn silent_controls(page: &mut Page, place: &str) -> Vec<String> {
    let controls: usize = page.evaluate(&format!("checks.controls('{place}').length"));
    let mut silent = Vec::new();
    for number in 0..controls {
        let control = format!("checks.controls('{place}')[{number}]");
        let before = shown(page, place);
        let name: String = page.evaluate(&format!("{control}.ariaLabel ?? {control}.name"));
        let key: String = page.evaluate(&format!("checks.keyFor({control})"));
        page.run(&format!("{control}.focus()"));
        page.press(&key);
        if shown(page, place) == before {
            silent.push(name);
        }
    }
    silent
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn explorers_answer_to_the_keyboard() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for name in EXPLORERS {
        let place = open_live(&mut page, site, name);
        assert_eq!(silent_controls(&mut page, &place), [""; 0], "{name}");
        assert_eq!(page.problems(), [""; 0], "{name}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn an_explorer_that_does_not_answer_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let place = open_live(&mut page, site, "banks");
    // A copy looks the same and has no event handlers.
    page.run(&format!("(place => place.replaceWith(place.cloneNode(true)))(document.querySelector('{place}'))"));
    let silent = silent_controls(&mut page, &place);
    assert!(silent.len() >= 4, "{silent:?}");
}

/// Returns the number of drawn shapes of a kind.
fn drawn(page: &mut Page, place: &str, shape: &str) -> u64 {
    page.evaluate(&format!("document.querySelectorAll('{place} .explorer-picture {shape}').length"))
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_scheduler_issues_as_often_as_it_is_predicted() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let place = open_live(&mut page, site, "parallelism");
    for (example, issued, lost) in [("one warp, one chain", 8, 24), ("four warps", 32, 0), ("four chains", 32, 0)] {
        page.click(&format!("{place} [data-preset=\"{example}\"]"));
        let slots = (drawn(&mut page, &place, ".warp:not(.free)"), drawn(&mut page, &place, ".free"));
        assert_eq!(slots, (issued, lost), "{example}");
        let measured = response(&mut page, &place)["measured"].as_f64().unwrap();
        assert!((0.1..=1.1).contains(&measured), "{example}: {measured}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn pictures_show_as_much_as_the_emulator_counts() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let place = open_live(&mut page, site, "coalescing");
    for example in ["neighboring floats", "the same, one float on", "column of a matrix", "neighboring bytes"] {
        page.click(&format!("{place} [data-preset=\"{example}\"]"));
        let sectors = response(&mut page, &place)["sectors"].as_u64().unwrap();
        assert_eq!(drawn(&mut page, &place, ".sector"), sectors, "{example}");
    }
    let place = open_live(&mut page, site, "banks");
    page.click(&format!("{place} [data-preset=\"column of a 32-wide tile\"]"));
    assert_eq!((drawn(&mut page, &place, ".word"), drawn(&mut page, &place, ".again")), (32, 31));
    page.click(&format!("{place} [data-preset=\"with one word of padding\"]"));
    assert_eq!((drawn(&mut page, &place, ".word"), drawn(&mut page, &place, ".again")), (32, 0));
    let place = open_live(&mut page, site, "occupancy");
    page.click(&format!("{place} [data-preset=\"one register more: 65\"]"));
    assert_eq!((drawn(&mut page, &place, ".warp:not(.free)"), drawn(&mut page, &place, ".free")), (24, 40));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn without_webassembly_the_static_figure_stays() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.before_every_page("delete globalThis.WebAssembly");
    let place = open(&mut page, site, "banks");
    assert_eq!(page.problems(), [""; 0]);
    assert!(!page.evaluate::<bool>(&format!("Boolean(document.querySelector('{place}').dataset.ready)")));
    assert!(page.evaluate::<bool>(&format!("document.querySelector('{place}').textContent.trim().length > 10")));
}

/// Returns the text of an element of an explorer.
fn words(page: &mut Page, place: &str, part: &str) -> String {
    page.evaluate(&format!("document.querySelector('{place} {part}').textContent"))
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_number_out_of_range_is_replaced_with_a_word() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let place = open_live(&mut page, site, "banks");
    for (typed, note) in
        [("1000", "Stride (words): 0 to 64. 64 is taken."), ("", "Stride (words): 0 to 64. 0 is taken.")]
    {
        page.run(&format!(
            "const field = document.querySelector('{place} input[type=number][name=stride]');
            field.value = '{typed}'; field.dispatchEvent(new Event('change'))"
        ));
        assert_eq!(words(&mut page, &place, ".explorer-note"), note);
    }
    page.click(&format!("{place} [data-preset=\"every second word\"]"));
    assert_eq!(words(&mut page, &place, ".explorer-note"), "");
}

/// Returns the values of the lanes before and after.
fn values(page: &mut Page, place: &str) -> Vec<String> {
    page.evaluate(&format!("[...document.querySelectorAll('{place} text.value')].map(text => text.textContent)"))
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn shuffles_show_the_values_that_lanes_get() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let place = open_live(&mut page, site, "shuffle");
    // before: 10 to 41; down by 16: the upper half keeps its own
    let shown = values(&mut page, &place);
    let numbers = |range: std::ops::RangeInclusive<u32>| range.map(|value| value.to_string()).collect::<Vec<_>>();
    assert_eq!(shown[..32], numbers(10..=41)[..]);
    assert_eq!(shown[32..], [numbers(26..=41), numbers(26..=41)].concat()[..]);
    page.click(&format!("{place} [data-preset=\"lane 0 tells all\"]"));
    let shown = values(&mut page, &place);
    assert_eq!(shown[32..], vec!["10".to_owned(); 32][..]);
}
