//! `cargo learn doctor` on this machine and on machines that lack a tool, and downloads without a cache.

use crate::program::{command, said_by, started};
use learn::doctor::{Tool, verdict};
use serde_json::Value;
use std::fs;
use std::process::Command;

fn tools() -> [Tool; 3] {
    let missing = |advice: &str| Err(advice.to_owned());
    [
        Tool { name: "Rust", found: Ok("rustc 1.95".into()) },
        Tool { name: "CUDA C++", found: missing("type `cargo learn nvrtc`") },
        Tool { name: "Rust to PTX", found: missing("type `rustup component add rust-src`") },
    ]
}

#[test]
fn the_first_tool_that_is_missing_is_named_with_all_that_could_take_its_place() {
    assert_eq!(verdict(&tools(), &["Rust"]), Ok(()));
    assert_eq!(verdict(&tools(), &["Rust|CUDA C++"]), Ok(()), "one of them is enough");
    assert_eq!(verdict(&tools(), &["Rust", "CUDA C++"]), Err("type `cargo learn nvrtc`".into()));
    let neither = "type `cargo learn nvrtc`; or type `rustup component add rust-src`";
    assert_eq!(verdict(&tools(), &["CUDA C++|Rust to PTX", "Rust to PTX"]), Err(neither.into()));
}

/// Runs a command where no program is on the PATH, and no compiler can be found. Returns its exit status and all
/// output.
fn run_without_tools(arguments: &[&str], cache: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = command(folder.path());
    program.args(arguments).env("PATH", folder.path()).env("HOME", "").env("XDG_CACHE_HOME", cache);
    program
        .env("CARGO", "/no/such/cargo")
        .env("COALESCED_NVRTC", "/no/such/nvrtc")
        .env("COALESCED_RUSTC", "/no/such/rustc");
    said_by(program)
}

#[test]
fn a_machine_without_rustc_is_sent_to_rustup_and_the_first_commands_fail() {
    let (status, said) = run_without_tools(&["doctor"], "");
    assert_eq!(status, Some(1), "{said}");
    let advice = "rustc cannot be started: install Rust by https://rustup.rs";
    assert!(said.contains(&format!("  Rust             {advice}\n")), "{said}");
    assert!(said.contains(&format!("  does not cargo test --workspace\n           {advice}\n")), "{said}");
    assert!(said.contains("COALESCED_NVRTC names a file that is not a usable NVRTC: /no/such/nvrtc"), "{said}");
    assert!(said.contains("downloading a compiler takes pip or uv"), "{said}");
}

#[test]
fn without_a_cache_folder_nothing_is_downloaded() {
    for (cache, reason) in
        [("", "neither HOME nor XDG_CACHE_HOME names a folder"), ("/dev/null/cache", "cannot write to ")]
    {
        for command in ["nvrtc", "clang", "ptxas"] {
            let (status, said) = run_without_tools(&[command], cache);
            assert!(status == Some(1) && said.contains(reason), "{command}: {said}");
        }
    }
}

#[test]
fn a_learner_without_a_compiler_gets_both_advices_and_the_folder_is_tried() {
    let (status, said) = run_without_tools(&["doctor", "--exercises", "--no-gpu", "--folder", "/dev/null/mine"], "");
    for line in [
        "CUDA C++: does not work: there is no compiler: COALESCED_NVRTC names a file",
        "Rust: does not work: there is no compiler: type `rustup component add rust-src llvm-tools`",
        "GPU: not tried",
        "cannot write /dev/null/.trial: Not a directory",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(status, Some(1));
}

#[test]
fn a_learners_folder_is_found_as_by_the_other_commands() {
    let folder = started();
    fs::create_dir(folder.path().join("mine/notes")).expect("a folder");
    let mut doctor = command(&folder.path().join("mine/notes"));
    doctor
        .args(["doctor", "--exercises", "--no-gpu"])
        .env("COALESCED_NVRTC", "/no/such/nvrtc")
        .env("COALESCED_RUSTC", "/no/such/rustc");
    let (_, said) = said_by(doctor);
    assert!(said.contains(&format!("{}: writable\n", folder.path().join("mine").display())), "{said}");
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
fn write_driver(folder: &std::path::Path, source: &str) {
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
        command.args(["doctor", "--json"]).env("LD_LIBRARY_PATH", folder.path());
        let output = command.env("CARGO", env!("CARGO")).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
        let device = report["machine"]["device"].as_str().unwrap_or_default();
        assert!(device.starts_with("No GPU (") && device.contains(reason), "{device}");
    }
}
