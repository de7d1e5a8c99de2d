//! `cargo learn` as a program: its files, its output and its exit status.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The program in a folder. What it remembers of its user is not what the one of these tests has done.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    command.env("XDG_STATE_HOME", std::env::temp_dir().join(format!("coalesced-learn-{}", std::process::id())));
    command.current_dir(folder);
    command
}

/// Exit status and all output.
pub fn learn(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let mut command = command(folder);
    command.args(arguments.split_whitespace());
    said_by(command)
}

/// The same of any program.
pub fn said_by(mut command: Command) -> (Option<i32>, String) {
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// A folder with the exercises in CUDA C++. The set is the repository's, which cargo's environment variables locate.
pub fn started() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (status, said) = learn(folder.path(), "start --language cuda mine");
    assert_eq!(status, Some(0), "{said}");
    folder
}

/// Returns the number of exercises.
pub fn count() -> usize {
    crate::exercises::set().exercises.len()
}

/// Returns the name of the last exercise.
pub fn last_name() -> String {
    crate::exercises::set().exercises.last().expect("an exercise").name.clone()
}

/// Returns the cell of a table with the number of solved exercises, in the width of its column: `1/20  `.
pub fn solved_cell(solved: usize) -> String {
    format!("{:<6}", format!("{solved}/{}", count()))
}

pub fn has_compiler() -> bool {
    let found = nvrtc::Nvrtc::find();
    if let Err(missing) = &found {
        crate::skip(&missing.to_string());
    }
    found.is_ok()
}

pub const SOLVED: &str = "const int i = blockIdx.x * blockDim.x + threadIdx.x;";

/// Writes the first exercise with this in place of its line.
pub fn write_first(folder: &Path, line: &str) {
    let file = folder.join("11_map.cu");
    let text = fs::read_to_string(&file).expect("the exercise");
    let (before, rest) = text.split_once("// >>> your code\n").expect("a marked part");
    let (_, after) = rest.split_once("    // <<<").expect("its end");
    fs::write(file, format!("{before}// >>> your code\n    {line}\n    // <<<{after}")).expect("it is written");
}

#[test]
fn start_copies_the_exercises_once_and_never_writes_over_a_file() {
    let folder = started();
    let mine = folder.path().join("mine");
    fs::write(mine.join("11_map.cu"), "mine").expect("a file");
    fs::remove_file(mine.join("12_guard.cu")).expect("a file");
    let (_, said) = learn(folder.path(), "start --language cuda mine");
    assert!(said.starts_with("1 exercise was copied to mine"), "{said}");
    assert_eq!(fs::read_to_string(mine.join("11_map.cu")).expect("a file"), "mine");
    let (status, said) = learn(folder.path(), "start --language cuda .");
    assert!(status == Some(2) && said.contains("contains other files"), "{said}");
}

#[test]
fn nothing_is_done_before_the_start_but_to_say_how() {
    let folder = tempfile::tempdir().expect("a folder");
    let (status, said) = learn(folder.path(), "--folder nowhere list");
    assert!(status == Some(2) && said.contains("cargo learn start --language rust"), "{said}");
}

#[test]
fn hints_come_one_after_the_other_and_are_counted() {
    let folder = started();
    let mut counts = Vec::new();
    let mine = folder.path().join("mine");
    for _ in 0..4 {
        counts.push(learn(&mine, "hint 12").1.matches("Hint ").count());
    }
    assert_eq!(counts, [1, 2, 3, 3]);
    assert!(learn(&mine, "list").1.contains("open, 3 hints"));
    assert!(learn(&mine, "hint 1").1.contains("several exercises begin with `1`"));
    assert!(learn(&mine, "hint 99").1.contains("there is no exercise `99`"));
}

#[test]
fn a_solution_is_shown_now_or_after_success_and_the_first_is_recorded() {
    let folder = started();
    let mine = folder.path().join("mine");
    let (status, said) = learn(&mine, "solution 12");
    assert!(status == Some(2) && said.contains("--now"), "{said}");
    assert!(learn(&mine, "solution 12 --now").1.contains("if (i < n)"));
    assert!(learn(&mine, "list").1.contains("open, solution shown"));
}

#[test]
fn reset_keeps_what_was_written() {
    let folder = started();
    let mine = folder.path().join("mine");
    for (text, kept) in [("first", "11_map.cu.before-1"), ("second", "11_map.cu.before-2")] {
        fs::write(mine.join("11_map.cu"), text).expect("a file");
        let (_, said) = learn(&mine, "reset 11");
        assert!(said.contains("your version is now") && said.contains(kept), "{said}");
        assert_eq!(fs::read_to_string(mine.join(kept)).expect("the old file"), text);
    }
    let (_, said) = learn(&mine, "reset 11");
    assert!(!said.contains("your version"), "there is nothing to keep: {said}");
}

#[test]
fn a_check_fails_passes_and_is_not_run_again() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    let (status, said) = learn(&mine, "check 11");
    assert!(status == Some(1) && said.contains("results: 1,023 of the 1,024 elements of `sum` are wrong"), "{said}");
    write_first(&mine, "int i = blockIdx.x *;");
    assert!(learn(&mine, "check 11").1.contains("compiles: 11_map.cu(10): error"));
    write_first(&mine, "int i = 0; while (i < n || n > 0) sum[i = 0] = 1;");
    let (_, said) = learn(&mine, "check 11");
    assert!(said.contains("no thread can continue") && said.contains(": in an infinite loop ("), "{said}");
    write_first(&mine, "int i = 0; for (unsigned k = 0; k < 1000000000u; k++) sum[0] += a[k % n];");
    assert!(learn(&mine, "check 11").1.contains("runs: the kernel does not end"));
    write_first(&mine, SOLVED);
    let (status, said) = learn(&mine, "check 11");
    assert!(status == Some(0) && said.contains("solved: it compiles"), "{said}");
    assert!(learn(&mine, "check 11").1.contains("solved before"));
    write_first(&mine, &format!("{SOLVED}  // changed"));
    assert!(learn(&mine, "list").1.contains("changed since"));
    assert!(learn(&mine, "check 11 --json").1.contains("\"was_run\": true"));
}

#[test]
fn the_ending_of_a_name_chooses_the_language() {
    let folder = started();
    let mine = folder.path().join("mine");
    learn(folder.path(), "start --language rust mine");
    for command in ["hint 12_guard.cu", "solution 12.cu --now"] {
        let (status, said) = learn(&mine, command);
        assert_eq!(status, Some(0), "{said}");
    }
    assert!(learn(&mine, "solution 12.cu --now").1.contains("__global__"));
    assert!(!learn(&mine, "list").1.contains("hint"), "the hint was for the other file");
    fs::write(mine.join("12_guard.rs"), "mine").expect("a file");
    assert!(learn(&mine, "reset 12_guard.cu").1.contains("12_guard.cu is unchanged"));
    assert_eq!(fs::read_to_string(mine.join("12_guard.rs")).expect("a file"), "mine");
    assert!(
        learn(folder.path(), "--folder mine hint mine/13_two_dimensions.cu").1.starts_with("Hint 1"),
        "a path, as shells complete it"
    );
    let (status, said) = learn(&mine, "--folder . hint ../13_two_dimensions.cu");
    assert!(status == Some(2) && said.contains("is not in your folder, .; `--folder ..` chooses the other"), "{said}");
    if has_compiler() {
        write_first(&mine, SOLVED);
        let (status, said) = learn(&mine, "check 11_map.cu");
        assert!(status == Some(0) && said.starts_with("compiled by NVRTC") && said.contains("solved: it"), "{said}");
        let mut watcher = Watcher::start(&mine, "watch 11_map.cu");
        watcher.until("Edit 11_map.cu");
        watcher.quit();
    }
}

#[test]
fn a_file_that_is_not_there_is_not_judged_in_the_other_language() {
    let folder = started();
    let mine = folder.path().join("mine");
    let (status, said) = learn(&mine, "check 12_guard.rs");
    assert!(status == Some(2) && said.contains("there is no file 12_guard.rs"), "{said}");
    assert!(said.contains("`cargo learn start --language rust .`"), "{said}");
    learn(&mine, "start --language rust .");
    assert!(mine.join("12_guard.rs").is_file());
}

#[test]
fn grades_are_of_the_files_and_not_of_what_the_progress_says() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    let text = fs::read_to_string(mine.join("11_map.cu")).expect("the exercise");
    for entry in fs::read_dir(&mine).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "cu") && !path.ends_with("11_map.cu") {
            fs::remove_file(path).expect("it is removed");
        }
    }
    let hash: String = sha2::Digest::finalize(sha2::Digest::chain_update(<sha2::Sha256 as sha2::Digest>::new(), &text))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let forged =
        format!("language = \"cuda\"\n[files.\"11_map.cu\"]\nsolved = \"{hash}\"\nhints = 1\nrevealed = true\n");
    fs::write(mine.join("progress.toml"), forged).expect("a file");
    assert!(learn(&mine, "check 11").1.contains("solved before"), "the learner's own word");
    let (status, said) = learn(folder.path(), "grade mine nowhere --csv grades.csv");
    assert!(
        status == Some(1)
            && said.contains(&format!("mine     {}  1      1         results: 11; missing: 12, 13,", solved_cell(0))),
        "{said}"
    );
    assert!(said.contains("nowhere  cannot read nowhere: "), "{said}");
    let grades = fs::read_to_string(folder.path().join("grades.csv")).expect("the table");
    assert!(grades.contains("mine,11_map,cu,no,results,1,yes,"), "{grades}");
}

/// A program that watches. It waits on lines of standard input in place of keys, so that this needs no terminal.
pub struct Watcher {
    process: Child,
    said: BufReader<ChildStdout>,
    keys: ChildStdin,
}

impl Watcher {
    pub fn start(folder: &Path, arguments: &str) -> Self {
        let mut command = command(folder);
        command.args(arguments.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("it starts");
        let said = process.stdout.take().expect("its output");
        let keys = process.stdin.take().expect("its input");
        Self { process, said: BufReader::new(said), keys }
    }

    /// Reads until the words are there.
    pub fn until(&mut self, words: &str) {
        let mut text = String::new();
        while !text.contains(words) {
            assert!(self.said.read_line(&mut text).expect("text") > 0, "no `{words}` in {text}");
        }
    }

    pub fn key(&mut self, key: char) {
        writeln!(self.keys, "{key}").expect("a key");
    }

    /// Ends it, and waits for that.
    pub fn quit(mut self) {
        self.key('q');
        std::io::copy(&mut self.said, &mut std::io::sink()).expect("the rest");
        assert!(self.process.wait().expect("it ends").success());
    }
}

#[test]
fn a_watcher_takes_saves_and_keys() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    let mut watcher = Watcher::start(&mine, "");
    watcher.until("results: 1,023");
    write_first(&mine, SOLVED);
    watcher.until("solved: it compiles");
    watcher.key('n');
    watcher.until("12_guard.cu:10:");
    watcher.quit();
}

#[test]
fn a_deleted_file_is_not_written_again_and_a_save_by_deletion_is_kept() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    let file = mine.join("11_map.cu");
    let mut watcher = Watcher::start(&mine, "");
    watcher.until("results: 1,023");
    let skeleton = fs::read(&file).expect("the exercise");
    fs::remove_file(&file).expect("it is there");
    watcher.until("11_map.cu was deleted: save it again");
    assert!(!file.exists(), "the skeleton was written");
    fs::write(&file, skeleton).expect("it is written");
    write_first(&mine, SOLVED);
    watcher.until("solved: it compiles");
    let solved = fs::read(&file).expect("it is there");
    for _ in 0..20 {
        fs::remove_file(&file).expect("it is there");
        fs::write(&file, &solved).expect("it is written");
        std::thread::sleep(std::time::Duration::from_millis(10));
        assert_eq!(fs::read(&file).expect("it is there"), solved);
    }
    watcher.quit();
}

/// The way to a GPU up to the driver, with the emulator's in its place: its times say nothing.
#[cfg(target_os = "linux")]
#[test]
fn what_passes_is_timed_on_a_gpu_alone() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    write_first(&mine, SOLVED);
    let emulator = loading::beside_program("emulator_driver").expect("it is built");
    std::os::unix::fs::symlink(emulator, folder.path().join("libcuda.so")).expect("a link");
    let mut program = command(&mine);
    program.args(["check", "11", "--json"]).env("LD_LIBRARY_PATH", folder.path());
    let (status, said) = said_by(program);
    assert!(status == Some(0) && said.contains("\"gpu\": null"), "{said}");
}
