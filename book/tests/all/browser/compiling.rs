//! The messages of the page's compiler about typical mistakes, and its counts and estimates beside others.

use super::editing::{DONE, edit};
use super::editor::{desk, open, open_exercise, replace, repository_file, run, said, write, writer};
use super::page::Page;
use super::solving::is_solved;

/// The changes in the table of counters that differ from the run before.
const CHANGES: &str =
    "[...document.querySelectorAll('.editor .player-counters tbody td:last-child')].map(cell => cell.textContent)";

/// Both sides are by the page's compiler, so that a change is the reader's own.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn an_unedited_kernel_shows_no_change_and_an_edited_one_its_own() {
    let Some((_browser, mut page, site)) = writer() else { return };
    for (chapter, kernel) in [("stage01-naive", "computeForces"), ("stage02-shared", "transposeTile")] {
        page.open(&site.served(&format!("{chapter}.html")));
        page.run("document.querySelectorAll('details').forEach((details) => (details.open = true))");
        open(&mut page, kernel);
        assert_eq!(run(&mut page, ""), DONE, "{kernel}");
        assert!(said(&mut page, ".editor .player-counters thead").contains(&format!("{kernel}, unedited")));
        let changes: Vec<String> = page.evaluate(CHANGES);
        assert!(changes.len() > 5 && changes.iter().all(|change| change == "="), "{kernel}: {changes:?}");
    }
    // The first run of a reader who has edited first.
    edit(&mut page, site);
    replace(&mut page, "fx[i] =", "*(volatile float*)(fx + i) = 0.0f;\n    fx[i] =");
    assert_eq!(run(&mut page, ""), DONE);
    let changes: Vec<String> = page.evaluate(CHANGES);
    let other = changes.iter().filter(|change| *change != "=").count();
    assert!((1..8).contains(&other), "{changes:?}");
    assert_eq!(page.problems(), [""; 0]);
}

/// Writes the solution of 16 with other words in an editor, and checks it. Returns the verdict.
fn check_sum(page: &mut Page, words: &str, others: &str) -> String {
    let desk = desk("16_one_sum");
    let solution = repository_file("exercises/16_one_sum/kernels/solution.cu");
    assert!(solution.contains(words), "no {words} in {solution}");
    write(page, &desk, &solution.replacen(words, others, 1));
    run(page, &desk);
    said(page, &format!("{desk} .editor-verdict"))
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn typical_mistakes_are_told_as_what_they_are() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("exercises-1.html"));
    open_exercise(&mut page, "16_one_sum");
    run(&mut page, &desk("16_one_sum"));
    let race = said(&mut page, &format!("{} .editor-verdict", desk("16_one_sum")));
    assert!(race.contains("read by thread") && !race.contains("const int stride"), "a hoisted load's line: {race}");
    let add = "atomicAdd(total, sum);";
    for (words, others, expected) in [
        ("float sum = 0.0f;", "float sum;", "variable 'sum' is uninitialized when used here"),
        ("float sum = 0.0f;", "float sum[1];", "compiles: "),
        (add, "while (true) *total += 1;", "in an infinite loop"),
        (add, "*total = 0; while (*total < 1e9f) *total = 0;", "the kernel does not end"),
        ("blockIdx.x", "blockidx.x", "did you mean 'blockIdx'?"),
    ] {
        let verdict = check_sum(&mut page, words, others);
        assert!(!is_solved(&mut page, "16_one_sum") && verdict.contains(expected), "{others}: {verdict}");
        assert!(!verdict.contains("coalesced/") && !verdict.contains("generated when compiling"), "{verdict}");
    }
    page.open(&site.served("first-kernels.html"));
    open_exercise(&mut page, "12_guard");
    run(&mut page, &desk("12_guard"));
    let guard = said(&mut page, &format!("{} .editor-verdict", desk("12_guard")));
    assert!(guard.contains("element 1000 of in, which has 1000"), "{guard}");
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn warnings_and_what_grade_would_refuse_are_remarks() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("exercises-1.html"));
    open_exercise(&mut page, "16_one_sum");
    let verdict = check_sum(&mut page, "    // <<<\n", "    int forgotten;\n");
    assert!(is_solved(&mut page, "16_one_sum"), "{verdict}");
    assert!(
        verdict.contains("Solved, but `cargo learn grade` would refuse this file: the skeleton's lines"),
        "{verdict}"
    );
    assert!(verdict.contains("\nthe compiler warns:\n  16_one_sum.cu:"), "{verdict}");
    let status = said(&mut page, &format!("{} .editor-status", desk("16_one_sum")));
    assert!(status.starts_with("✓ Solved. See the remarks below."), "{status}");
    assert!(
        said(&mut page, &format!("{} .editor-message", desk("16_one_sum"))).contains("unused variable 'forgotten'")
    );
    let verdict = check_sum(&mut page, "", "");
    assert!(is_solved(&mut page, "16_one_sum") && !verdict.contains("grade"), "{verdict}");
    // The compiler is kept now.
    page.open(&site.served("first-kernels.html"));
    open_exercise(&mut page, "12_guard");
    assert!(page.evaluate::<bool>("courseEditor.workshop.isKept()"));
    assert_eq!(said(&mut page, &format!("{} .editor-status", desk("12_guard"))), "");
}

/// The solution is compiled by the page's compiler, as the answer is.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn both_sides_of_an_estimate_are_by_one_compiler() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("exercises-5.html"));
    let desk = desk("53_coarsen");
    open_exercise(&mut page, "53_coarsen");
    let solution = repository_file("exercises/53_coarsen/kernels/solution.cu");
    write(&mut page, &desk, &solution.replace("sum", "mine"));
    run(&mut page, &desk);
    let verdict = said(&mut page, &format!("{desk} .editor-verdict"));
    let line = verdict.lines().find(|line| line.contains("on an H200")).unwrap_or_else(|| panic!("{verdict}"));
    let (own, solution) = line.split_once("; the solution: ").unwrap_or_else(|| panic!("{line}"));
    assert!(own.contains(&format!(": {solution},")), "{line}");
}
