//! The form of the records, and reading them.

use crate::problem::Parameters;
use emulator::Counters;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Number;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files in the folder of a device.
pub(super) const CEILINGS: &str = "limits.json";
pub(super) const OPCODES: &str = "opcodes.json";
pub const READINGS: &str = "nsight-compute.json";

/// A record that exists and cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {reason}", file.display())]
pub struct RecordError {
    file: PathBuf,
    reason: String,
}

/// The contents of `opcodes.json`.
#[derive(Deserialize)]
pub(super) struct Opcodes {
    /// Launches at small sizes.
    pub(super) kernels: Vec<OfOptions>,
    /// The launches of the stages' tables.
    #[serde(default)]
    pub(super) tables: Vec<OfTable>,
}

#[derive(Deserialize)]
pub(super) struct OfOptions {
    pub(super) kernel: String,
    pub(super) options: BTreeMap<String, Number>,
    pub(super) opcodes: BTreeMap<String, u64>,
}

/// The contents of `nsight-compute.json`.
#[derive(Deserialize)]
pub(super) struct Profiled {
    pub(super) kernels: Vec<OfWavefronts>,
}

/// The counters of wavefronts of shared memory.
pub(super) const WAVEFRONTS: [&str; 3] =
    ["shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"];

#[derive(Deserialize)]
pub(super) struct OfWavefronts {
    pub(super) kernel: String,
    pub(super) options: BTreeMap<String, Number>,
    pub(super) readings: BTreeMap<String, u64>,
    /// The counters that PTX does not determine, with the reasons.
    #[serde(default)]
    pub(super) differs: BTreeMap<String, String>,
}

#[derive(Deserialize)]
pub(super) struct OfTable {
    pub(super) kernel: String,
    pub(super) kernel_sha256: String,
    pub(super) size: usize,
    #[serde(default)]
    pub(super) parameters: Option<Parameters>,
    pub(super) opcodes: BTreeMap<String, u64>,
}

/// The fields used of a record of the emulator.
#[derive(Deserialize)]
pub(super) struct Counted {
    pub(super) kernel: String,
    pub(super) kernel_sha256: Option<String>,
    pub(super) size: usize,
    #[serde(alias = "slice", default)]
    pub(super) parameters: Option<Parameters>,
    pub(super) counters: Option<Counters>,
}

/// Reads a file of JSON; `None` if it does not exist.
pub fn read_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, RecordError> {
    let failed = |reason: String| RecordError { file: file.to_owned(), reason };
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| failed(error.to_string()))?,
    };
    serde_json::from_str(&text).map(Some).map_err(|error| failed(error.to_string()))
}

/// Lists a folder in ascending order; nothing if it does not exist.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let failed = |error: std::io::Error| RecordError { file: folder.to_owned(), reason: error.to_string() };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut paths = entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

pub(super) fn json_files(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let is_json = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "json");
    Ok(entries(folder)?.into_iter().filter(is_json).collect())
}
