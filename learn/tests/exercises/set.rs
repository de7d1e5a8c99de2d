//! The set in the repository: each skeleton, solution and wrong answer, in both languages, from its prebuilt PTX.

use kernel_file::Language;
use learn::{Check, Exercise, Role, Set, Submission, Verdict, judge, outside, without_expectation};
use std::path::Path;

/// The share of a limit that a solution may take: another correct answer should pass, too.
const ROOM: f64 = 0.9;

pub fn set() -> Set {
    Set::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises")).expect("the set is right")
}

/// A kernel of the set with its prebuilt PTX.
pub fn submission(exercise: &Exercise, role: &Role, language: Language) -> Submission {
    let (file, text) = (exercise.source_file(role, language), exercise.source(role, language).expect("a kernel"));
    let ptx = exercise.prebuilt(role, language, &text);
    let ptx = ptx.unwrap_or_else(|| panic!("{}: no PTX, or not of this text; `cargo x ptx` makes it", file.display()));
    Submission { file, language, text, ptx }
}

/// The verdict on a kernel of the set.
fn verdict(exercise: &Exercise, role: &Role, language: Language) -> Verdict {
    judge(exercise, &submission(exercise, role, language)).expect("a verdict")
}

/// Requires the failure that is expected, as `CHECK: words`.
fn requires(exercise: &Exercise, role: &Role, language: Language, expected: &str) {
    let failure = verdict(exercise, role, language).failure.map(|failure| failure.to_string()).unwrap_or_default();
    assert!(
        failure.starts_with(expected),
        "{} {role:?} {language:?}: expected `{expected}`, got `{failure}`",
        exercise.name
    );
}

#[test]
fn every_skeleton_fails_as_its_card_says() {
    for exercise in &set().exercises {
        for language in Language::ALL {
            requires(exercise, &Role::Skeleton, language, exercise.card.skeleton.of(language));
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
        }
    }
}

#[test]
fn every_wrong_answer_fails_as_its_first_line_says() {
    for exercise in &set().exercises {
        for language in Language::ALL {
            let wrong = exercise.wrong_answers(language).expect("a folder");
            assert!(!wrong.is_empty(), "{} has no wrong answer in {language:?}", exercise.name);
            for role in wrong {
                let text = exercise.source(&role, language).expect("a kernel");
                let (expected, _) = without_expectation(&text)
                    .unwrap_or_else(|| panic!("{} {role:?}: no `// must say`", exercise.name));
                requires(exercise, &role, language, expected);
            }
        }
    }
}

/// A slow skeleton must be right, or the learner looks for the wrong thing; and each limit must be broken by someone.
#[test]
fn every_limit_is_broken_by_a_skeleton_or_a_wrong_answer() {
    for exercise in &set().exercises {
        for language in Language::ALL {
            let roles = exercise.wrong_answers(language).expect("a folder").into_iter().chain([Role::Skeleton]);
            let verdicts: Vec<Verdict> = roles.map(|role| verdict(exercise, &role, language)).collect();
            for (index, limit) in exercise.card.limits.iter().enumerate() {
                let breaks = |verdict: &Verdict| verdict.counts.get(index).is_some_and(|count| !count.is_met());
                assert!(verdicts.iter().any(breaks), "{} {language:?}: nobody breaks {}", exercise.name, limit.count);
            }
        }
    }
}

#[test]
fn kernels_differ_from_the_skeleton_in_the_marked_part_alone() {
    for exercise in &set().exercises {
        for language in Language::ALL {
            let skeleton = exercise.source(&Role::Skeleton, language).expect("a kernel");
            let frame = outside(&skeleton).unwrap_or_else(|| panic!("{} {language:?}: no marked part", exercise.name));
            let wrong = exercise.wrong_answers(language).expect("a folder");
            for role in wrong.into_iter().chain([Role::Solution]) {
                let text = exercise.source(&role, language).expect("a kernel");
                let text = without_expectation(&text).map_or(text.as_str(), |(_, text)| text);
                assert_eq!(outside(text).as_ref(), Some(&frame), "{} {role:?} {language:?}", exercise.name);
            }
        }
    }
}

#[test]
fn both_languages_have_the_same_wrong_answers() {
    for exercise in &set().exercises {
        let [cuda, rust] = Language::ALL.map(|language| exercise.wrong_answers(language).expect("a folder"));
        assert_eq!(cuda, rust, "{}", exercise.name);
    }
}

#[test]
fn sizes_are_no_multiples_of_the_block_where_that_is_not_the_first_lesson() {
    for exercise in set().exercises.iter().skip(1) {
        let is_ragged = |case: &learn::Case| {
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

/// A kernel that is judged by itself alone would pass: the comparison must be able to fail.
#[test]
fn solution_of_another_exercise_does_not_pass() {
    let set = set();
    let [first, second] = [&set.exercises[0], &set.exercises[1]];
    let language = Language::Cuda;
    let text = second.source(&Role::Solution, language).expect("a kernel");
    let ptx = second.prebuilt(&Role::Solution, language, &text).expect("PTX");
    let file = second.source_file(&Role::Solution, language);
    let verdict = judge(first, &Submission { file, language, text, ptx }).expect("a verdict");
    let failure = verdict.failure.expect("it fails");
    assert_eq!(failure.check, Check::Runs);
    assert!(failure.text.starts_with("there is no kernel `add`"), "{failure}");
}
