//! Charts by n, and the peak rates of units, compared with values computed by hand.

use crate::charts::{change, chart, complaint, limit, missing_words, page, records_of, texts};
use crate::support::Copy;
use scraper::Selector;
use serde_json::Value;
use std::fs;

#[test]
#[ignore = "slow: run by cargo x ci"]
fn charts_of_stage_6_can_be_read_without_colors_and_without_eyes() {
    let book = Copy::new();
    let of_pages = [
        ("stage06-limit", &["Roofline", "Block sizes"][..]),
        ("stage06-steps-and-sums", &["Times and rates"][..]),
        ("stage06-points-and-sizes", &["Times and rates"][..]),
    ];
    for (name, titles) in of_pages {
        let page = page(&book, &format!("{name}.md"));
        for title in titles {
            let (svg, words) = chart(&page, title);
            assert_eq!(missing_words(svg, &words), [""; 0], "{title} of {name}");
            assert!(!svg.html().contains('#') && !svg.html().contains("style="), "{title} of {name}");
        }
    }
}

#[test]
fn curves_against_n_have_every_recorded_size() {
    let book = Copy::new();
    let kernels = "computeForces_unroll64 forcesFastRoot forcesMixedRootsShared forcesTensorCores";
    book.add_line("glossary.md", &format!("{{{{sizes stage06-limit {kernels}}}}}"));
    let read = |book: &Copy| {
        let page = page(book, "glossary.md");
        let (svg, words) = chart(&page, "Times and rates against n of A");
        let marks = svg.select(&Selector::parse(".mark").unwrap()).count();
        (words, marks, texts(svg))
    };
    change(&book, "results/nvidia-h200/stage06-sizes.json", |records| {
        let is_kept = |record: &Value| record["problem"] != "A" || record["size"].as_u64() <= Some(16384);
        records.retain(is_kept);
    });
    let (words, marks, _) = read(&book);
    // Five sizes of four kernels in two panels, and four in the list.
    assert_eq!(marks, 5 * 4 * 2 + 4);
    assert!(words.starts_with("computeForces_unroll64: "), "{words}");
    change(&book, "results/nvidia-h200/stage06-sizes.json", |records| {
        let mut larger = records_of(records, "forcesMixedRootsShared").next().unwrap().clone();
        larger["size"] = (1 << 20).into();
        larger["time_ms"]["median"] = 321.0.into();
        larger["limit_share"] = 0.99.into();
        records.push(larger);
    });
    let (words, marks, texts) = read(&book);
    assert_eq!(marks, 5 * 4 * 2 + 4 + 2);
    assert!(words.contains("321 ms and 99 % at 1,048,576; at best 99 %, half of it from 1"), "{words}");
    assert!(texts.contains(&"2¹⁰".to_owned()), "{texts:?}");
}

#[test]
fn the_axis_of_sizes_is_what_differs_between_them() {
    let book = Copy::new();
    let attention = "{{sizes stage08-matmul attentionThroughMemory attentionFused}}";
    let product = "{{sizes stage08-matmul matmulTile matmulTallTile}}";
    book.add_line("glossary.md", &format!("{attention}\n\n{product}\n\n{{{{sizes stage05-coulomb coulombGather}}}}"));
    let page = page(&book, "glossary.md");
    // not heads of 64 numbers, nor the square of the rows
    for (problem, unit, ends) in
        [("I", "positions", ["2⁹", "2¹³"]), ("G", "rows", ["2⁹", "2¹³"]), ("E", "points", ["2¹⁴", "2²²"])]
    {
        let (svg, _) = chart(&page, &format!("Times and rates against n of {problem},"));
        let texts = texts(svg);
        assert!(
            [unit, ends[0], ends[1]].iter().all(|word| texts.contains(&(*word).to_owned())),
            "{problem}: {texts:?}"
        );
    }
}

#[test]
fn curves_of_two_problems_or_of_one_size_are_refused() {
    let book = Copy::new();
    book.add_line("glossary.md", "{{sizes stage06-limit forcesFastRoot coulombTile}}");
    assert!(complaint(&book, "glossary.md").contains("coulombTile is of problem E, not of A"));
    let book = Copy::new();
    change(&book, "results/nvidia-h200/stage06-sizes.json", |records| {
        records.retain(|record| record["kernel"] != "galaxyThirdLaw" || record["size"] == 1024);
    });
    book.add_line("glossary.md", "{{sizes stage06-limit nbody_sim_unroll galaxyThirdLaw}}");
    assert!(complaint(&book, "glossary.md").contains("galaxyThirdLaw is recorded at only 1 size,"));
}

#[test]
fn limits_that_are_not_recorded_are_said_to_be_so() {
    let book = Copy::new();
    let _ = fs::remove_file(book.file("results/nvidia-h200/limits.json"));
    book.add_line("glossary.md", "{{limits}}\n\n{{ladder stage01-naive}}\n\nA launch takes: {{limit launch}}.");
    let page = book.page("glossary.md");
    assert!(page.contains("The limits of the units are not recorded."));
    assert!(page.contains("A launch takes: not recorded."));
    assert!(page.contains("the rates of this GPU's units are not recorded yet"));
}

#[test]
fn recorded_limits_and_limiters_are_those_that_a_hand_computes() {
    let book = Copy::new();
    // 1e12 instructions of warps per second; 1.25e11 to the special-function unit; 4.5 TB/s; 5 µs
    let limits = [
        limit("issue", 1e9, 1.0),
        limit("special", 1.25e8, 1.0),
        limit("memory", 4.5e9, 1.0),
        limit("launch", 1.0, 0.005),
    ];
    fs::write(book.file("results/nvidia-h200/limits.json"), Value::from(limits.to_vec()).to_string()).unwrap();
    book.add_line("glossary.md", "{{limit special}}, {{limit memory}}, {{limit launch}}.");
    // machine code: 603840 instructions and 32768 roots for 1024 bodies, so 256 times as many for 16384
    change(&book, "results/nvidia-h200/stage03.json", |records| {
        records_of(records, "computeForces_unroll64").for_each(|record| record["time_ms"]["median"] = 0.24.into());
    });
    book.add_line(
        "glossary.md",
        "{{limiter stage03-unroll computeForces_unroll64}}; {{unit stage03-unroll computeForces_unroll64 special}}.",
    );
    let text = book.page("glossary.md");
    assert!(text.contains("4.00 T/s, 4.50 TB/s, 5.00 µs."));
    // without the 5 µs of a launch in all times: 154.6e6 / 1.005e12 / 235e-6, and 8.39e6 / 1.256e11 / 235e-6
    assert!(text.contains("issue slots 65 %; 28 %."), "{text}");
    let table = book.page("stage06-points-and-sizes.md");
    assert!(table.contains("NVIDIA H200, driver 580, 2026-11-22. Medians, by"));
}

#[test]
fn a_limit_that_nobody_measures_is_refused() {
    let book = Copy::new();
    book.add_line("glossary.md", "{{limit speed}}");
    assert!(complaint(&book, "glossary.md").contains("there is no limit speed; the limits are fp32, registers,"));
}
