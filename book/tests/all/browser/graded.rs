//! The edition without solutions: nothing of one is in any of its files.

use super::site::site;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use book::build::{Edition, build_at};
use flate2::read::GzDecoder;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role, Set};
use loading::workspace_root;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Lines with fewer letters are in many kernels.
const MIN_LETTERS: usize = 16;

/// Returns the text of a site's file, unpacked if it is data of pages; empty for fonts and images.
fn text(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let packed = text.split_once("coalesced.carry(").and_then(|(_, rest)| rest.split('"').nth(3));
    let Some(packed) = packed else { return text };
    let mut unpacked = Vec::new();
    GzDecoder::new(&STANDARD.decode(packed).unwrap()[..]).read_to_end(&mut unpacked).unwrap();
    String::from_utf8_lossy(&unpacked).into_owned()
}

/// Returns all texts below a folder, as a reader or a program would read them: without escapes of HTML and JSON.
fn texts(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(self::texts(&path));
        } else {
            let text = text(&path).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
            texts.push(text.replace("&amp;", "&").replace("\\\"", "\"").replace("\\n", "\n"));
        }
    }
    texts
}

/// Returns the lines of code of a file that are long enough to tell where they are from.
fn lines(text: &str) -> BTreeSet<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    code.filter(|line| line.len() >= MIN_LETTERS).map(str::to_owned).collect()
}

/// Returns the lines of a solution that its skeleton, its wrong answers' skeletons and the explained kernels do not have.
fn own_lines(exercise: &Exercise, known: &BTreeSet<String>, language: Language) -> BTreeSet<String> {
    let mut own = lines(&exercise.source(&Role::Solution, language).unwrap());
    own.retain(|line| !known.iter().any(|known| known.contains(line)));
    own
}

/// Returns what texts have of the solutions, last hints and answers of the exercises, and of the answers of the test.
fn remains(texts: &[String]) -> Vec<String> {
    let root = workspace_root();
    let set = Set::load(&root.join("exercises")).unwrap();
    let mut known = BTreeSet::new();
    for exercise in &set.exercises {
        for language in [Language::Cuda, Language::Rust] {
            known.extend(lines(&exercise.source(&Role::Skeleton, language).unwrap()));
        }
    }
    for entry in fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path().join("kernels")) {
        for file in fs::read_dir(entry).into_iter().flatten().map(|file| file.unwrap().path()) {
            known.extend(lines(&fs::read_to_string(file).unwrap_or_default()));
        }
    }
    let mut secrets: Vec<(String, String)> = vec![("the test".into(), "If nobody in the class knows, shorten".into())];
    for exercise in &set.exercises {
        let mut add = |text: &str| secrets.push((exercise.name.clone(), text.trim().to_owned()));
        for language in [Language::Cuda, Language::Rust] {
            own_lines(exercise, &known, language).iter().for_each(|line| add(line));
        }
        exercise.card.hints.last().into_iter().for_each(|hint| add(hint));
        // A count of the emulator is put into an answer.
        exercise.card.questions.iter().for_each(|question| add(question.answer.trim().split('{').next().unwrap()));
    }
    assert!(secrets.len() > 150, "only {} secrets", secrets.len());
    let is_there = |secret: &str| texts.iter().any(|text| text.contains(secret));
    let found = secrets.into_iter().filter(|(_, secret)| !secret.is_empty() && is_there(secret));
    found.map(|(name, secret)| format!("{name}: {secret}")).collect()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn nothing_of_a_solution_remains_in_the_edition_without_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("graded");
    let edition = Edition { omits_solutions: true, ..Edition::default() };
    let folder = build_at(Path::new(env!("CARGO_MANIFEST_DIR")), &folder, "/", edition).unwrap();
    assert_eq!(remains(&texts(&folder)), [""; 0]);
    assert!(!folder.join("slides").exists() && !folder.join("sheets/instructor.html").exists());
    assert!(folder.join("sheets/test.html").is_file());
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_whole_book_has_all_solutions_so_that_a_remainder_would_be_found() {
    let found = remains(&texts(site().folder()));
    let set = Set::load(&workspace_root().join("exercises")).unwrap();
    let unnoticed = set.exercises.iter().filter(|exercise| !found.iter().any(|one| one.starts_with(&exercise.name)));
    assert_eq!(unnoticed.map(|exercise| exercise.name.as_str()).collect::<Vec<_>>(), [""; 0]);
    assert!(found.iter().any(|one| one.starts_with("the test")));
}
