//! What the tests share: typed values, instruction cases, programs with expectations.

pub mod case;
pub mod circular;
pub mod fixture;
pub mod fragments;
pub mod lanes;
pub mod list;
pub mod machine;
pub mod measured;
pub mod program;
pub mod value;

use std::path::PathBuf;

/// A folder of test data.
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The files of a folder with that extension, as name without extension and text, sorted.
pub fn files(name: &str, extension: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|end| end == extension))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}
