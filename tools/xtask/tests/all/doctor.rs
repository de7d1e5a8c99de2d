//! `cargo x doctor` and `cargo x learn doctor` on machines that lack one thing. A machine is a folder of scripts in place of
//! the tools, so that the tests are the same everywhere.

use crate::learn::{command, said_by, started};
use loading::Wheel;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use tempfile::TempDir;
use workspace_root::workspace_root;

const RUSTC: &str = "case \"$*\" in
    --version) echo 'rustc 1.96.0 (ac68faa20 2026-05-25)';;
    -vV) printf 'rustc 1.96.0 (ac68faa20 2026-05-25)\\nhost: HOST\\nrelease: 1.96.0\\nLLVM version: 22.1.8\\n';;
    *sysroot) echo FOLDER/sysroot;;
    *target-libdir*) echo FOLDER/wasm;;
esac";

/// A cargo that has built the first stage.
const CARGO: &str = "case \"$1\" in
    build) echo '{\"target\": {\"name\": \"stage01-naive\"}, \"executable\": \"FOLDER/stage\"}';;
    *) echo 1;;
esac";

const CLANG: &str = "case \"$2\" in
    --version) echo 'clang version 22.1.8';;
    *) echo '  nvptx64 - NVIDIA PTX 64-bit';;
esac";

/// The commands that build a stage and run it.
const OF_STAGES: [&str; 7] = [
    "cargo run -p stage01-naive",
    "cargo test --workspace",
    "cargo run -p book",
    "cargo run -p stage07-many",
    "cargo bench -p bench",
    "cargo x ci",
    "cargo x record DEVICE",
];

const LEARN: &str = "cargo x learn";
const TESTS: &str = "cargo test --workspace";
const EDIT_CUDA: &str = "cargo run -p stage02-shared, after an edit of a kernel";
const EDIT_RUST: &str = "cargo run -p stage01-naive -- --language rust, after an edit of a kernel";
const NVRTC: &str = "cargo x nvrtc";
const CLANG_COMMAND: &str = "cargo x clang";
const CHECK_CUDA: &str = "cargo x check FILE.cu";
const CHECK_RUST: &str = "cargo x check FILE.rs";
const PTX: &str = "cargo x ptx";
const CI: &str = "cargo x ci";
const FOREIGN: &str = "cargo x foreign";

/// A verdict: whether the command works, and the advice.
type Verdict = (bool, String);

/// What is installed, the verdicts by their commands, and whether the exit status is 0.
type Report = (BTreeMap<String, String>, BTreeMap<String, Verdict>, bool);

/// A machine with everything, from which a test removes something.
struct Machine {
    folder: TempDir,
    variables: BTreeMap<&'static str, String>,
}

impl Machine {
    fn full() -> Self {
        let machine = Self { folder: tempfile::tempdir().expect("a folder"), variables: BTreeMap::new() };
        for (name, script) in [
            ("rustc", RUSTC),
            ("cargo", CARGO),
            ("python3", "echo 1"),
            ("npm", "echo 10"),
            ("chromium", ""),
            ("cc", ""),
            ("df", "printf 'Avail\\n20\\n'"),
            ("du", "echo '0 target'"),
        ] {
            machine.install(&format!("bin/{name}"), script);
        }
        machine.install("stage", "echo 'NVIDIA H200, driver 580'");
        for tool in ["opt", "llc"] {
            machine.install(&format!("sysroot/lib/rustlib/{HOST}/bin/{tool}"), "");
        }
        machine.install("sysroot/lib/rustlib/src/rust/library/core/src/lib.rs", "");
        fs::create_dir(machine.path("wasm")).expect("a folder");
        machine.install("target/clang-format/clang_format/data/bin/clang-format", "echo 'clang-format version 18.1.8'");
        machine.keep_clang();
        machine.keep_nvrtc();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a script.
    fn install(&self, name: &str, script: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        let folder = self.folder.path().display().to_string();
        let script = script.replace("FOLDER", &folder).replace("HOST", HOST);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a program");
    }

    fn without(self, name: &str) -> Self {
        let path = self.path(name);
        if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect(name);
        self
    }

    /// Removes NVRTC, which this machine may lack.
    fn without_nvrtc(self) -> Self {
        let _ = fs::remove_file(self.path("cache/coalesced/nvrtc"));
        self
    }

    fn with_script(self, name: &str, script: &str) -> Self {
        self.install(name, script);
        self
    }

    fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.insert(name, value.into());
        self
    }

    fn kept(&self, wheel: Wheel) -> PathBuf {
        self.path("cache/coalesced").join(wheel.tool).join(wheel.version).join(wheel.file)
    }

    fn keep_clang(&self) {
        let wheel = cuda_cpp::clang::pinned::wheel().expect("a wheel for this platform");
        let kept = self.kept(wheel);
        self.install(kept.strip_prefix(self.folder.path()).expect("inside").to_str().expect("a name"), CLANG);
    }

    /// Makes this user's NVRTC the machine's, if there is one: no script can take its place.
    fn keep_nvrtc(&self) {
        let Some(real) = loading::cache_folder().map(|cache| cache.join("nvrtc")).filter(|real| real.is_dir()) else {
            return;
        };
        symlink(real, self.path("cache/coalesced/nvrtc")).expect("a link");
    }

    /// Runs `cargo x` with the machine's tools and no others.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(arguments).env_clear().current_dir(workspace_root());
        command.env("PATH", self.path("bin")).env("CARGO", self.path("bin/cargo")).env("HOME", self.path("home"));
        command.env("XDG_CACHE_HOME", self.path("cache")).env("CARGO_TARGET_DIR", self.path("target"));
        for (name, value) in &self.variables {
            if value.is_empty() {
                command.env_remove(name)
            } else {
                command.env(name, value)
            };
        }
        command.output().expect("it starts")
    }

    /// Returns the report and whether the exit status is 0, which it must be if and only if the first two commands work.
    fn report(&self) -> Report {
        let output = self.run(&["doctor", "--json"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
        let machine = report["machine"].as_object().expect("facts").iter();
        let facts = machine.map(|(name, text)| (name.clone(), text.as_str().expect("a text").to_owned())).collect();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let commands = report["commands"].as_array().expect("verdicts").iter();
        let verdicts: BTreeMap<String, Verdict> = commands
            .map(|one| (text(&one["command"]), (one["works"].as_bool().expect("a verdict"), text(&one["advice"]))))
            .collect();
        let first = ["cargo run -p stage01-naive", TESTS].map(|command| verdicts[command].0);
        assert_eq!(output.status.code(), Some(if first == [true, true] { 0 } else { 1 }), "{verdicts:?}");
        (facts, verdicts, output.status.success())
    }
}

#[cfg(target_arch = "x86_64")]
const HOST: &str = "x86_64-unknown-linux-gnu";
#[cfg(not(target_arch = "x86_64"))]
const HOST: &str = "aarch64-unknown-linux-gnu";

/// The advice that each changed verdict must contain. A verdict that begins with `works: ` stays a success.
type Expected<'a> = &'a [(&'a str, &'a str)];

/// Returns the report on a full machine.
fn full_report() -> &'static Report {
    static REPORT: LazyLock<Report> = LazyLock::new(|| Machine::full().report());
    &REPORT
}

/// Requires that the verdicts that differ from those of a full machine are exactly the expected ones, and returns the report.
fn require(change: impl FnOnce(Machine) -> Machine, expected: Expected<'_>) -> Report {
    let report = change(Machine::full()).report();
    require_changed(full_report(), &report, expected);
    report
}

/// Requires that the verdicts that differ between two reports are exactly the expected ones.
fn require_changed((_, before, _): &Report, (_, after, _): &Report, expected: Expected<'_>) {
    let changed = after.iter().filter(|(command, verdict)| before[command.as_str()] != **verdict);
    let changed: BTreeMap<&str, &Verdict> = changed.map(|(command, verdict)| (command.as_str(), verdict)).collect();
    let names: Vec<&str> = changed.keys().copied().collect();
    let mut wanted: Vec<&str> = expected.iter().map(|(command, _)| *command).collect();
    wanted.sort_unstable();
    assert_eq!(names, wanted, "{changed:?}");
    for (command, advice) in expected {
        let (works, said) = changed[command];
        let (works_as_expected, advice) =
            advice.strip_prefix("works: ").map_or((!works, *advice), |advice| (*works, advice));
        assert!(works_as_expected && said.contains(advice), "{command}: {works}, {said}");
    }
}

/// Returns whether NVRTC is in the cache, so that it can be taken away. A system's NVRTC is found without any cache.
fn can_lose_nvrtc() -> bool {
    let has = |(facts, ..): &Report| facts["NVRTC"] != "none";
    let can = has(full_report()) && !has(&Machine::full().without_nvrtc().report());
    if !can {
        crate::skip("type `cargo x nvrtc`, and have no other NVRTC");
    }
    can
}

#[test]
fn with_everything_everything_works() {
    let (facts, verdicts, is_success) = full_report();
    let lacking: Vec<_> = facts.iter().filter(|(_, text)| text.as_str() == "none").map(|(name, _)| name).collect();
    let expected: &[&str] = if facts["NVRTC"] == "none" { &["NVRTC", "Nsight Compute"] } else { &["Nsight Compute"] };
    assert_eq!(lacking, expected);
    for (command, (works, advice)) in verdicts {
        assert!(*works && (advice.is_empty() || facts["NVRTC"] == "none"), "{command}: {advice}");
    }
    assert!(*is_success);
}

#[test]
fn a_missing_tool_is_named_where_it_is_needed() {
    let npm = "sudo apt-get install npm";
    require(
        |machine| machine.without("bin/npm"),
        &[
            (
                "cargo run -p book",
                &format!("works: without compiling in its pages, which needs npm, on Debian and Ubuntu `{npm}`"),
            ),
            (CI, "works: without the checks that need the compiler of the book's pages (npm)"),
        ],
    );
    require(
        |machine| machine.without("bin/chromium"),
        &[(CI, "works: without the checks that need a browser (chromium)")],
    );
    require(
        |machine| machine.with_variable("COALESCED_BROWSER", "/no/such/browser"),
        &[(CI, "COALESCED_BROWSER names /no/such/browser, which is not a program: correct or unset it")],
    );
    require(
        |machine| machine.without("target/clang-format"),
        &[(CI, "works: without the checks that need clang-format (cargo x clang-format --help)")],
    );
    let cargo = CARGO.replace("    *) echo", "    clippy) exit 1;;\n    *) echo");
    require(|machine| machine.with_script("bin/cargo", &cargo), &[(CI, "rustup component add rustfmt clippy")]);
    require(
        |machine| machine.with_script("stage", "echo 'PTX emulator on this CPU (no driver (2)): counts are exact'"),
        &[("cargo x record DEVICE", "it needs an NVIDIA GPU (no driver (2)); `cargo x record emulator` needs none")],
    );
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn python_needs_its_module_for_environments() {
    let venv = "install Python's module venv, on Debian and Ubuntu by `sudo apt-get install python3-venv`";
    require(
        |machine| machine.with_script("bin/python3", "case \"$*\" in *ensurepip*) exit 1;; esac"),
        &[(FOREIGN, venv)],
    );
    // The compilers are there already.
    require(|machine| machine.without("bin/python3"), &[(FOREIGN, venv)]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn kernels_in_rust_need_three_parts_of_a_new_compiler() {
    let advice = "type `rustup component add rust-src llvm-tools`";
    let tool = |tool: &str| format!("sysroot/lib/rustlib/{HOST}/bin/{tool}");
    let old = RUSTC.replace("1.96.0", "1.94.0");
    let source = "sysroot/lib/rustlib/src/rust/library/core/src/lib.rs";
    for (lacking, reason) in [
        (Machine::full().without(source), "has no source of its library in"),
        (Machine::full().without(&tool("llc")), "there is no llc of LLVM 22"),
        (Machine::full().without(&tool("opt")), "there is no opt of LLVM 22"),
        (Machine::full().with_script("bin/rustc", &old), "is 1.94.0, and kernels take 1.95 or newer"),
        (
            Machine::full().with_variable("COALESCED_RUSTC", "/no/such/rustc"),
            "COALESCED_RUSTC: /no/such/rustc cannot be started",
        ),
    ] {
        let learn = format!("works: in CUDA C++; in Rust: {advice}");
        let ptx = format!("works: without edited kernels in Rust: {advice}");
        let ci = "works: without the checks that need the compiler for kernels in Rust";
        let report = lacking.report();
        let expected = [(LEARN, &*learn), (EDIT_RUST, advice), (CHECK_RUST, advice), (PTX, &ptx), (CI, ci)];
        require_changed(full_report(), &report, &expected);
        assert!(report.1[CHECK_RUST].1.contains(reason), "{reason}");
        let output = lacking.run(&[
            "check",
            "exercises/11_map/kernels/solution.rs",
            "--kernel",
            "k",
            "--grid",
            "1",
            "--block",
            "1",
        ]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(advice) && errors.contains(reason), "{errors}");
    }
}

#[test]
fn without_a_target_for_pages_rustup_or_debian_gets_it() {
    let lacking = Machine::full().without("wasm");
    let lacking = lacking.report();
    if lacking.0["Rust to wasm"] == "Debian's rustc-web" {
        return require_changed(full_report(), &lacking, &[]);
    }
    require_changed(
        full_report(),
        &lacking,
        &[("cargo x wasm", "rustup target add wasm32-unknown-unknown; or on Debian")],
    );
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn room_is_needed_on_the_disk_of_the_target_folder() {
    let room = "free 4 GiB of disk space, or set CARGO_TARGET_DIR to a folder on another disk";
    let full_disk = "printf 'Avail\\n1\\n'";
    require(|machine| machine.with_script("bin/df", full_disk), &[(TESTS, room)]);
    require(|machine| machine.with_script("bin/df", full_disk).with_script("bin/du", "echo '3 target'"), &[]);
    let of_target = "case \"$*\" in *FOLDER*) echo Avail; echo 20;; *) echo Avail; echo 1;; esac";
    require(|machine| machine.with_script("bin/df", of_target), &[]);
    require(|machine| machine.without("bin/df"), &[]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_stage_that_does_not_build_or_run_is_explained() {
    let of_all = |reason| -> Vec<(&str, &str)> {
        let others = [EDIT_CUDA, EDIT_RUST, FOREIGN];
        OF_STAGES.into_iter().chain(others).map(|command| (command, reason)).collect()
    };
    let no_build = CARGO.replace("build) ", "build) exit 101; ");
    let broken = |machine: Machine| machine.with_script("bin/cargo", &no_build);
    require(broken, &of_all("stage01-naive cannot be built: see cargo's errors above"));
    require(
        |machine| broken(machine).without("bin/cc"),
        &of_all(
            "see cargo's errors above; it takes a C compiler to link, on Debian and Ubuntu `sudo apt-get install build-essential`",
        ),
    );
    require(
        |machine| machine.with_script("stage", "echo 'the driver is too old' >&2; exit 1"),
        &of_all("the driver is too old"),
    );
}

#[test]
fn a_machine_without_rustc_is_sent_to_rustup() {
    let (facts, verdicts, is_success) = Machine::full().without("bin/rustc").report();
    assert!(facts["Rust"].starts_with("rustc cannot be started: install Rust by https://rustup.rs"), "{facts:?}");
    let (works, advice) = &verdicts["cargo run -p stage01-naive"];
    assert!(!works && advice == "rustc cannot be started: install Rust by https://rustup.rs" && !is_success);
}

#[test]
fn clang_alone_serves_and_so_does_nvrtc() {
    if !can_lose_nvrtc() {
        return;
    }
    require(Machine::without_nvrtc, &[(CI, "works: without the checks that need NVRTC (cargo x nvrtc)")]);
    let clang = "cache/coalesced/clang";
    require(|machine| machine.without(clang), &[(CI, "works: without the checks that need clang (cargo x clang)")]);
    let get = "type `cargo x nvrtc` to get the compiler, NVRTC 12.1.105 (24 MB); or type `cargo x clang`";
    let learn = format!("works: in Rust; in CUDA C++: {get}");
    let machine = || Machine::full().without_nvrtc().without(clang);
    let neither = machine().report();
    let downloads = "works: the first file downloads a compiler, as `cargo x nvrtc` does";
    let ci = "works: without the checks that need NVRTC (cargo x nvrtc), clang (cargo x clang)";
    require_changed(full_report(), &neither, &[(LEARN, &learn), (EDIT_CUDA, get), (CHECK_CUDA, downloads), (CI, ci)]);
    let no_pip = machine().with_script("bin/python3", "case \"$*\" in *pip\\ --version) exit 1;; *) echo 1;; esac");
    let pip = "downloading a compiler takes pip or uv: install one, on Debian and Ubuntu with `sudo apt-get install python3-pip`";
    require_changed(&neither, &no_pip.report(), &[(NVRTC, pip), (CLANG_COMMAND, pip), (CHECK_CUDA, pip), (PTX, pip)]);
}

#[test]
fn a_compiler_that_a_variable_names_in_vain_is_not_replaced() {
    let nvrtc = "COALESCED_NVRTC names a file that is not a usable NVRTC: /no/such/nvrtc";
    let ci = "works: without the checks that need NVRTC (cargo x nvrtc)";
    let learn = format!("works: in Rust; in CUDA C++: {nvrtc}");
    let named = Machine::full().with_variable("COALESCED_NVRTC", "/no/such/nvrtc");
    let mut expected = vec![(LEARN, learn.as_str()), (EDIT_CUDA, nvrtc), (CHECK_CUDA, nvrtc)];
    // Without NVRTC the advice was there before.
    expected.extend(full_report().1[CI].1.is_empty().then_some((CI, ci)));
    require_changed(full_report(), &named.report(), &expected);
    let file = "exercises/11_map/kernels/solution.cu";
    let output = named.run(&["check", file, "--kernel", "k", "--grid", "1", "--block", "1"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains(nvrtc) && output.status.code() == Some(2));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn without_a_cache_folder_nothing_is_downloaded() {
    let lacking = Machine::full().with_variable("HOME", "").with_variable("XDG_CACHE_HOME", "");
    let (_, verdicts, is_success) = lacking.report();
    let reason = "neither HOME nor XDG_CACHE_HOME names a folder";
    for command in [NVRTC, CLANG_COMMAND, PTX, EDIT_RUST, CHECK_RUST] {
        let (works, advice) = &verdicts[command];
        assert!(!works && advice.contains(reason), "{command}: {advice}");
    }
    for command in ["nvrtc", "clang"] {
        let output = lacking.run(&[command]);
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains(reason), "{command}");
    }
    // A file in place of the folder, because root may write to any folder.
    let blocked = Machine::full().with_variable("XDG_CACHE_HOME", "/dev/null/cache");
    let (works, advice) = &blocked.report().1[CLANG_COMMAND];
    assert!(is_success && !works && advice.contains("cannot write to "), "{advice}");
}

#[test]
fn a_learner_without_a_compiler_gets_both_advices_and_the_folder_is_tried() {
    if !can_lose_nvrtc() {
        return;
    }
    let machine = Machine::full().without_nvrtc().without("cache/coalesced/clang");
    let machine = machine.with_variable("COALESCED_RUSTC", "/no/such/rustc");
    let output = machine.run(&["learn", "doctor", "--no-gpu", "--folder", "/dev/null/mine"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        "CUDA C++: does not work: there is no compiler: type `cargo x nvrtc` to get",
        "Rust: does not work: there is no compiler: type `rustup component add rust-src llvm-tools`",
        "GPU: not tried",
        "cannot write /dev/null/.trial: Not a directory",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_learners_folder_is_found_as_by_the_other_commands() {
    let folder = started();
    fs::create_dir(folder.path().join("mine/notes")).expect("a folder");
    let mut doctor = command(&folder.path().join("mine/notes"));
    doctor
        .args(["doctor", "--no-gpu"])
        .env("COALESCED_NVRTC", "/no/such/nvrtc")
        .env("COALESCED_RUSTC", "/no/such/rustc");
    let (_, said) = said_by(doctor);
    assert!(said.contains(&format!("{}: writable\n", folder.path().join("mine").display())), "{said}");
}

/// The compilers of this machine in a cache of their own: those that are linked there.
fn learner_with(tools: &[&str]) -> Option<Machine> {
    let real = loading::cache_folder()?;
    let machine = Machine::full().without_nvrtc().without("cache/coalesced/clang");
    for tool in tools.iter().filter(|tool| **tool != "rust-ptx") {
        symlink(real.join(tool), machine.path("cache/coalesced").join(tool)).ok()?;
    }
    if !tools.contains(&"rust-ptx") {
        return Some(machine.with_variable("COALESCED_RUSTC", "/no/such/rustc"));
    }
    symlink(real.join("rust-ptx"), machine.path("cache/coalesced/rust-ptx")).ok()?;
    let path = std::env::var("PATH").ok()?;
    // The real rustc with its tools; what else is on the PATH are no compilers for CUDA C++.
    let machine = machine.without("bin/rustc").with_variable("PATH", path);
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let rustup = std::env::var_os("RUSTUP_HOME").map_or_else(|| home.join(".rustup"), PathBuf::from);
    Some(machine.with_variable("RUSTUP_HOME", rustup.display().to_string()))
}

/// What works according to `cargo x doctor` does, and the rest fails with the advice, by the real compilers of this machine.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn verdicts_on_kernels_hold() {
    let is_kept = |tool: &&str| loading::cache_folder().is_some_and(|cache| cache.join(tool).is_dir());
    let kept: Vec<&str> = ["nvrtc", "clang", "rust-ptx"].into_iter().filter(is_kept).collect();
    if kept.len() < 3 || !can_lose_nvrtc() {
        return crate::skip("type `cargo x nvrtc` and `cargo x clang`, and compile a kernel in Rust");
    }
    for tools in [&["nvrtc"][..], &["clang"], &["rust-ptx"], &[], &["nvrtc", "clang", "rust-ptx"]] {
        let machine = learner_with(tools).expect("the caches of this machine");
        let (_, verdicts, _) = machine.report();
        let has = |tool: &str| tools.contains(&tool);
        let expected =
            [(LEARN, !tools.is_empty()), (EDIT_CUDA, has("nvrtc") || has("clang")), (CHECK_RUST, has("rust-ptx"))];
        for (command, works) in expected {
            assert_eq!(verdicts[command].0, works, "{tools:?}: {command}: {}", verdicts[command].1);
        }
        let doctor =
            machine.run(&["learn", "doctor", "--no-gpu", "--folder", machine.path("mine").to_str().expect("a name")]);
        let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert_eq!(doctor.status.code(), Some(i32::from(tools.is_empty())), "{tools:?}: {said}");
        for (name, works) in [("CUDA C++", has("nvrtc") || has("clang")), ("Rust", has("rust-ptx"))] {
            let line =
                format!("{name}: {}", if works { "works with " } else { "does not work: there is no compiler: " });
            assert!(said.contains(&line), "{tools:?}: {said}");
        }
        let shape = ["--grid", "1", "--block", "32", "--arg", "f32[32]=1", "--arg", "f32[32]", "--arg", "i32=32"];
        let check = |extension: &str| {
            let file = format!("exercises/12_guard/kernels/solution.{extension}");
            machine.run(&[&["check", &file, "--kernel", "twice"][..], &shape].concat()).status.code()
        };
        assert_eq!(check("rs"), Some(if has("rust-ptx") { 0 } else { 2 }), "{tools:?}");
        if has("nvrtc") || has("clang") {
            assert_eq!(check("cu"), Some(0), "{tools:?}");
        }
    }
}

/// A library in place of NVIDIA's driver.
const DRIVER: &str = "#[no_mangle] pub extern fn cuInit(_: u32) -> i32 { 803 }
    #[no_mangle] pub extern fn cuDeviceGetCount(_: *mut i32) -> i32 { 803 }
    #[no_mangle] pub extern fn cuGetErrorString(_: i32, text: *mut *const u8) -> i32 {
        unsafe { *text = c\"the driver and the library differ\".as_ptr().cast() }; 0 }
    #[no_mangle] pub extern fn cuDriverGetVersion(version: *mut i32) -> i32 { unsafe { *version = VERSION }; 0 }";

/// Drivers that cannot be used: their source, or the contents of the file; and the reason.
const DRIVERS: [(&str, &str); 4] = [
    ("no library", "the NVIDIA driver cannot be loaded: "),
    ("#[no_mangle] pub extern fn cuInit(_: u32) -> i32 { 0 }", "libcuda.so.1 is not a CUDA driver: "),
    ("11040", "the NVIDIA driver is too old: it supports CUDA 11.4, and 12.1 or newer is needed"),
    ("12080", "the NVIDIA driver is unusable: cuInit gives error 803, the driver and the library differ"),
];

/// Writes `libcuda.so.1` to a folder.
fn write_driver(folder: &Path, source: &str) {
    let file = folder.join("libcuda.so.1");
    if source == "no library" {
        return fs::write(file, source).expect("a file");
    }
    let source = if source.contains("cuInit") { source.to_owned() } else { DRIVER.replace("VERSION", source) };
    let text = folder.join("driver.rs");
    fs::write(&text, &source).expect("a file");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2021", "--crate-type", "cdylib", "--cap-lints", "allow", "-o"]).arg(file).arg(text);
    assert!(rustc.status().expect("rustc starts").success(), "{source}");
}

/// The first stage is the real one.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_driver_that_cannot_be_used_is_the_reason_for_the_emulator() {
    for (source, reason) in DRIVERS {
        let folder = tempfile::tempdir().expect("a folder");
        write_driver(folder.path(), source);
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(["doctor", "--json"]).env("LD_LIBRARY_PATH", folder.path());
        let output = command.env("CARGO", env!("CARGO")).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
        let device = report["machine"]["device"].as_str().unwrap_or_default();
        assert!(device.starts_with("PTX emulator on this CPU (") && device.contains(reason), "{device}");
        let commands = report["commands"].as_array().expect("verdicts");
        let record = commands.iter().find(|one| one["command"] == "cargo x record DEVICE").expect("a verdict");
        let advice = record["advice"].as_str().unwrap_or_default();
        assert!(record["works"] == false && advice.contains(reason), "{record}");
    }
}
