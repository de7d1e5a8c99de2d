//! `cargo x learn grade`: what learners hand in, and the tables for teachers.

use crate::learn::{SOLVED, has_compiler, learn, started, write_first};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Makes a folder `mine` with the first exercise solved, and no other file.
fn one_solved() -> TempDir {
    let folder = started();
    let mine = folder.path().join("mine");
    for entry in fs::read_dir(&mine).expect("the folder") {
        let path = entry.expect("an entry").path();
        if !path.ends_with("11_map.cu") {
            fs::remove_file(path).expect("it is removed");
        }
    }
    write_first(&mine, SOLVED);
    folder
}

fn grades(folder: &Path) -> String {
    fs::read_to_string(folder.join("grades.csv")).expect("the table")
}

#[test]
fn kernels_without_progress_are_graded_in_the_language_of_each_file() {
    if !has_compiler() {
        return;
    }
    let folder = one_solved();
    let mine = folder.path().join("mine");
    let (status, said) = learn(folder.path(), "grade mine --csv grades.csv");
    assert!(status == Some(1) && said.contains("mine     1/30    0      0"), "{said}");
    assert!(grades(folder.path()).contains("mine,11_map,cu,yes,,0,no,"), "{}", grades(folder.path()));
    assert!(!mine.join("progress.toml").exists(), "a learner's folder is not changed");
    // The progress names one language, and the file is in the other.
    fs::write(mine.join("progress.toml"), "language = \"rust\"\n").expect("a file");
    let (_, said) = learn(folder.path(), "grade mine");
    assert!(said.contains("mine     1/30"), "{said}");
}

#[test]
fn damaged_or_invented_progress_is_ignored_with_a_line() {
    if !has_compiler() {
        return;
    }
    let folder = one_solved();
    let progress = folder.path().join("mine/progress.toml");
    let of_first = |line: &str| format!("language = \"cuda\"\n[files.\"11_map.cu\"]\n{line}\n");
    let texts = [
        (of_first("hints = -5"), "line 3: invalid value: integer `-5`"),
        (of_first("hints = 9223372036854775807"), "11_map.cu has 9223372036854775807 hints, of 3"),
        ("nonsense".to_owned(), "line 1: "),
        ("language = \"c\"\n".to_owned(), "the language must be cuda or rust"),
    ];
    for (text, reason) in texts {
        fs::write(&progress, &text).expect("a file");
        let (_, said) = learn(folder.path(), "grade mine");
        let lines: Vec<&str> = said.lines().filter(|line| line.contains("mine/progress.toml is ignored: ")).collect();
        assert!(lines.len() == 1 && lines[0].contains(reason), "{text}: {said}");
        assert!(said.contains("mine     1/30    0      0"), "{text}: {said}");
    }
    fs::write(&progress, of_first("hints = 2")).expect("a file");
    let (_, said) = learn(folder.path(), "grade mine");
    assert!(!said.contains("ignored") && said.contains("mine     1/30    2      0"), "{said}");
}

#[test]
fn folders_without_exercises_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let (status, said) = learn(folder.path(), "grade empty nowhere");
    assert!(status == Some(1) && said.contains("nowhere  cannot read nowhere: "), "{said}");
    assert!(said.contains("empty    contains no exercises, such as 11_map.cu or 11_map.rs"), "{said}");
}

#[test]
fn missing_exercises_have_rows_and_all_open_ones_are_named() {
    if !has_compiler() {
        return;
    }
    let folder = one_solved();
    let mine = folder.path().join("mine");
    fs::write(mine.join("12_guard.cu"), "nothing").expect("a file");
    fs::write(mine.join("13_two_dimensions.cu"), "nothing").expect("a file");
    let (_, said) = learn(folder.path(), "grade mine nowhere --csv grades.csv");
    assert!(said.contains("compiles: 12, 13; missing: 14, 15, 16, 17, 21,") && said.contains(" 63, 64\n"), "{said}");
    let table = grades(folder.path());
    assert_eq!(table.lines().count(), 1 + 30 + 30, "{table}");
    for row in ["mine,12_guard,cu,no,compiles,0,no,", "mine,64_third_law,,no,missing,,,"] {
        assert!(table.lines().any(|line| line == row), "{row} in {table}");
    }
    assert!(table.contains("nowhere,64_third_law,,no,cannot read nowhere: "), "{table}");
    let (_, said) = learn(folder.path(), "grade mine --json");
    assert_eq!(said.matches("\"missing\"").count(), 27, "{said}");
}

#[test]
fn no_cell_of_the_table_is_a_formula() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["=cmd|calc,x", "+1", "-1", "@sum", "\ttab", "\rreturn", "plain=1"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let mut command = crate::learn::command(folder.path());
    command.args(["grade", "--csv", "grades.csv", "=cmd|calc,x", "+1", "./-1", "@sum", "\ttab", "\rreturn", "plain=1"]);
    let (_, said) = crate::learn::said_by(command);
    assert!(!said.contains('\t') && !said.contains('\r'), "the terminal gets no control characters: {said:?}");
    let table = grades(folder.path());
    for cell in ["\"'=cmd|calc,x\"", "'+1", "'-1", "'@sum", "'\ttab", "\"'\rreturn\"", "plain=1"] {
        let rows = table.split('\n').filter(|line| line.starts_with(&format!("{cell},"))).count();
        assert_eq!(rows, 30, "{cell:?} in {table}");
    }
}
