//! The folder `results` with the recorded runs.

use crate::stage::Stage;
use predict::Gpu;
use std::path::{Path, PathBuf};

/// Returns the folder `results` of the workspace, on the machine that built the program.
pub fn folder(stage: &Stage) -> Option<PathBuf> {
    let workspace = Path::new(stage.rungs.first()?.source.crate_folder).parent()?;
    Some(workspace.join("results")).filter(|folder| folder.is_dir())
}

/// Returns `stage01` for `stage01-naive`, as in the names of records.
pub fn short_name(stage: &Stage) -> &'static str {
    stage.name.split('-').next().unwrap_or(stage.name)
}

/// Returns `nvidia-h200`, the name of a GPU's folder in it.
pub fn of_gpu(gpu: &Gpu) -> String {
    format!("nvidia-{}", gpu.id)
}

/// Returns the names of the folders in it, one per device.
pub fn devices(results: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(results).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir() && entry.file_name() != "machine-code");
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
