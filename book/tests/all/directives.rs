//! A directive that cannot be replaced fails the build with its file and line.

use crate::support::Copy;
use std::fs;

/// Returns the error for a chapter with this line at its end, without the file and line that it must begin with.
fn refusal(line: &str) -> String {
    let book = Copy::new();
    let number = book.add_line("glossary.md", line);
    let error = book.build_of("glossary.md").expect_err("a chapter that cannot be filled");
    let place = format!("glossary.md:{number}: ");
    let (_, reason) = error.split_once(&place).unwrap_or_else(|| panic!("no {place} in {error}"));
    reason.into()
}

#[test]
fn an_unknown_kernel_is_refused_and_the_known_ones_are_listed() {
    let reason = refusal("{{kernel computeForce}}");
    assert!(reason.contains("there is no kernel computeForce; the kernels are attentionFused, "), "{reason}");
}

#[test]
fn an_unknown_item_of_a_kernel_is_refused_and_the_known_ones_are_listed() {
    let reason = refusal("{{kernel periodicGlobal item farthest_image}}");
    assert!(reason.contains("no item farthest_image; there are Field, nearest_image, periodicGlobal"), "{reason}");
}

#[test]
fn a_diff_without_a_rung_below_is_refused() {
    let reason = refusal("{{diff computeForces}}");
    assert!(reason.contains("computeForces has no rung below"), "{reason}");
}

#[test]
fn other_words_are_refused_and_so_is_a_block_inside_a_sentence() {
    assert!(refusal("{{clock computeForces}}").contains("no such directive"));
    assert!(refusal("See {{kernel computeForces}}.").contains("put it alone on its line"));
    assert!(refusal("{{time stage01-naive computeForces").contains("without }}"));
}

#[test]
fn unknown_counters_figures_and_stages_are_refused() {
    assert!(
        refusal("{{count computeForces sectors}}").contains("no counter sectors; there are global_atomic_requests")
    );
    assert!(refusal("{{per_pair reduceSmem}}").contains("reduceSmem has no pairs of bodies"));
    assert!(refusal("{{figure nothing}}").contains("nothing.svg"));
    assert!(refusal("{{ladder stage99}}").contains("there is no stage stage99; the stages are stage01-naive, "));
    assert!(refusal("{{time stage01-naive nbody_sim}}").contains("stage01-naive has no kernel nbody_sim"));
    assert!(refusal("{{ratio stage01-naive computeForces}}").contains("has no ratio"));
    assert!(
        refusal("{{cpu stage01-naive computeForces idle}}")
            .contains("the numbers of a CPU are serial, parallel, threads and gain")
    );
}

#[test]
fn lines_and_exercises_that_are_not_there_are_refused() {
    assert!(refusal("{{lines stage01-naive/src/main.rs: no such text}}").contains("no line has `no such text`"));
    assert!(refusal("{{lines stage01-naive/src/nothing.rs}}").contains("cannot read stage01-naive/src/nothing.rs"));
    assert!(refusal("See {{lines Cargo.toml}}.").contains("put it alone on its line"));
    assert!(refusal("{{exercise 99_none}}").contains("there is no exercise `99_none`"));
    assert!(refusal("{{exercises stage99}}").contains("there is no stage stage99"));
}

#[test]
fn charts_of_unknown_kernels_and_stages_are_refused() {
    let reason = refusal("{{sweep stage02-shared nbody}}");
    assert!(reason.contains("stage02-shared has no kernel nbody; its kernels are computeForces, "), "{reason}");
    let reason = refusal("{{traffic stage01-naive reduceSmem}}");
    assert!(reason.contains("stage01-naive has no kernel reduceSmem; its kernels are"), "{reason}");
    assert!(refusal("{{roofline stage99}}").contains("there is no stage stage99; the stages are"));
    assert!(
        refusal("{{roofline stage01-naive E}}").contains("stage01-naive has no problem E; its problems are A, B, C, D")
    );
    assert!(refusal("See {{traffic stage01-naive}}").contains("put it alone on its line"));
}

#[test]
fn what_nobody_has_recorded_is_shown_as_such() {
    let book = Copy::new();
    let file = book.file("results/nvidia-h200/stage02.json");
    let text = fs::read_to_string(&file).unwrap();
    let mut records: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let of_stage = |stage| format!("{{{{plot {stage}}}}}\n\n{{{{ladder {stage}}}}}");
    book.add_line("glossary.md", &of_stage("stage02-shared"));
    assert!(!book.page("glossary.md").contains("ot recorded"));
    records.retain(|record| record["kernel"] != "nbody_sim");
    fs::write(&file, serde_json::to_string(&records).unwrap()).unwrap();
    // in the table, in the plot and in its words, and below each of the blocks
    let page = book.page("glossary.md");
    assert!(page.matches(">not recorded<").count() >= 2, "in table and plot");
    assert!(page.contains("Not recorded yet: <code>nbody_sim</code>."));
    assert!(book.page("results.md").contains(">not recorded<"));
    // a stage of which there is nothing
    fs::remove_file(book.file("results/nvidia-h200/stage01.json")).unwrap();
    fs::remove_file(book.file("results/nvidia-h200/stage01-sweep.json")).unwrap();
    book.add_line("glossary.md", &of_stage("stage01-naive"));
    let page = book.page("glossary.md");
    assert!(page.contains("Not recorded yet: <code>computeForces</code>, <code>"), "all of them");
}

#[test]
fn what_nobody_has_read_is_shown_as_such() {
    let book = Copy::new();
    let file = book.file("results/nvidia-h200/nsight-compute.json");
    let mut readings: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    readings["kernels"].as_array_mut().unwrap().retain(|reading| reading["kernel"] != "computeForces_Shared");
    fs::write(&file, readings.to_string()).unwrap();
    let kernel = "computeForces_Shared";
    book.add_line("glossary.md", &format!("It reads: {{{{count {kernel} global_load_requests}}}}."));
    book.add_line("glossary.md", &format!("{{{{counters computeForces {kernel}}}}}"));
    let chapter = book.page("glossary.md");
    assert!(chapter.contains("It reads: not recorded."), "in a sentence");
    assert!(chapter.contains("Not recorded yet: <code>computeForces_Shared</code>."), "below a table");
}

#[test]
fn a_figure_without_words_is_refused() {
    let book = Copy::new();
    fs::write(book.file("book/figures/mute.svg"), "<svg><title>Mute</title></svg>").unwrap();
    book.add_line("glossary.md", "{{figure mute}}");
    let error = book.build_of("glossary.md").expect_err("a figure that says nothing");
    assert!(error.contains("mute.svg has no <desc>"), "{error}");
}

#[test]
fn mdbooks_own_directives_are_left_to_mdbook() {
    let book = Copy::new();
    fs::write(book.file("book/text/part.txt"), "a part").unwrap();
    book.add_line("glossary.md", "{{#include part.txt}}");
    assert!(book.page("glossary.md").contains("a part"));
}

#[test]
fn pictures_of_a_trace_are_refused_where_the_kernel_does_no_such_thing() {
    assert!(refusal("{{access computeForces 512 128 shared load x[j]}}").contains("has no load of shared memory"));
    assert!(refusal("{{access computeForces 512 128 texture load x}}").contains("there are global and shared"));
    assert!(refusal("{{access computeForces 512 128 global jump x}}").contains("there are load, store and atomic"));
    assert!(refusal("{{access computeForces many 128 global load x}}").contains("many is not a number"));
    assert!(refusal("{{access computeForces_Shared 512 100 global load x}}").contains("--block 100"));
    assert!(refusal("{{lanes nothing 512 128}}").contains("no kernel nothing"));
}

#[test]
fn an_unknown_player_explorer_or_unit_is_refused() {
    assert!(refusal("{{player stage99}}").contains("there is no stage stage99"));
    assert!(refusal("{{player stage09-patterns matmulNaive}}").contains("stage09-patterns has no kernel matmulNaive"));
    assert!(refusal("{{chip warp}}").contains("there is no unit warp; the units are schedulers, registers, "));
    assert!(refusal("See {{chip l2}}.").contains("put it alone on its line"));
    assert!(refusal("{{explorer registers}}").contains("there is no explorer registers; the explorers are banks, "));
}

/// A record of the twin in Rust of a recorded kernel, slower by a quarter.
fn with_twin(records: &str) -> String {
    let mut records: Vec<serde_json::Value> = serde_json::from_str(records).unwrap();
    records.retain(|record| record["in_rust"].is_null());
    let mut twin = records.iter().find(|record| record["kernel"] == "computeForces").unwrap().clone();
    twin["in_rust"] = true.into();
    twin["time_ms"]["median"] = (1.25 * twin["time_ms"]["median"].as_f64().unwrap()).into();
    // before its kernel: whatever looks for that must not take this one
    records.insert(0, twin);
    serde_json::to_string(&records).unwrap()
}

#[test]
fn records_of_twins_fill_their_table_and_leave_the_others_as_they_are() {
    let book = Copy::new();
    // what is around the text names the search index, which has the words of all pages
    let page = |name: &str| {
        let page = book.page(name);
        page.split_once("<main>").unwrap().1.split_once("</main>").unwrap().0.to_owned()
    };
    let file = book.file("results/nvidia-h200/stage01.json");
    let recorded = fs::read_to_string(&file).unwrap();
    let mut without: Vec<serde_json::Value> = serde_json::from_str(&recorded).unwrap();
    without.retain(|record| record["in_rust"].is_null());
    fs::write(&file, serde_json::to_string(&without).unwrap()).unwrap();
    // with its stage: the table above has kernels alone
    let is_of_kernel = |line: &&str| line.contains("<td>1</td><td><code>computeForces</code></td>");
    let line_of = |page: &str| page.lines().find(is_of_kernel).unwrap().to_owned();
    let before = page("stage01-naive.md");
    assert!(line_of(&page("kernels-in-rust.md")).contains("not recorded"));
    fs::write(&file, with_twin(&recorded)).unwrap();
    let twins = page("kernels-in-rust.md");
    assert!(twins.contains("<td style=\"text-align: right\">1.25</td>"), "{}", line_of(&twins));
    assert_eq!(page("stage01-naive.md"), before);
}

#[test]
fn a_mean_of_something_else_is_refused() {
    assert!(refusal("The mean is {{twins_mean space}}.").contains("the means are of time and instructions"));
    assert!(refusal("See {{twins}}.").contains("put it alone on its line"));
}
