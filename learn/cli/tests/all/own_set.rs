//! A set of a teacher's own: `cargo learn test`, and the other commands with it.

use crate::program::{has_compiler, learn};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Returns a kernel that doubles or does what else is in the marked line.
fn kernel(line: &str) -> String {
    format!(
        "extern \"C\" __global__ void twice(const int* in, int* out, int n) {{\n    const int i = blockIdx.x * blockDim.x + \
         threadIdx.x;\n    // >>> your code\n    {line}\n    // <<<\n}}\n"
    )
}

const SOLUTION: &str = "if (i < n) out[i] = 2 * in[i];";

/// Makes a folder with the set `own`, whose only exercise is in CUDA C++.
fn own_set() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = folder.path().join("own/01_twice/kernels");
    fs::create_dir_all(&kernels).expect("folders");
    let card = "title = \"Twice\"\nstage = \"none\"\nkind = \"wrong\"\nkernel = \"twice\"\ntask = \"Double all.\"\n\
                hints = [\"A guard.\"]\nskeleton = { cuda = \"runs: memcheck\" }\n[[case]]\nname = \"{n} integers\"\n\
                sizes = { n = { usual = 100, least = 65, most = 127 } }\n\
                buffers = { in = \"i32[{n}]=random\", out = \"i32[{n}]\" }\n\
                launch = [{ grid = [2], block = [64], arguments = [\"in\", \"out\", \"i32={n}\"] }]\nresults = { out = 0.0 }\n";
    fs::write(folder.path().join("own/01_twice/card.toml"), card).expect("a card");
    let wrong = format!("// must fail with results: 1 of the 100\n{}", kernel("if (i < n - 1) out[i] = 2 * in[i];"));
    let files = [
        ("skeleton.cu", kernel("out[i] = 2 * in[i];")),
        ("solution.cu", kernel(SOLUTION)),
        ("wrong_one_too_few.cu", wrong),
    ];
    for (name, text) in files {
        fs::write(kernels.join(name), text).expect("a kernel");
    }
    folder
}

/// Replaces a text in a file of the set.
fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let file = folder.join("own/01_twice").join(file);
    let text = fs::read_to_string(&file).expect("a file");
    assert!(text.contains(from), "{text}");
    fs::write(file, text.replace(from, to)).expect("it is written");
}

#[test]
fn a_set_in_one_language_passes_its_test() {
    if has_compiler() {
        let folder = own_set();
        let (status, said) = learn(folder.path(), "test --set own");
        assert_eq!(
            (status, said.as_str()),
            (Some(0), "01_twice, CUDA C++: as it should be\n1 exercise is as it should be\n")
        );
    }
}

#[test]
fn each_thing_that_is_wrong_in_a_set_is_named_with_its_file() {
    if !has_compiler() {
        return;
    }
    let skeleton = "kernels/skeleton.cu";
    let solution = "kernels/solution.cu";
    let wrong = "kernels/wrong_one_too_few.cu";
    let card = "card.toml";
    for (file, from, to, place, problem) in [
        (
            skeleton,
            "out[i] = 2",
            "if (i < n) out[i] = 2",
            skeleton,
            "it must fail with `runs: memcheck`, but: it passes",
        ),
        (skeleton, "// <<<", "// <<", skeleton, "the lines `// >>> your code` and `// <<<` are missing"),
        (solution, "2 * in[i]", "3 * in[j]", solution, "does not compile"),
        (solution, "int i =", "int  k = 0, i =", solution, "it is not the skeleton outside of the marked lines"),
        (solution, "i < n)", "i < (n == 100 ? n : n + 1))", solution, "out-of-bounds access"),
        (wrong, "n - 1", "n - 2", wrong, "it must fail with `results: 1 of the 100`, but: results: 2 of the 100"),
        (wrong, "// must fail with results: 1 of the 100\n", "", wrong, "`// must fail with CHECK: text`, is missing"),
        (
            card,
            "cuda = \"runs: memcheck\"",
            "",
            skeleton,
            "the field `skeleton` of card.toml, `CHECK: text`, is missing",
        ),
        (
            card,
            "\nresults = { out = 0.0 }",
            "\nresults = { out = 0.0 }\n[[limit]]\ncount = \"barriers\"\nmost = 9\nbecause = \"b\"",
            skeleton,
            "neither it nor a wrong answer exceeds the limit on barriers",
        ),
    ] {
        let folder = own_set();
        change(folder.path(), file, from, to);
        let (status, said) = learn(folder.path(), "test --set own");
        let named = said.lines().any(|line| line.contains(place) && line.contains(problem));
        assert!(status.is_some_and(|status| status != 0) && named, "{file}, {to}: {said}");
    }
    let folder = own_set();
    fs::remove_file(folder.path().join("own/01_twice").join(wrong)).expect("it is removed");
    assert!(learn(folder.path(), "test --set own").1.contains("wrong_NAME.cu: there is no wrong answer"));
}

#[test]
fn errors_in_a_card_name_it() {
    for (from, to, reason) in [
        ("hints = [\"A guard.\"]", "hints = []", "an exercise has one to 5 hints, not 0"),
        ("hints = [\"A guard.\"]", "hints = [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\"]", "one to 5 hints, not 6"),
        ("title", "titel", "unknown field `titel`"),
        ("i32[{n}]=random", "i32[{m}]=random", "`m` is neither a number nor one of the case's sizes"),
    ] {
        let folder = own_set();
        change(folder.path(), "card.toml", from, to);
        let (status, said) = learn(folder.path(), "test --set own");
        assert!(status == Some(2) && said.contains("own/01_twice/card.toml") && said.contains(reason), "{to}: {said}");
    }
    let folder = own_set();
    fs::remove_file(folder.path().join("own/01_twice/kernels/skeleton.cu")).expect("it is removed");
    let (status, said) = learn(folder.path(), "test --set own");
    assert!(status == Some(2) && said.contains("there is no file own/01_twice/kernels/skeleton.cu"), "{said}");
}

#[test]
fn a_set_of_ones_own_does_not_take_the_place_of_the_course() {
    let folder = own_set();
    let run = |arguments: &str| {
        let mut program = crate::program::command(folder.path());
        program.args(arguments.split_whitespace()).env("XDG_STATE_HOME", folder.path().join("state"));
        crate::program::said_by(program)
    };
    assert_eq!(run("start --language cuda course").0, Some(0));
    let (status, said) = run("start --set own --language cuda");
    assert!(status == Some(2) && said.contains("start --set own --language cuda FOLDER"), "{said}");
    let (status, said) = run("start --set own --language cuda course");
    assert!(status == Some(2) && said.contains("course has the exercises of the course; name a new folder"), "{said}");
    let (status, said) = run("start --set own --language cuda mine");
    assert!(status == Some(0) && said.ends_with("  cargo learn --folder mine\n"), "{said}");
    assert!(
        run("list").1.contains(&format!("of {} solved", crate::program::count())),
        "the folder that was begun last is that of the course"
    );
    assert!(run("list --folder mine").1.contains("of 1 solved"));
    assert_eq!(run("start --language cuda mine").0, Some(0), "it is the same set");
}

#[test]
fn a_folder_remembers_its_set_in_all_commands() {
    let folder = own_set();
    let (status, said) = learn(folder.path(), "start --set own --language rust mine");
    assert!(status == Some(2) && said.contains("has no exercises in Rust"), "{said}");
    assert!(said.contains("own/01_twice/kernels/skeleton.rs; `--language cuda` chooses the other"), "{said}");
    let (status, said) = learn(folder.path(), "start --set own --language cuda mine");
    assert!(status == Some(0) && said.contains("1 exercise was copied to mine"), "{said}");
    let mine = folder.path().join("mine");
    let (_, said) = learn(&mine, "list");
    assert!(said.contains("01_twice") && said.contains("0 of 1 solved"), "{said}");
    assert!(learn(&mine, "hint 01").1.contains("Hint 1 of 1: A guard."));
    assert!(learn(&mine, "solution 01 --now").1.contains(SOLUTION));
    if has_compiler() {
        assert!(learn(&mine, "check 01").1.contains("runs: memcheck"));
        fs::write(mine.join("01_twice.cu"), kernel(SOLUTION)).expect("a file");
        for command in ["check --all", "check --all --seed 3"] {
            let (status, said) = learn(&mine, command);
            assert!(status == Some(0) && said.contains("solved: it compiles"), "{command}: {said}");
        }
        let (status, said) = learn(folder.path(), "grade --set own mine");
        assert!(status == Some(0) && said.contains("mine     1/1"), "{said}");
        let (status, said) = learn(&mine, "doctor --exercises");
        assert!(status == Some(0) && said.contains("CUDA C++: works") && !said.contains("Rust"), "{said}");
    }
    assert!(learn(&mine, "reset 01").1.contains("is reset") || !has_compiler());
    fs::rename(folder.path().join("own"), folder.path().join("moved")).expect("it is moved");
    let (status, said) = learn(&mine, "list");
    assert!(status == Some(2) && said.contains("`--set FOLDER` names the folder where it is now"), "{said}");
    assert!(learn(&mine, "list --set ../moved").1.contains("of 1 solved"));
}
