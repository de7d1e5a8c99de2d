//! The statements of the chapter on kernels in Rust about the PTX in the repository.

use flate2::read::GzDecoder;
use loading::workspace_root;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the files of a folder whose names end in `end`.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(end)).collect()
}

#[test]
fn the_chapter_has_the_number_of_files_without_a_check() {
    let root = workspace_root();
    let stages = files(&root, "").into_iter().map(|crate_folder| crate_folder.join("ptx"));
    let ptx: Vec<PathBuf> = stages.flat_map(|folder| files(&folder, ".rs.ptx.gz")).collect();
    let unchecked = |file: &&PathBuf| {
        !io::read_to_string(GzDecoder::new(File::open(file).expect("a file"))).expect("PTX").contains("__assertfail,")
    };
    let sentence = format!("{} of the {} files have none", ptx.iter().filter(unchecked).count(), ptx.len());
    let chapter = fs::read_to_string(root.join("book/text/kernels-in-rust.md")).expect("the chapter");
    assert!(chapter.split_whitespace().collect::<Vec<_>>().join(" ").contains(&sentence), "{sentence}");
}
