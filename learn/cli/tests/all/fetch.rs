//! Downloads: what is unpacked, and by what it is downloaded.

use learn::fetch::releases::RELEASES;
use learn::fetch::wheel::{extract_one, find_fetcher, unpack};
use loading::Wheel;
use std::fs;
use std::io::{Cursor, Write};

fn wheel(sha256: &'static str) -> Wheel {
    let tool = "tool";
    let package = "package";
    let version = "1";
    let platform = "any";
    Wheel { tool, package, version, platform, sha256, file: "a/program", is_alone: true, megabytes: 1 }
}

#[test]
fn only_the_one_program_is_unpacked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for name in ["a/program", "a/other"] {
        archive.start_file(name, options).expect("a member");
        archive.write_all(name.as_bytes()).expect("its text");
    }
    let mut archive =
        zip::ZipArchive::new(Cursor::new(archive.finish().expect("an archive").into_inner())).expect("it");
    extract_one(&mut archive, "a/program", folder.path()).expect("the program");
    assert_eq!(fs::read_to_string(folder.path().join("a/program")).expect("a file"), "a/program");
    assert!(!folder.path().join("a/other").exists());
    let error = extract_one(&mut archive, "b", folder.path()).unwrap_err();
    assert_eq!(error.to_string(), "it has no b");
}

#[test]
fn a_wheel_with_another_hash_is_rejected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("other.whl");
    fs::write(&file, "not a wheel").expect("a file");
    let error = unpack(&file, &wheel("339b"), &folder.path().join("12.1")).unwrap_err().to_string();
    assert!(error.contains("other.whl is not the pinned wheel") && error.ends_with(", not 339b"), "{error}");
    assert!(!folder.path().join("12.1").exists());
}

#[test]
fn the_first_installed_program_downloads() {
    let absent: (&[&str], &[&str]) = (&["/no/such/pip"], &["/no/such/pip", "--version"]);
    let failing: (&[&str], &[&str]) = (&["false"], &["false"]);
    let working: (&[&str], &[&str]) = (&["true", "-m"], &["true"]);
    assert_eq!(find_fetcher(&[absent, failing, working]), Some(&["true", "-m"][..]));
    assert_eq!(find_fetcher(&[absent, failing]), None);
}

#[test]
fn the_pinned_release_is_tested_first() {
    let is_linux = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    assert!(nvrtc::pinned::wheel().is_none_or(|wheel| wheel == RELEASES[0] || !is_linux));
}
