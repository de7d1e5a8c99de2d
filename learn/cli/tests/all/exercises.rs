//! The repository's exercises, in both languages. Skeletons and solutions are judged from their prebuilt PTX; wrong answers
//! have none, and are compiled by a slow test.

use cuda_cpp::Choice;
use judge::kernel_file::Language;
use judge::set::{Case, Exercise, Role, Set};
use judge::{Check, Failure, Submission, Verdict};
use learn::compiler::{compile, ready};
use learn::judging::judge;
use learn::refusal::refusal;
use learn::requirements::problems;
use loading::workspace_root;
use std::io::{Write, stderr};

/// The part of a limit that a solution may use, so that other correct answers pass too.
const ROOM: f64 = 0.9;

/// Loads the repository's set.
pub fn set() -> Set {
    Set::load(&workspace_root().join("exercises")).expect("a valid set")
}

/// Returns a skeleton or solution with its prebuilt PTX.
pub fn submission(exercise: &Exercise, role: &Role, language: Language) -> Submission {
    let file = exercise.source_file(role, language);
    let text = exercise.source(role, language).expect("a kernel");
    let ptx = exercise.prebuilt(role, language, &text);
    let ptx = ptx.unwrap_or_else(|| panic!("{}: its PTX is missing or out of date; run `cargo x ptx`", file.display()));
    Submission { file, language, text, ptx }
}

/// Returns the verdict on a skeleton or solution.
fn verdict(exercise: &Exercise, role: &Role, language: Language) -> Verdict {
    judge(exercise, &submission(exercise, role, language)).expect("a verdict")
}

/// Compiles and judges a kernel. `compiler` is the one for CUDA C++.
fn verdict_of_text(exercise: &Exercise, role: &Role, language: Language, compiler: Choice) -> Verdict {
    let file = exercise.source_file(role, language);
    let text = exercise.source(role, language).expect("a kernel");
    match compile(&file, language, Some(compiler), &text).expect("a compiler") {
        Ok(compiled) => judge(exercise, &Submission { file, language, text, ptx: compiled.ptx }).expect("a verdict"),
        Err(log) => panic!("{} does not compile: {log}", file.display()),
    }
}

/// Requires a failure that begins with `expected`.
fn require(exercise: &Exercise, role: &Role, language: Language, verdict: &Verdict, expected: &str) {
    let failure = verdict.failure.as_ref().map(Failure::to_string).unwrap_or_default();
    let name = &exercise.name;
    assert!(failure.starts_with(expected), "{name} {role:?} {language:?}: expected `{expected}`, got `{failure}`");
}

#[test]
fn every_skeleton_fails_as_its_card_says() {
    for exercise in &set().exercises {
        for language in Language::ALL {
            let verdict = verdict(exercise, &Role::Skeleton, language);
            let expected = exercise.card.skeleton.get(language).filter(|expected| expected.contains(": "));
            let expected = expected.unwrap_or_else(|| panic!("{}: the card expects no failure", exercise.name));
            require(exercise, &Role::Skeleton, language, &verdict, expected);
        }
    }
}

#[test]
fn every_solution_passes_with_room() {
    for exercise in &set().exercises {
        for language in Language::ALL {
            let verdict = verdict(exercise, &Role::Solution, language);
            assert_eq!(verdict.failure, None, "{} {language:?}", exercise.name);
            for count in &verdict.counts {
                let most = count.most.is_none_or(|most| count.value <= ROOM * most);
                let least = count.least.is_none_or(|least| ROOM * count.value >= least);
                assert!(most && least, "{} {language:?}: no room in {count}", exercise.name);
            }
            if let Some(estimate) = &verdict.estimate {
                assert!(estimate.learners.is_ok(), "{} {language:?}: {estimate}", exercise.name);
            }
        }
    }
}

/// If a solution failed at sizes that `grade` chooses, so would honest work.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_solution_passes_with_other_sizes_and_inputs() {
    for exercise in set().exercises {
        let usual = exercise.card.cases.len();
        let exercise = exercise.varied(7).expect("other cases");
        let (shown, varied) = exercise.card.cases.split_at(usual);
        assert_eq!(varied.len(), 2 * usual, "{}", exercise.name);
        for case in varied {
            assert!(shown.iter().all(|shown| shown.name != case.name), "{}: {}", exercise.name, case.name);
        }
        for language in Language::ALL {
            assert_eq!(verdict(&exercise, &Role::Solution, language).failure, None, "{} {language:?}", exercise.name);
        }
    }
}

/// Requires what `learn test` requires of a set, of kernels by this compiler for CUDA C++. Prebuilt PTX is used if there is any:
/// NVRTC's and rustc's.
fn require_all(test: &str, language: Language, compiler: Choice) {
    if let Err(missing) = ready(language, Some(compiler)) {
        let _ = writeln!(stderr(), "skipped: {test}: {missing}");
        return;
    }
    let mut found = Vec::new();
    for exercise in &set().exercises {
        let judge = |role: &Role| match role {
            Role::Skeleton | Role::Solution if compiler == Choice::Nvrtc => Ok(verdict(exercise, role, language)),
            _ => Ok(verdict_of_text(exercise, role, language, compiler)),
        };
        found.extend(problems(exercise, language, judge).expect("kernels"));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_wrong_answer_in_cuda_fails_as_expected() {
    require_all("exercises::every_wrong_answer_in_cuda_fails_as_expected", Language::Cuda, Choice::Nvrtc);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_wrong_answer_in_rust_fails_as_expected() {
    require_all("exercises::every_wrong_answer_in_rust_fails_as_expected", Language::Rust, Choice::Nvrtc);
}

/// A learner with clang gets the verdicts on the cards, which were written with NVRTC: the same checks fail, in the same
/// words, and limits are neither too tight for the solution nor too loose for every other answer.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_verdict_by_clang_is_as_the_card_says() {
    require_all("exercises::every_verdict_by_clang_is_as_the_card_says", Language::Cuda, Choice::Clang);
}

#[test]
fn every_exercise_has_wrong_answers_the_same_in_both_languages() {
    for exercise in &set().exercises {
        let [cuda, rust] = Language::ALL.map(|language| exercise.wrong_answers(language).expect("a folder"));
        assert!(!cuda.is_empty() && cuda == rust, "{}: {cuda:?}, {rust:?}", exercise.name);
    }
}

/// All exercises but the first, whose lesson is the index itself, have a size that is not a multiple of the block.
#[test]
fn sizes_are_not_multiples_of_the_block() {
    for exercise in set().exercises.iter().skip(1) {
        let is_ragged = |case: &Case| {
            case.launches.iter().any(|launch| {
                let threads = launch.block.iter().product::<u32>();
                launch
                    .arguments
                    .iter()
                    .filter_map(|text| text.split_once("32=")?.1.parse::<u32>().ok())
                    .any(|n| n % threads != 0)
            })
        };
        assert!(exercise.card.cases.iter().any(is_ragged), "{}", exercise.name);
    }
}

/// If a kernel were compared only with itself, the solution of another exercise would pass.
#[test]
fn the_solution_of_another_exercise_fails() {
    let set = set();
    let verdict = judge(&set.exercises[0], &submission(&set.exercises[1], &Role::Solution, Language::Cuda));
    let failure = verdict.expect("a verdict").failure.expect("a failure");
    assert_eq!(failure.check, Check::Runs);
    assert!(failure.text.starts_with("there is no kernel `add`"), "{failure}");
}

/// If `grade` refused a skeleton or a solution, it would refuse honest work.
#[test]
fn no_skeleton_and_no_solution_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for exercise in &set().exercises {
        for language in Language::ALL {
            let initial = exercise.initial_text(language).expect("a text");
            let [skeleton, solution] =
                [Role::Skeleton, Role::Solution].map(|role| exercise.source(&role, language).expect("a kernel"));
            for text in [&initial, &initial.replace(&skeleton, &solution)] {
                let file = folder.path().join(exercise.file_name(language));
                std::fs::write(&file, text).expect("a file");
                assert_eq!(refusal(exercise, language, &file).expect("no error"), None, "{}", file.display());
            }
        }
    }
}

/// Text that a kernel prints is shown with the verdict, which it does not affect.
#[test]
fn printed_text_is_part_of_the_verdict() {
    if let Err(missing) = ready(Language::Cuda, Some(Choice::Nvrtc)) {
        let _ = writeln!(stderr(), "skipped: exercises::printed_text_is_part_of_the_verdict: {missing}");
        return;
    }
    let exercise = set().exercises.into_iter().next().expect("an exercise");
    let judged = |role: &Role, threads: u32| {
        let file = exercise.source_file(role, Language::Cuda);
        let text = exercise.source(role, Language::Cuda).unwrap();
        let print = format!(") {{\n    if (threadIdx.x < {threads}) printf(\"i = %d\\n\", threadIdx.x);");
        let text = text.replacen(") {", &print, 1);
        let compiled = compile(&file, Language::Cuda, Some(Choice::Nvrtc), &text).expect("a compiler");
        let ptx = compiled.expect("it compiles").ptx;
        let submission = Submission { file, language: Language::Cuda, text, ptx };
        judge(&exercise, &submission).expect("a verdict").to_string()
    };
    let solved = judged(&Role::Solution, 1);
    assert_eq!(
        solved,
        format!("solved: it compiles, runs, is clean, and its results are correct\nprinted:{}", "\n  i = 0".repeat(8))
    );
    let failed = judged(&Role::Skeleton, 1000);
    assert!(failed.starts_with("results: ") && failed.contains("\nprinted:\n  i = 0\n  i = 1\n"), "{failed}");
    assert!(failed.ends_with("\n  i = 31\n  and 992 more lines"), "{failed}");
}

/// The first finding is the cause, and the others are headlines with the lines that they concern.
#[test]
fn findings_after_the_first_have_a_line_each() {
    if let Err(missing) = ready(Language::Cuda, Some(Choice::Nvrtc)) {
        let _ = writeln!(stderr(), "skipped: exercises::findings_after_the_first_have_a_line_each: {missing}");
        return;
    }
    let set = set();
    let exercise =
        set.exercises.iter().find(|exercise| exercise.name == "23_return_before_barrier").expect("an exercise");
    let wrong = exercise.wrong_answers(Language::Cuda).expect("a folder").into_iter();
    let is_it = |role: &Role| format!("{role:?}").contains("barrier_in_a_branch");
    let role = wrong.clone().find(is_it).expect("a wrong answer");
    let text = verdict_of_text(exercise, &role, Language::Cuda, Choice::Nvrtc).failure.expect("a failure").text;
    assert!(text.starts_with("synccheck: barrier with divergent threads in a warp"), "{text}");
    assert!(text.contains("\n  also: race between warps in kernel `light`: shared memory at byte "), "{text}");
    assert!(text.lines().filter(|line| line.starts_with("  also: ")).all(|line| line.contains(", line")), "{text}");
}
