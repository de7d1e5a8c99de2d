//! `cargo learn` where something is in the way: a full disk, a folder that cannot be written, a compiler that does not end or
//! takes all memory, two programs at once; and what is left after the learner has quit.

use crate::program::{SOLVED, Watcher, command, count, has_compiler, learn, said_by, started, write_first};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the program in a shell, which `start` takes up to the program's name.
fn learn_after(folder: &Path, start: &str, arguments: &str) -> (Option<i32>, String) {
    let script = format!("{start} \"$0\" {arguments}");
    let program = command(folder);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).arg(program.get_program()).current_dir(folder);
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    said_by(shell)
}

/// Lets no file grow, as on a full disk. The program inherits that the signal is ignored.
const FULL_DISK: &str = "ulimit -f 0; trap '' XFSZ; exec";

fn contents(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    // locks are empty, and may be new
    let files = entries.filter(|path| !path.to_string_lossy().ends_with(".lock"));
    let read = |path: std::path::PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("a text"));
    let mut contents: Vec<_> = files.map(read).collect();
    contents.sort();
    contents
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_the_verdict_is_shown() {
    let folder = started();
    let mine = folder.path().join("mine");
    fs::write(mine.join("12_guard.cu"), "what I wrote").expect("a file");
    let before = contents(&mine);
    for arguments in ["reset 12", "hint 12", "start --language rust ."] {
        let (status, said) = learn_after(&mine, FULL_DISK, arguments);
        assert!(
            status == Some(2) && said.contains("cannot write") && said.contains("File too large"),
            "{arguments}: {said}"
        );
        assert_eq!(contents(&mine), before, "{arguments}");
    }
    let (status, said) = learn_after(folder.path(), FULL_DISK, "start --language cuda other");
    assert!(status == Some(2) && said.contains("cannot write other/progress.toml"), "{said}");
    if has_compiler() {
        write_first(&mine, SOLVED);
        let (status, said) = learn_after(&mine, FULL_DISK, "check 11");
        assert!(status == Some(0) && said.contains("solved: it compiles"), "{said}");
        assert!(said.contains("This is not in your progress: cannot write"), "{said}");
        assert!(learn(&mine, "list").1.contains(&format!("0 of {} solved", count())));
    }
}

/// Makes a folder read-only and returns the start of a shell command for which it is: root gives up the capabilities that
/// override modes. None if that takes a missing program.
fn read_only(folder: &Path) -> Option<&'static str> {
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o555)).expect("a mode");
    match fs::write(folder.join("probe"), "") {
        Ok(()) if Command::new("setpriv").arg("--version").output().is_err() => None,
        Ok(()) => Some("exec setpriv --bounding-set=-dac_override,-dac_read_search,-fowner"),
        Err(_) => Some("exec"),
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named_and_can_be_judged() {
    let folder = started();
    let mine = folder.path().join("mine");
    fs::write(mine.join("12_guard.cu"), "what I wrote").expect("a file");
    let Some(without_rights) = read_only(&mine) else { return crate::skip("root needs setpriv, of util-linux") };
    let _ = fs::remove_file(mine.join("probe"));
    let before = contents(&mine);
    for arguments in ["reset 12", "hint 12", "start --language rust ."] {
        let (status, said) = learn_after(&mine, without_rights, arguments);
        assert!(status == Some(2) && said.contains("cannot write"), "{arguments}: {said}");
        assert!(said.contains("Permission denied"), "{arguments}: {said}");
        assert_eq!(contents(&mine), before, "{arguments}");
    }
    if has_compiler() {
        let (status, said) = learn_after(&mine, without_rights, "check 11");
        assert!(status == Some(1) && said.contains("results: 1,023 of the 1,024"), "{said}");
    }
    fs::set_permissions(&mine, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
}

/// Templates that no compiler has instantiated within a second, at little memory, or that take more than it may have.
fn heavy(depth: u32) -> String {
    format!(
        "template <int N, int K> struct Deep {{ enum {{ value = Deep<N - 1, 2 * K>::value + Deep<N - 1, 2 * K + 1>::value }}; }};\n\
         template <int K> struct Deep<0, K> {{ enum {{ value = K }}; }};\n\
         extern \"C\" __global__ void add(const float*, const float*, float* sum, int) {{ sum[0] = Deep<{depth}, 0>::value; }}\n"
    )
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_compiler_that_takes_too_long_is_stopped() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    fs::write(mine.join("11_map.cu"), heavy(28)).expect("a file");
    let start = std::time::Instant::now();
    let (status, said) = learn(&mine, "check 11 --time-limit 2");
    assert!(status == Some(1) && said.contains("compiles: the compiler was stopped after 2 seconds"), "{said}");
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_compiler_that_takes_too_much_memory_ends_with_a_verdict() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    fs::write(mine.join("11_map.cu"), heavy(28)).expect("a file");
    let (status, said) = learn(&mine, "check 11 --memory-limit 1 --time-limit 120");
    assert!(status == Some(1) && said.contains("compiles: "), "{said}");
    assert!(!said.contains("was stopped after"), "{said}");
    learn(&mine, "reset 11");
    write_first(&mine, SOLVED);
    let (status, said) = learn(&mine, "check 11");
    assert!(status == Some(0) && said.contains("solved"), "and the next one is judged: {said}");
}

#[test]
fn hints_that_are_asked_for_at_once_are_all_counted() {
    let folder = started();
    let mine = folder.path().join("mine");
    let ask = |number: u32| {
        let mine = mine.clone();
        std::thread::spawn(move || learn(&mine, &format!("hint {number}")))
    };
    let asked: Vec<_> = (11..=17).chain(21..=25).map(ask).collect();
    asked.into_iter().for_each(|asked| assert_eq!(asked.join().expect("it ends").0, Some(0)));
    assert_eq!(learn(&mine, "list").1.matches("open, 1 hint").count(), 12);
}

#[test]
fn two_watchers_of_two_folders_do_not_disturb_each_other_and_a_second_of_one_is_refused() {
    if !has_compiler() {
        return;
    }
    let [one, other] = [started(), started()];
    let [one, other] = [&one, &other].map(|folder| folder.path().join("mine"));
    let mut first = Watcher::start(&one, "");
    let mut second = Watcher::start(&other, "");
    first.until("results: 1,023");
    second.until("results: 1,023");
    let (status, said) = learn(&one, "");
    assert!(status == Some(2) && said.contains("another `cargo learn` watches"), "{said}");
    // what is asked for beside a watcher is done
    assert!(learn(&one, "hint 11").1.contains("Hint 1 of 3"));
    write_first(&other, SOLVED);
    second.until("solved: it compiles");
    assert!(learn(&one, "list").1.contains(&format!("0 of {} solved", count())));
    first.quit();
    second.quit();
    Watcher::start(&one, "").quit();
}

#[test]
fn after_quitting_a_watcher_goes_on_where_it_was() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    let mut watcher = Watcher::start(&mine, "");
    watcher.until("Edit 11_map.cu");
    write_first(&mine, SOLVED);
    watcher.until("solved: it compiles");
    watcher.quit();
    let mut watcher = Watcher::start(&mine, "");
    watcher.until(&format!("(1 of {} solved in CUDA C++)", count()));
    watcher.until("Edit 12_guard.cu");
    watcher.quit();
    let mut watcher = Watcher::start(&mine, "watch 21");
    watcher.until("Edit 21_tile.cu");
    watcher.quit();
    assert!(learn(&mine, "watch 99").1.contains("there is no exercise `99`"));
}

#[test]
fn the_folder_that_was_begun_last_is_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let run = |arguments: &str, at: &Path| {
        let mut program = command(at);
        program.args(arguments.split_whitespace()).env("XDG_STATE_HOME", folder.path().join("state"));
        said_by(program)
    };
    for name in ["first", "second"] {
        let (_, said) = run(&format!("start --language cuda {name}"), folder.path());
        assert!(said.ends_with("  cargo learn\n"), "no folder needs to be named: {said}");
    }
    run("hint 12", elsewhere.path());
    let hints = |name: &str| run(&format!("--folder {name} list"), folder.path()).1.matches("1 hint").count();
    assert_eq!((hints("first"), hints("second")), (0, 1));
    // the current folder comes first
    run("hint 13", &folder.path().join("first"));
    assert_eq!((hints("first"), hints("second")), (1, 1));
    std::fs::rename(folder.path().join("second"), folder.path().join("third")).expect("it is moved");
    let said = run("list", elsewhere.path()).1;
    assert!(said.contains("second is not there any more; name your folder with --folder, or type"), "{said}");
}

/// Returns the commands in a message, which are between backquotes after `cargo learn`.
fn advised(message: &str) -> Vec<String> {
    let parts = message.split('`').skip(1).step_by(2);
    parts.filter_map(|part| Some(part.strip_prefix("cargo learn ")?.to_owned())).collect()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_advice_on_damaged_progress_finds_the_solved_exercises_again() {
    if !has_compiler() {
        return;
    }
    let folder = started();
    let mine = folder.path().join("mine");
    write_first(&mine, SOLVED);
    for text in ["nonsense", "language = \"c\"", "language = \"cuda\"\n[files.\"11_map.cu\"]\nhints = -5", "\u{0}"] {
        for (at, named) in [(mine.as_path(), ""), (folder.path(), "--folder mine")] {
            fs::write(mine.join("progress.toml"), text).expect("a file");
            let (status, said) = learn(at, &format!("list {named}"));
            assert!(status == Some(2) && said.contains("progress.toml: "), "{text}: {said}");
            assert!(said.contains("Correct the file, or delete it"), "{text}: {said}");
            let advised = advised(&said);
            assert_eq!(advised.len(), 1, "{said}");
            fs::remove_file(mine.join("progress.toml")).expect("it is deleted");
            let (status, said) = learn(at, &advised[0]);
            assert!(status == Some(1) && said.contains(&format!("1 of {} solved", count())), "{}: {said}", advised[0]);
            assert!(learn(at, &format!("list {named}")).1.contains(&format!("1 of {} solved", count())));
        }
    }
}

#[test]
fn start_takes_up_a_folder_of_kernels_without_progress() {
    let folder = started();
    let mine = folder.path().join("mine");
    fs::remove_file(mine.join("progress.toml")).expect("it is deleted");
    fs::remove_file(mine.join("13_two_dimensions.cu")).expect("it is deleted");
    fs::write(mine.join("12_guard.cu"), "what I wrote").expect("a file");
    let (status, said) = learn(folder.path(), "start --language cuda mine");
    assert!(status == Some(0) && said.starts_with("1 exercise was copied to mine"), "{said}");
    assert_eq!(fs::read_to_string(mine.join("12_guard.cu")).expect("a file"), "what I wrote");
    assert!(learn(&mine, "list").1.contains(&format!("0 of {} solved", count())));
}

#[test]
fn without_progress_the_language_is_that_of_the_changed_files() {
    let folder = started();
    let mine = folder.path().join("mine");
    learn(folder.path(), "start --language rust mine");
    for changed in ["12_guard.cu", "12_guard.rs"] {
        let _ = fs::remove_file(mine.join("progress.toml"));
        let before = fs::read(mine.join(changed)).expect("a file");
        fs::write(mine.join(changed), "what I wrote").expect("a file");
        let (_, said) = learn(&mine, "reset 12");
        assert!(said.starts_with(&format!("{changed} is reset; ")), "{said}");
        assert_eq!(fs::read(mine.join(changed)).expect("a file"), before);
    }
}

#[test]
fn the_advice_of_refused_starts_and_searches_works() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("other")).expect("a folder");
    fs::write(folder.path().join("other/notes.txt"), "").expect("a file");
    let (status, said) = learn(folder.path(), "start --language cuda other");
    assert!(status == Some(2) && said.contains("contains other files; name a new folder"), "{said}");
    for arguments in ["--folder nowhere list", "--folder other list"] {
        let (status, said) = learn(folder.path(), arguments);
        assert!(status == Some(2) && said.contains("contains no exercises"), "{said}");
    }
    for name in ["nowhere", "no where"] {
        let list = || {
            let mut program = command(folder.path());
            program.args(["--folder", name, "list"]);
            said_by(program).1
        };
        let advised = advised(&list());
        assert_eq!(advised.len(), 1, "{}", list());
        assert_eq!(learn_after(folder.path(), "exec", &advised[0]).0, Some(0));
        assert!(list().contains(&format!("0 of {} solved", count())));
    }
}
