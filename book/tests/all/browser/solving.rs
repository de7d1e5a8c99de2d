//! Exercises that are solved in the page.

use super::editor::{desk, open_exercise, repository_file, run, said, write, writer};
use super::page::Page;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role, without_expectation};
use loading::workspace_root;

/// The pages with exercises.
const PAGES: [&str; 9] = [
    "first-kernels",
    "exercises-1",
    "exercises-2",
    "exercises-3",
    "exercises-4",
    "exercises-5",
    "exercises-6",
    "exercises-8",
    "exercises-9",
];

/// Returns the names of the exercises on the open page.
fn names(page: &mut Page) -> Vec<String> {
    page.evaluate("[...document.querySelectorAll('.exercise-desk')].map(desk => desk.dataset.exercise)")
}

/// Returns the text in an editor.
fn text(page: &mut Page, desk: &str) -> String {
    page.evaluate(&format!("document.querySelector('{desk} .editor-area').value"))
}

/// Returns whether the last verdict on an exercise is that it is solved.
pub fn is_solved(page: &mut Page, name: &str) -> bool {
    page.evaluate(&format!("document.querySelector('{} .editor-verdict').dataset.solved === 'true'", desk(name)))
}

/// Returns the wrong answers to an exercise, each with the failure that it must have.
fn wrong_answers(name: &str) -> Vec<(String, String)> {
    let folder = workspace_root().join("exercises").join(name);
    let exercise = Exercise::load(&folder).unwrap();
    let roles = exercise.wrong_answers(Language::Cuda).unwrap();
    let parts = |role: &Role| {
        let text = exercise.source(role, Language::Cuda).unwrap();
        let (expected, answer) = without_expectation(&text).unwrap();
        (expected.to_owned(), answer.to_owned())
    };
    roles.iter().map(parts).collect()
}

/// Judges a kernel in the page, and requires that it fails as it must.
fn assert_fails(page: &mut Page, name: &str, text: &str, expected: &str) {
    let desk = desk(name);
    write(page, &desk, text);
    let status = run(page, &desk);
    let verdict = said(page, &format!("{desk} .editor-verdict"));
    assert!(!is_solved(page, name) && verdict.contains(expected), "{name}: {status} {verdict}\nand not {expected}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_skeleton_and_wrong_answer_fails_as_it_must_and_every_solution_passes() {
    let Some((_browser, mut page, site)) = writer() else { return };
    let mut count = 0;
    for chapter in PAGES {
        page.open(&site.served(&format!("{chapter}.html")));
        for name in names(&mut page) {
            let desk = desk(&name);
            open_exercise(&mut page, &name);
            let skeleton = text(&mut page, &desk);
            let status = run(&mut page, &desk);
            assert!(!is_solved(&mut page, &name), "{name}, skeleton: {status}");
            assert!(said(&mut page, &format!("{desk} .editor-verdict")).contains(&name), "{name}: no verdict");
            for (expected, answer) in wrong_answers(&name) {
                assert_fails(&mut page, &name, &answer, &expected);
            }
            write(&mut page, &desk, &repository_file(&format!("exercises/{name}/kernels/solution.cu")));
            let status = run(&mut page, &desk);
            let verdict = said(&mut page, &format!("{desk} .editor-verdict"));
            assert!(
                status.starts_with("✓ Solved") && is_solved(&mut page, &name),
                "{name}, solution: {status} {verdict}"
            );
            page.click(&format!("{desk} [data-editor=reset]"));
            assert_eq!(text(&mut page, &desk), skeleton, "{name} is not as it was");
            count += 1;
        }
        assert_eq!(page.problems(), [""; 0], "{chapter}");
    }
    assert_eq!(count, 40);
    assert_eq!(said(&mut page, ".exercise-count"), "You have solved 40 of 40 exercises.");
}

/// The part of a verdict that a window shows below the bar of its editor.
const VISIBLE: &str = "(() => {
    const desk = document.querySelector('DESK');
    const said = desk.querySelector('.editor-verdict').getBoundingClientRect();
    const bar = desk.querySelector('.editor-bar').getBoundingClientRect();
    const shown = Math.min(said.bottom, innerHeight) - Math.max(said.top, bar.bottom);
    return Math.max(shown, 0) / said.height;
})()";

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_verdict_is_in_view() {
    let Some((_browser, mut page, site)) = writer() else { return };
    for (width, height) in [(1366, 768), (390, 844)] {
        page.resize(width, height);
        for chapter in ["first-kernels", "exercises-3", "exercises-6"] {
            page.open(&site.served(&format!("{chapter}.html")));
            for name in names(&mut page) {
                let desk = desk(&name);
                open_exercise(&mut page, &name);
                page.run(&format!("document.querySelector('{desk} .editor-area').focus()"));
                run(&mut page, &desk);
                let visible: f64 = page.evaluate(&VISIBLE.replace("DESK", &desk));
                assert!(visible > 0.99, "{name} at {width} x {height}: {visible}");
            }
        }
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_finding_of_the_judge_is_stepped_to() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("exercises-2.html"));
    let desk = desk("22_second_barrier");
    open_exercise(&mut page, "22_second_barrier");
    run(&mut page, &desk);
    let verdict = said(&mut page, &format!("{desk} .editor-verdict"));
    for words in ["racecheck: race between warps", "22_second_barrier.cu:", "read by thread", "write by thread"] {
        assert!(verdict.contains(words), "no {words} in {verdict}");
    }
    page.click(&format!("{desk} [data-exercise-step]"));
    page.wait_for(&format!("document.querySelector('{desk} .player-access svg')"));
    let step = said(&mut page, &format!("{desk} .player-said"));
    assert!(step.contains("of warp 2") && step.contains("Shared load"), "{step}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_syntax_error_is_a_verdict_too() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("first-kernels.html"));
    let desk = desk("11_map");
    open_exercise(&mut page, "11_map");
    write(&mut page, &desk, "extern \"C\" __global__ void add( {");
    run(&mut page, &desk);
    let verdict = said(&mut page, &format!("{desk} .editor-verdict"));
    assert!(verdict.contains("compiles: 11_map.cu:") && verdict.contains("error: "), "{verdict}");
    assert!(said(&mut page, &format!("{desk} .editor-numbers")).contains('✗'));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn hints_and_solutions_are_kept() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("first-kernels.html"));
    let desk = desk("12_guard");
    open_exercise(&mut page, "12_guard");
    page.click(&format!("{desk} [data-editor=hint]"));
    assert!(said(&mut page, &format!("{desk} .exercise-hints")).starts_with("Hint 1: "));
    page.click(&format!("{desk} [data-editor=solution]"));
    page.click(&format!("{desk} [data-exercise-reveal]"));
    let solution = said(&mut page, &format!("{desk} details code"));
    assert_eq!(solution, repository_file("exercises/12_guard/kernels/solution.cu"));
    page.open(&site.served("first-kernels.html"));
    open_exercise(&mut page, "12_guard");
    assert!(said(&mut page, &format!("{desk} .exercise-hints")).starts_with("Hint 1: "), "the hint is forgotten");
}
