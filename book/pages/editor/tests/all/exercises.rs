//! Answers to exercises: what the page prints is what `cargo learn check` prints.

use crate::asked;
use cuda_cpp::Clang;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role, Set};
use judge::{Submission, judge};
use loading::workspace_root;
use serde_json::{Value, json};
use std::io::{Write, stderr};

/// The compute capability that a page compiles for, times 10.
const ARCHITECTURE: i32 = 75;

/// Loads the repository's set.
pub fn set() -> Set {
    Set::load(&workspace_root().join("exercises")).expect("a valid set")
}

/// Returns a skeleton or solution with its prebuilt PTX.
pub fn prebuilt(exercise: &Exercise, role: &Role) -> Submission {
    Submission::prebuilt(exercise, role, Language::Cuda).expect("a kernel with its PTX")
}

/// Returns a question about an answer to an exercise; `rest` has `ptx` or `log`.
pub fn question(ask: &str, exercise: &Exercise, text: &str, rest: (&str, &str)) -> Value {
    let card = std::fs::read_to_string(exercise.folder.join("card.toml")).expect("a card");
    let solution = prebuilt(exercise, &Role::Solution);
    let skeleton = exercise.source(&Role::Skeleton, Language::Cuda).expect("a kernel");
    let mut question = json!({
        "ask": ask,
        "exercise": {
            "name": exercise.name, "card": card, "solution": { "text": solution.text, "ptx": solution.ptx },
            "skeleton": skeleton,
        },
        "language": "cu",
        "text": text,
    });
    question[rest.0] = rest.1.into();
    question
}

/// Requires that the answer has the words of the native judge. Returns them.
fn require_same_words(exercise: &Exercise, text: &str, ptx: &str) -> String {
    let language = Language::Cuda;
    let file = exercise.file_name(Language::Cuda).into();
    let submission = Submission { file, language, text: text.to_owned(), ptx: ptx.to_owned() };
    let verdict = judge(exercise, &prebuilt(exercise, &Role::Solution), &submission).expect("a verdict");
    let words = format!("{}\n{verdict}", exercise.heading());
    let answer = asked(&question("judge", exercise, text, ("ptx", ptx)));
    assert_eq!(answer["text"], words.as_str(), "{answer:#}");
    assert_eq!(answer["verdict"]["solved"], verdict.is_passed());
    // Text, since numbers may lose their last bit when they are read.
    let counts: Value = serde_json::from_str(&json!(verdict.counts).to_string()).expect("JSON");
    assert_eq!(answer["verdict"]["counts"], counts);
    let failure = verdict.failure.as_ref();
    assert_eq!(answer["verdict"]["failure"]["text"], json!(failure.map(|failure| &failure.text)));
    let found = failure.and_then(|failure| failure.found.as_ref());
    assert_eq!(answer["finding"]["title"], json!(found.map(|found| &found.diagnosis.title)));
    words
}

#[test]
fn skeletons_and_solutions_have_the_verdicts_of_the_command_line() {
    for exercise in &set().exercises {
        let [skeleton, solution] = [Role::Skeleton, Role::Solution].map(|role| prebuilt(exercise, &role));
        let words = require_same_words(exercise, &skeleton.text, &skeleton.ptx);
        assert!(words.contains(exercise.card.skeleton.get(Language::Cuda).expect("a failure on the card")), "{words}");
        let words = require_same_words(exercise, &solution.text, &solution.ptx);
        assert!(words.contains("\nsolved: "), "{words}");
    }
}

/// Compiles a kernel as a page does.
fn compiled(clang: &Clang, exercise: &Exercise, text: &str) -> String {
    let name = exercise.file_name(Language::Cuda);
    let ir = clang.ir(&name, text, ARCHITECTURE).unwrap_or_else(|log| panic!("{name}: {log}"));
    let answer = asked(&json!({ "ask": "translate", "ir": ir }));
    answer["ptx"].as_str().unwrap_or_else(|| panic!("{name}: {answer:#}")).to_owned()
}

/// Requires that each line of source that the words name is quoted.
fn require_quotes(exercise: &Exercise, words: &str) {
    let name = format!("    {}:", exercise.file_name(Language::Cuda));
    for line in words.lines().filter_map(|line| line.strip_prefix(&name)) {
        let (number, quote) = line.split_once(": ").expect("the line after its number");
        assert!(number.parse::<u32>().is_ok() && !quote.is_empty(), "{words}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn kernels_compiled_as_in_a_page_have_the_verdicts_of_their_cards() {
    let clang = match Clang::find() {
        Ok(clang) => clang,
        Err(missing) => {
            let test = "exercises::kernels_compiled_as_in_a_page_have_the_verdicts_of_their_cards";
            let _ = writeln!(stderr(), "skipped: {test}: {missing}");
            return;
        }
    };
    let mut different = Vec::new();
    for exercise in &set().exercises {
        let mut judge = |role: &Role, expected: &str| {
            let text = exercise.source(role, Language::Cuda).expect("a kernel");
            let words = require_same_words(exercise, &text, &compiled(&clang, exercise, &text));
            require_quotes(exercise, &words);
            if !words.contains(&format!("\n{expected}")) {
                different.push(format!("{role:?}: expected `{expected}`, got {words}"));
            }
        };
        judge(&Role::Skeleton, exercise.card.skeleton.get(Language::Cuda).expect("a failure on the card"));
        judge(&Role::Solution, "solved: ");
        for role in exercise.wrong_answers(Language::Cuda).expect("wrong answers") {
            let text = exercise.source(&role, Language::Cuda).expect("a kernel");
            let (expected, _) = judge::set::without_expectation(&text).expect("the failure in its first line");
            judge(&role, expected);
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn a_compilers_log_and_a_file_that_is_too_large_are_verdicts() {
    let set = set();
    let exercise = set.find("12").expect("an exercise");
    let log = "12_guard.cu:3:1: error: expected `;`";
    let answer = asked(&question("judge", exercise, "text", ("log", log)));
    assert_eq!(answer["verdict"]["failure"], json!({ "check": "compiles", "text": log, "checks_after": 3 }));
    let heading = exercise.heading();
    assert_eq!(answer["text"], format!("{heading}\ncompiles: {log}\n  3 more checks after this one"));
    let large = " ".repeat(1 + (1 << 20));
    let answer = asked(&question("judge", exercise, &large, ("ptx", "")));
    let text = "the file is too large: it has 1048577 bytes, and a kernel may have at most 1048576";
    assert_eq!(answer["verdict"]["failure"]["text"], text);
}

/// Neither affects the verdict.
#[test]
fn warnings_and_a_refusal_by_grade_are_remarks() {
    let set = set();
    let exercise = set.find("12").expect("an exercise");
    let Submission { text, ptx, .. } = prebuilt(exercise, &Role::Solution);
    let text = text.replace("// <<<", "");
    let mut question = question("judge", exercise, &text, ("ptx", &ptx));
    question["log"] = "12_guard.cu:3:1: warning: unused variable 'x'".into();
    question["exercise"]["solution"]["differs_in_compiler"] = true.into();
    let answer = asked(&question);
    assert_eq!(answer["verdict"]["solved"], true, "{answer:#}");
    let remark = "Solved, but `cargo learn grade` would refuse this file: the skeleton's lines `// >>> your code` and `// <<<` are \
                  missing, or do not pair";
    assert_eq!(answer["verdict"]["remark"], remark);
    let words = answer["text"].as_str().expect("a text");
    assert!(words.contains(&format!("\n  {remark}\n")), "{words}");
    assert!(words.contains("\nthe compiler warns:\n  12_guard.cu:3:1: warning: unused variable 'x'"), "{words}");
}

#[test]
fn a_finding_has_its_threads_and_lines_and_its_launch_is_a_scene() {
    let set = set();
    let exercise = set.find("22").expect("an exercise");
    let Submission { text, ptx, .. } = prebuilt(exercise, &Role::Skeleton);
    let finding = asked(&question("judge", exercise, &text, ("ptx", &ptx)))["finding"].take();
    assert_eq!((&finding["tool"], &finding["memory"]), (&json!("racecheck"), &json!("shared")), "{finding:#}");
    let sides = finding["sides"].as_array().expect("sides");
    assert_eq!(sides.len(), 2, "{finding:#}");
    let lines: Vec<&str> = text.lines().collect();
    for side in sides {
        let line = lines[side["line"].as_u64().expect("a line") as usize - 1];
        assert!(finding["text"].as_str().expect("a text").contains(&format!("by thread ({}, ", side["thread"][0])));
        assert!(line.contains('['), "an access to an array: {line}");
        assert_eq!(side["warp"], side["thread"][0].as_u64().expect("an index") / 32);
    }
    let scenes = asked(&question("scenes", exercise, &text, ("ptx", &ptx)))["scenes"].take();
    let scene = &scenes[finding["scene"].as_u64().expect("a number") as usize]["scene"];
    assert!(scene["grid"][0].as_u64() > sides[0]["block"].as_u64(), "{finding:#}");
}

#[test]
fn a_launch_with_a_fault_is_the_last_scene() {
    let set = set();
    let exercise = set.find("12").expect("an exercise");
    let Submission { text, ptx, .. } = prebuilt(exercise, &Role::Skeleton);
    let finding = asked(&question("judge", exercise, &text, ("ptx", &ptx)))["finding"].take();
    assert_eq!((&finding["tool"], &finding["memory"]), (&json!("memcheck"), &json!("global")), "{finding:#}");
    let scenes = asked(&question("scenes", exercise, &text, ("ptx", &ptx)))["scenes"].take();
    let number = finding["scene"].as_u64().expect("a number") as usize;
    assert!(scenes[number]["scene"]["ptx"].as_str().is_some_and(|scene| scene.contains(".entry")), "{number}");
}
