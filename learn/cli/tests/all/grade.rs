//! `cargo learn grade`: what learners hand in, and the tables for teachers.

use crate::program::{SOLVED, count, has_compiler, last_name, learn, solved_cell, started, write_first};
use loading::workspace_root;
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
    assert!(status == Some(1) && said.contains(&format!("mine     {}  0      0", solved_cell(1))), "{said}");
    assert!(grades(folder.path()).contains("mine,11_map,cu,yes,,0,no,,1.00,1.00"), "{}", grades(folder.path()));
    assert!(!mine.join("progress.toml").exists(), "a learner's folder is not changed");
    // The progress names one language, and the file is in the other.
    fs::write(mine.join("progress.toml"), "language = \"rust\"\n").expect("a file");
    let (_, said) = learn(folder.path(), "grade mine");
    assert!(said.contains(&format!("mine     {}", solved_cell(1))), "{said}");
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
        assert!(said.contains(&format!("mine     {}  0      0", solved_cell(1))), "{text}: {said}");
    }
    fs::write(&progress, of_first("hints = 2")).expect("a file");
    let (_, said) = learn(folder.path(), "grade mine");
    assert!(!said.contains("ignored") && said.contains(&format!("mine     {}  2      0", solved_cell(1))), "{said}");
}

#[test]
fn folders_without_exercises_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let (status, said) = learn(folder.path(), "grade empty nowhere");
    assert!(status == Some(1) && said.contains("nowhere  cannot read nowhere: "), "{said}");
    assert!(said.contains("empty    contains no exercises, such as 11_map.cu or 11_map.rs\n"), "{said}");
    fs::write(folder.path().join("empty/11_map-mine.cu"), "").expect("a file");
    assert!(learn(folder.path(), "grade empty").1.contains(" or 11_map.rs, but 11_map-mine.cu\n"));
}

#[test]
fn the_option_of_a_learners_own_folder_is_neither_listed_nor_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in ["grade", "test"] {
        let (status, said) = learn(folder.path(), &format!("{command} --help"));
        assert!(status == Some(0) && !said.contains("--folder"), "{said}");
    }
    assert!(learn(folder.path(), "check --help").1.contains("--folder"));
    let grade = learn(folder.path(), "grade --folder mine theirs");
    assert!(grade.0 == Some(2) && grade.1.contains("cargo learn grade mine"), "{}", grade.1);
    let test = learn(folder.path(), "--folder mine test");
    assert!(test.0 == Some(2) && test.1.contains("--set"), "{}", test.1);
}

#[test]
fn missing_exercises_have_rows_and_all_open_ones_are_named() {
    if !has_compiler() {
        return;
    }
    let folder = one_solved();
    let mine = folder.path().join("mine");
    for name in ["12_guard", "13_two_dimensions"] {
        let skeleton = workspace_root().join(format!("exercises/{name}/kernels/skeleton.cu"));
        let text = fs::read_to_string(skeleton).expect("the skeleton");
        fs::write(mine.join(format!("{name}.cu")), text.replace("// <<<", "nothing\n// <<<")).expect("a file");
    }
    let (_, said) = learn(folder.path(), "grade mine nowhere --csv grades.csv");
    assert!(
        said.contains("compiles: 12, 13; missing: 14,") && said.contains(&format!(", {}\n", &last_name()[..2])),
        "{said}"
    );
    let table = grades(folder.path());
    assert_eq!(table.lines().count(), 1 + 2 * count(), "{table}");
    let last = last_name();
    for row in ["mine,12_guard,cu,no,compiles,0,no,,,", &format!("mine,{last},,no,missing,,,,,")] {
        assert!(table.lines().any(|line| line == row), "{row} in {table}");
    }
    assert!(table.contains(&format!("nowhere,{last},,no,cannot read nowhere: ")), "{table}");
    let (_, said) = learn(folder.path(), "grade mine --json");
    assert_eq!(said.matches("\"missing\"").count(), count() - 3, "{said}");
}

#[test]
fn exercises_in_folders_below_are_found_and_other_kernels_are_named() {
    if !has_compiler() {
        return;
    }
    let folder = one_solved();
    let mine = folder.path().join("mine");
    let nested = mine.join("mine/session 1/my-exercises");
    fs::create_dir_all(&nested).expect("a folder");
    for name in ["11_map.cu", "progress.toml"] {
        let _ = fs::rename(mine.join(name), nested.join(name));
    }
    fs::write(nested.join("progress.toml"), "language = \"cuda\"\n[files.\"11_map.cu\"]\nhints = 1\n").expect("a file");
    for name in ["11-map.cu", "a.rs", "12_guard.cu"] {
        fs::write(mine.join(name), "").expect("a file");
    }
    fs::create_dir_all(nested.join("old")).expect("a folder");
    fs::write(nested.join("old/11_map.cu"), "an older one").expect("a file");
    fs::write(folder.path().join("grades.csv"), "").expect("a file");
    let (status, said) = learn(folder.path(), "grade mine grades.csv --only 11 --csv grades.csv");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("mine     1/1     1      0"), "{said}");
    assert!(
        said.contains("my-exercises/old/11_map.cu is ignored: mine/mine/session 1/my-exercises/11_map.cu"),
        "{said}"
    );
    assert!(said.contains("mine: 11-map.cu, a.rs are ignored: they have the name of no exercise\n"), "{said}");
    assert!(said.contains("grades.csv is ignored: it is neither a folder nor a zip archive\n"), "{said}");
    assert_eq!(grades(folder.path()).lines().count(), 2, "{}", grades(folder.path()));
    // Two hand-ins in one folder are not mixed.
    fs::create_dir_all(mine.join("mine/session 2/my-exercises")).expect("a folder");
    fs::copy(nested.join("11_map.cu"), mine.join("mine/session 2/my-exercises/11_map.cu")).expect("a copy");
    let (status, said) = learn(folder.path(), "grade mine --only 11");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("my-exercises/11_map.cu: if it has the folders of several learners, name mine/*"), "{said}");
    let (status, said) = learn(folder.path(), "grade mine --only 11,99");
    assert!(status == Some(2) && said.contains("there is no exercise `99`"), "{said}");
}

#[test]
fn no_cell_of_the_table_is_a_formula() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["=cmd|calc,x", "+1", "-1", "@sum", "\ttab", "\rreturn", "plain=1"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let mut command = crate::program::command(folder.path());
    command.args(["grade", "--csv", "grades.csv", "=cmd|calc,x", "+1", "./-1", "@sum", "\ttab", "\rreturn", "plain=1"]);
    let (_, said) = crate::program::said_by(command);
    assert!(!said.contains('\t') && !said.contains('\r'), "the terminal gets no control characters: {said:?}");
    let table = grades(folder.path());
    for cell in ["\"'=cmd|calc,x\"", "'+1", "'-1", "'@sum", "'\ttab", "\"'\rreturn\"", "plain=1"] {
        let rows = table.split('\n').filter(|line| line.starts_with(&format!("{cell},"))).count();
        assert_eq!(rows, count(), "{cell:?} in {table}");
    }
}

/// Grades a folder after writing a file, and returns what is said.
fn said_of(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join("mine").join(name), text).expect("a file");
    let (status, said) = learn(folder, "grade mine");
    assert_eq!(status, Some(1), "{said}");
    said
}

/// Requires that the file is refused, with a line that has this reason.
fn refused(folder: &Path, name: &str, text: &str, reason: &str) {
    let said = said_of(folder, name, text);
    assert!(said.contains(&format!("mine     {}  0      0         refused: 11;", solved_cell(0))), "{text}: {said}");
    let line = said.lines().find(|line| line.starts_with(&format!("mine/{name} is refused: ")));
    assert!(line.is_some_and(|line| line.contains(reason)), "{text}: {said}");
}

#[test]
fn files_in_cuda_that_read_others_are_refused() {
    let folder = one_solved();
    let solution = workspace_root().join("exercises/11_map/kernels/solution.cu");
    let path = solution.canonicalize().expect("the solution").display().to_string();
    let solved = fs::read_to_string(folder.path().join("mine/11_map.cu")).expect("a file");
    refused(folder.path(), "11_map.cu", &format!("#include \"{path}\"\n"), "reads another file");
    for line in [
        format!("#include \"{path}\""),
        format!("#include <{path}>  // mine"),
        format!("  #  include \"{path}\""),
        format!("%:include \"{path}\""),
        format!("??=include \"{path}\""),
        format!("#inc\\\nlude \"{path}\""),
        format!("#inc\\  \nlude \"{path}\""),
        format!("#inc??/\nlude \"{path}\""),
        format!("#/*\n*/include \"{path}\""),
        format!("#/*\n*/ /* */ include /* */ \"{path}\""),
        format!("// a comment\r#include \"{path}\""),
        format!("#define FILE \"{path}\"\n#include FILE"),
        format!("#include_next \"{path}\""),
        format!("#embed \"{path}\""),
    ] {
        let text = solved.replace(SOLVED, &format!("{SOLVED}\n{line}\n"));
        refused(folder.path(), "11_map.cu", &text, "reads another file");
    }
    if has_compiler() {
        let comments = "// includes #1, import #2\n#define include_all 1  // include all";
        let text = solved.replace(SOLVED, &format!("{SOLVED}\n{comments}\n"));
        assert!(
            said_of(folder.path(), "11_map.cu", &text).contains(&format!("mine     {}", solved_cell(1))),
            "what only speaks of it passes"
        );
    }
}

#[test]
fn files_in_rust_that_read_others_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("mine")).expect("a folder");
    let skeleton = workspace_root().join("exercises/11_map/kernels/skeleton.rs");
    let skeleton = fs::read_to_string(skeleton).expect("the skeleton");
    let (before, after) = skeleton.split_once("// <<<").expect("a region");
    for line in [
        "core::include!(\"x.inc\");",
        "use core::include as read; read!(\"x.inc\");",
        "let text = include_str ! (\"x.inc\"); // mine",
        "let bytes = core::include_bytes!(\"x.inc\");",
        "let text = \"//\"; include!(\"x.inc\");",
        "/*\n// */ include!(r#\"x.inc\"#);",
        "#[path = \"x.inc\"] mod x;",
        "mod\nx;",
    ] {
        let text = format!("{before}{line}\n// <<<{after}");
        refused(folder.path(), "11_map.rs", &text, "reads another file");
    }
}

#[cfg(unix)]
#[test]
fn links_are_refused() {
    let folder = one_solved();
    let mine = folder.path().join("mine");
    let solution = workspace_root().join("exercises/12_guard/kernels/solution.cu");
    for (name, target) in [
        ("12_guard.cu", solution.as_path()),
        ("13_two_dimensions.cu", Path::new("/dev/zero")),
        ("14_whose_index.cu", Path::new("/no/such/file")),
        ("progress.toml", Path::new("/dev/zero")),
    ] {
        std::os::unix::fs::symlink(target, mine.join(name)).expect("a link");
    }
    fs::remove_file(mine.join("11_map.cu")).expect("it is removed");
    fs::write(mine.join("12_guard.rs"), "include!(\"x\");").expect("a file");
    let (_, said) = learn(folder.path(), "grade mine");
    assert!(
        said.contains(&format!("mine     {}  0      0         missing: 11, 15,", solved_cell(0)))
            && said.contains(&format!("{}; refused: 12, 13, 14\n", &last_name()[..2])),
        "{said}"
    );
    for name in ["12_guard.cu", "13_two_dimensions.cu", "14_whose_index.cu"] {
        assert!(said.contains(&format!("mine/{name} is refused: it is a symbolic link\n")), "{said}");
    }
    assert!(said.contains("mine/progress.toml is ignored: it is a symbolic link\n"), "{said}");
    assert!(said.contains("mine/12_guard.rs is refused: line 1, "), "in the other language, too: {said}");
}

#[test]
fn outside_of_the_markers_a_file_must_be_the_skeleton() {
    let folder = one_solved();
    let text = fs::read_to_string(folder.path().join("mine/11_map.cu")).expect("a file");
    let (before, code) = text.split_at(text.find("extern").expect("the kernel"));
    let line = 1 + before.matches('\n').count();
    let changed = text.replace("extern \"C\"", "extern  \"C\" __launch_bounds__(32)");
    refused(folder.path(), "11_map.cu", &changed, &format!("line {line} is `extern  \"C\" __launch_bounds__(32)"));
    let without: Vec<&str> = text.lines().filter(|line| !line.trim().starts_with("// ")).collect();
    refused(folder.path(), "11_map.cu", &without.join("\n"), "`// >>> your code` and `// <<<` are missing");
    let more = format!("{text}\n__device__ int more;\n");
    refused(folder.path(), "11_map.cu", &more, "`__device__ int more;`, is not in the skeleton");
    let second = format!("{text}\n// >>> your code\n// <<<\n");
    refused(folder.path(), "11_map.cu", &second, "`// >>> your code`, is not in the skeleton");
    refused(folder.path(), "11_map.cu", text.trim_end().trim_end_matches('}'), "the skeleton's line `}` is missing");
    let hidden = text.replace("// <<<", "/*\n// <<<\n// */ sum[i] = 1;");
    refused(folder.path(), "11_map.cu", &hidden, "`// */ sum[i] = 1;`");
    let joined = format!("{before}// a comment \\\n{code}");
    refused(folder.path(), "11_map.cu", &joined, &format!("line {line} is `// a comment \\`"));
    if has_compiler() {
        for text in [code.to_owned(), format!("// mine \"*/\n\n{code}// and mine\n"), text.replace('\n', "\r\n")] {
            let said = said_of(folder.path(), "11_map.cu", &text);
            assert!(
                said.contains(&format!("mine     {}", solved_cell(1))),
                "comments and white space may differ: {text}: {said}"
            );
        }
    }
}
