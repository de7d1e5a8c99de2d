//! A learner's folder: its progress, complete files, files that are too large.

use judge::kernel_file::{self, Language, MAX_BYTES};
use judge::progress::{Entry, Progress};
use learn::learner::{PROGRESS_FILE, keep_before, read_progress, write_new, write_progress, write_whole};
use std::fs;
use std::path::Path;

#[test]
fn progress_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut progress = Progress::new(Language::Cuda);
    progress.files.insert("12_guard.cu".into(), Entry { solved: Some("ab".into()), hints: 2, revealed: true });
    write_progress(&progress, folder.path()).expect("it is written");
    assert_eq!(read_progress(folder.path()).expect("it is read"), Some(progress.clone()));
    assert_eq!((progress.language(), progress.entry("13_x.cu")), (Language::Cuda, Entry::default()));
}

#[test]
fn damaged_progress_is_reported_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(read_progress(folder.path()).expect("no error"), None);
    let read = |bytes: &[u8]| {
        fs::write(folder.path().join(PROGRESS_FILE), bytes).expect("a file");
        let error = read_progress(folder.path()).unwrap_err().to_string();
        error.rsplit_once("progress.toml: ").expect("the name of the file").1.to_owned()
    };
    assert_eq!(read(b"language = \"c\""), "the language must be cuda or rust, not \"c\"");
    assert_eq!(read(b"\xff"), "invalid utf-8 sequence of 1 bytes from index 0");
    let text = "language = \"rust\"\n[files.\"12_guard.rs\"]\nhints = -5";
    assert!(read(text.as_bytes()).starts_with("line 3: invalid value: integer `-5`"), "{}", read(text.as_bytes()));
    for text in ["nonsense", "language = \"cuda\"\nlanguage = \"rust\"", "a = \"\"\"\n", ""] {
        let error = read(text.as_bytes());
        assert!(error.starts_with("line ") && !error.contains('\n'), "{text}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn progress_that_is_not_a_file_is_not_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    // Reading it would not end.
    std::os::unix::fs::symlink("/dev/zero", folder.path().join(PROGRESS_FILE)).expect("a link");
    let error = read_progress(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("progress.toml: it is not a file"), "{error}");
}

#[test]
fn old_files_are_kept_under_the_next_free_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("12_guard.cu");
    for text in ["first", "second"] {
        write_whole(&file, text).expect("it is written");
        keep_before(&file).expect("it is kept");
    }
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!([text("12_guard.cu.before-1"), text("12_guard.cu.before-2")], ["first", "second"]);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3, "no other file is left");
}

#[test]
fn a_missing_folder_is_named() {
    let error = write_whole(Path::new("/no/such/folder/file"), "").unwrap_err().to_string();
    assert!(error.starts_with("cannot write /no/such/folder/file: "), "{error}");
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("12_guard.cu");
    // A sparse file: no disk is used.
    fs::File::create(&file).expect("a file").set_len(3 << 30).expect("its size");
    let error = kernel_file::read(&file).unwrap_err().to_string();
    assert!(error.ends_with("it has 3221225472 bytes, and a kernel may have at most 1048576"), "{error}");
    fs::write(&file, vec![b' '; MAX_BYTES as usize]).expect("a file");
    assert_eq!(kernel_file::read(&file).expect("its text").len(), MAX_BYTES as usize);
}

#[test]
fn a_new_file_never_replaces_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("11_map.cu");
    assert!(write_new(&file, "skeleton").expect("it is written"));
    fs::write(&file, "mine").expect("it is written");
    assert!(!write_new(&file, "skeleton").expect("no error"));
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "mine");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "a temporary file is left");
}
