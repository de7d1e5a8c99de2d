//! Shared code of the tests: test data, typed values, instruction cases, programs with expectations.

pub mod case;
pub mod circular;
pub mod doubles;
pub mod fixture;
pub mod fragments;
pub mod lanes;
pub mod list;
pub mod machine;
pub mod measured;
pub mod program;
pub mod tensors;
pub mod texture_reads;
pub mod textures;
pub mod value;
pub mod warpgroup;

use flate2::read::GzDecoder;
use std::ffi::OsStr;
use std::fs::File;
use std::path::PathBuf;

/// Returns the path of a file or folder of test data.
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the files in a folder whose names end in `.extension`, sorted by path.
fn paths(name: &str, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension() == Some(OsStr::new(extension))).collect();
    paths.sort();
    paths
}

/// Returns the files in a folder whose names end in `.extension`: their names without it, and their texts.
pub fn files(name: &str, extension: &str) -> Vec<(String, String)> {
    let stem = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    let file = |path: PathBuf| (stem(&path), std::fs::read_to_string(&path).unwrap());
    paths(name, extension).into_iter().map(file).collect()
}

/// Returns the compiled sources in `fixtures/*.ptx.gz`: their names, such as `forces.nvrtc12.1-sm75`, and their PTX.
pub fn fixtures() -> Vec<(String, String)> {
    let file = |path: PathBuf| {
        let reader = GzDecoder::new(File::open(&path).unwrap());
        let text = std::io::read_to_string(reader).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_name().unwrap().to_string_lossy();
        (name.trim_end_matches(".ptx.gz").to_owned(), text)
    };
    paths("fixtures", "gz").into_iter().map(file).collect()
}

/// Returns the PTX of all programs that the tests run.
pub fn modules() -> Vec<String> {
    let programs = ["programs", "faults"].into_iter().flat_map(|name| files(name, "ptx"));
    programs.chain(fixtures()).map(|(_, text)| text).collect()
}
