//! Rosters and points of `cargo learn grade`.

use crate::handing_in::{open, solved};
use crate::program::{has_compiler, learn};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Makes folders of learners who solved the first exercise, and of others.
fn class(solvers: &[&str], others: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = [(solvers, solved()), (others, open())];
    for (name, text) in texts.iter().flat_map(|(names, text)| names.iter().map(move |name| (name, text))) {
        fs::create_dir(folder.path().join(name)).expect("a folder");
        fs::write(folder.path().join(name).join("11_map.cu"), text).expect("a file");
    }
    folder
}

/// Grades the folder's folders, with a roster and points. Returns the table of the CSV file and what is said.
fn marks(folder: &Path, roster: &str, options: &str) -> (Vec<String>, String) {
    fs::write(folder.join("names.csv"), roster).expect("a roster");
    let mut command = crate::program::command(folder);
    let entries = fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    command.args("grade --seed 5 --only 11,12 --roster names.csv --csv marks.csv".split(' ')).args(folders);
    command.args(options.split_whitespace());
    let (_, said) = crate::program::said_by(command);
    let table = fs::read_to_string(folder.join("marks.csv")).unwrap_or_default();
    (table.lines().map(str::to_owned).collect(), said)
}

#[test]
fn there_is_a_line_per_learner_of_the_roster() {
    if !has_compiler() {
        return;
    }
    let folder = class(&["doe jane", "m.poe", "STRANGER"], &["doejim_7_81_x"]);
    let roster = "Student;Email Address;ID;Group\nJane Doe;;4;red\n\"Poe, Max\";m.poe@school.edu;5;red\nJim Doe;;7;blue\n\
                  Ann Lee;;6;blue\n";
    let (table, said) = marks(folder.path(), roster, "--points");
    assert_eq!(
        table,
        [
            "learner,id,email,points,of,solved,wasteful,open",
            "Jane Doe,4,,1,2,1,0,missing: 12",
            "\"Poe, Max\",5,m.poe@school.edu,1,2,1,0,missing: 12",
            "Jim Doe,7,,0,2,0,0,results: 11; missing: 12",
            "Ann Lee,6,,0,2,0,0,nothing handed in",
            "STRANGER,,,1,2,1,0,missing: 12",
        ],
        "{said}"
    );
    assert!(said.contains("STRANGER is nobody on the roster\n"), "{said}");
    assert!(said.contains("\nAnn Lee   0       2       0/2     nothing handed in\n"), "{said}");
    // The table of exercises has the same learners.
    let (table, said) = marks(folder.path(), roster, "");
    assert_eq!(table.len(), 1 + 2 * 5, "{said}");
    assert!(table.contains(&"Ann Lee,11_map,,no,nothing handed in,,,,,".to_owned()), "{table:?}");
    let (_, said) = marks(folder.path(), roster, "--points --json");
    assert!(said.contains("\"points\": 1.0") && said.contains("\"id\": \"7\""), "{said}");
}

#[test]
fn points_are_one_each_or_as_the_option_says() {
    if !has_compiler() {
        return;
    }
    let folder = class(&["ann"], &[]);
    let wasteful = fs::read_to_string(loading::workspace_root().join("exercises/12_guard/kernels/skeleton.cu"));
    let wasteful = wasteful.expect("the skeleton");
    let (before, rest) = wasteful.split_once("// >>> your code\n").expect("a region");
    let (_, after) = rest.split_once("// <<<").expect("its end");
    let slow = "if (i == 0) for (int k = 0; k < n; ++k) out[k] = 2.0f * in[k];";
    fs::write(folder.path().join("ann/12_guard.cu"), format!("{before}// >>> your code\n{slow}\n// <<<{after}"))
        .expect("a file");
    for (option, points) in [
        ("--points", "2,2,2,1"),
        ("--points=11=2.5", "3.5,3.5,2,1"),
        ("--points=11_map=0.1,12=0.2", "0.3,0.3,2,1"),
        ("--points=11=2,wasteful=0.5", "2.5,3,2,1"),
        ("--points=wasteful=0", "1,2,2,1"),
    ] {
        let (table, said) = marks(folder.path(), "Ann\n", option);
        assert_eq!(table[1], format!("Ann,,,{points},wasteful: 12"), "{option}: {said}");
    }
    for (option, reason) in [
        ("--points=13=2", "--points: `13=2`: there is no such exercise among the graded ones"),
        ("--points=11", "--points: `11`: write NAME=POINTS, such as 11=2"),
        ("--points=11=-1", "--points: `11=-1`: points are a number from 0 to 1000000"),
        ("--points=11=NaN", "--points: `11=NaN`: points are a number from 0 to 1000000"),
        ("--points=wasteful=2", "--points: `wasteful=2`: a part is from 0 to 1"),
    ] {
        let (status, said) = learn(folder.path(), &format!("grade ann --only 11,12 {option}"));
        assert!(status == Some(2) && said.contains(reason), "{said}");
    }
    // It takes no folder for its value.
    let (_, said) = learn(folder.path(), "grade --only 11 --points ann");
    assert!(said.contains("ann      1       1       1/1"), "{said}");
}

#[test]
fn wrong_lines_of_a_roster_are_named_before_anything_is_judged() {
    let folder = class(&[], &["ann"]);
    let said_of = |roster: &[u8]| {
        fs::write(folder.path().join("names.csv"), roster).expect("a roster");
        let (status, said) = learn(folder.path(), "grade ann --only 11 --roster names.csv");
        assert_eq!(status, Some(2), "{said}");
        said
    };
    let wrong = said_of(b"name,id\nAnn,1\n,2\n\xff,3\nTom,4\nAnn,1\n");
    assert!(wrong.contains("--roster names.csv: line 3: it has no name; line 4: it is not UTF-8; "), "{wrong}");
    assert!(wrong.contains("line 6: Ann is in line 2 already\n"), "{wrong}");
    assert!(said_of(b"email,id\na@b,1\n").contains("line 1: no column is called name\n"));
    assert!(said_of(b"\xef\xbb\xbfname\n").contains("names.csv: it has no learners\n"));
    let (status, said) = learn(folder.path(), "grade ann --roster nowhere.csv");
    assert!(status == Some(2) && said.contains("cannot read nowhere.csv"), "{said}");
}

#[test]
fn who_may_be_two_and_who_handed_in_twice_is_said() {
    let folder = class(&[], &["jane doe", "doe", "tom", "tom poe"]);
    let roster = "Jane Doe,1,,doe\nJohn Doe,2,,doe\nTom Poe,,,tom;tommy\n";
    let (table, said) = marks(folder.path(), roster, "--points");
    assert!(said.contains("doe may be Jane Doe and John Doe on the roster: aliases tell them apart\n"), "{said}");
    assert!(said.contains("tom poe: Tom Poe of the roster has another submission; both have rows\n"), "{said}");
    let names: Vec<&str> = table.iter().filter_map(|row| row.split(',').next()).collect();
    assert_eq!(names, ["learner", "Jane Doe", "John Doe", "Tom Poe", "doe", "Tom Poe (tom poe)"], "{said}");
}
