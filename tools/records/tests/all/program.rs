//! The program's options, output and exit status, and what reads its files.

use crate::fixture::{h200, index, results};
use common::recorded::{self, results as recorded_results};
use common::report::Recording;
use records::STAGES;
use records::file::GpuRecord;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Writes a file into a folder, and returns both.
fn written(file: &GpuRecord) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nvidia-h200.json");
    file.write(&path).expect("it can be written");
    (folder, path)
}

/// Runs the program where no GPU can be seen; returns its exit status and what it printed.
fn run(arguments: &[&Path]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_records"));
    let output = program.args(arguments).env("CUDA_VISIBLE_DEVICES", "").output().expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn files_are_accepted_or_refused_with_the_reason() {
    let mut file = h200();
    let (_good_folder, good) = written(&file);
    let (status, said) = run(&[Path::new("--check"), &good]);
    assert_eq!((status, said), (Some(0), format!("{}: accepted\n", good.display())));
    let record = index(&file, "computeForces");
    file.records[record]["verified"] = false.into();
    let (_bad_folder, bad) = written(&file);
    let (status, said) = run(&[Path::new("--check"), &bad, &good]);
    let reason = format!("{}: stage01-naive, computeForces: verified: its results were wrong\n", bad.display());
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.starts_with(&reason) && said.contains("refused for 1 reason\n") && said.contains("accepted"),
        "{said}"
    );
    let (status, said) = run(&[Path::new("--check"), Path::new("nowhere.json")]);
    assert!(status == Some(1) && said.starts_with("error: cannot read nowhere.json: "), "{said}");
}

#[test]
fn a_file_in_the_folder_of_all_has_the_name_of_its_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let [right, wrong] = ["nvidia-h200", "my-gpu"].map(|name| recorded_results::of_community(folder.path(), name));
    h200().write(&right).expect("it can be written");
    h200().write(&wrong).expect("it can be written");
    assert_eq!(run(&[Path::new("--check"), &right]).0, Some(0));
    let (status, said) = run(&[Path::new("--check"), &wrong]);
    assert!(status == Some(1) && said.contains("device.name: the file of NVIDIA H200 is nvidia-h200.json"), "{said}");
}

#[test]
fn outdated_records_are_removed() {
    let mut file = h200();
    let record = index(&file, "computeForces");
    file.records[record]["kernel_sha256"] = "12ab".into();
    let (_folder, path) = written(&file);
    let (status, said) = run(&[Path::new("--prune"), &path]);
    let count = file.records.len();
    assert_eq!((status, said), (Some(0), format!("{}: {} of {count} records remain\n", path.display(), count - 1)));
    assert_eq!(run(&[Path::new("--check"), &path]).0, Some(0));
}

#[test]
fn without_a_gpu_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.json");
    let (status, said) = run(&[Path::new("--output"), &path]);
    assert!(status == Some(1) && said.contains("error: ") && said.contains("--device cuda"), "{said}");
    assert!(!path.exists());
    let (status, said) = run(&[Path::new("--without"), Path::new("sum")]);
    assert_eq!((status, said.as_str()), (Some(1), "error: --without sum: there is no such kernel\n"));
}

#[test]
fn a_run_is_compared_with_such_a_file() {
    let (_folder, path) = written(&h200());
    for stage in STAGES {
        let recording = Recording::open(stage, &path.to_string_lossy()).expect("a recording");
        let title = recording.render(&[]);
        assert!(title.starts_with("Recorded on NVIDIA H200, 2026-11-26 ("), "{title}");
    }
    let text = std::fs::read_to_string(&path).expect("the file");
    assert_eq!(recorded::parse(&text).expect("records").len(), h200().records.len());
    let error = recorded::parse(&text[..text.len() / 2]).expect_err("half of it");
    assert!(error.starts_with("not the record of a GPU: EOF"), "{error}");
}

#[test]
fn devices_are_those_of_folders_and_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["nvidia-h200", "machine-code", "community"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let file = recorded_results::of_community(folder.path(), "tesla-t4");
    h200().write(&file).expect("it can be written");
    assert_eq!(recorded_results::devices(folder.path()), ["nvidia-h200", "tesla-t4"]);
    assert!(recorded_results::devices(&results()).contains(&"nvidia-h200".to_owned()));
}
