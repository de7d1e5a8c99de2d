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

/// The folder in it with a file for each GPU that anybody has recorded by `cargo x record`.
pub const COMMUNITY: &str = "community";

/// Returns the recorded devices: the names of folders, one per device, and those of files in [`COMMUNITY`].
pub fn devices(results: &Path) -> Vec<String> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let has_records = |path: &PathBuf| !["machine-code", COMMUNITY].iter().any(|other| path.ends_with(other));
    let folders = entries(results).filter(|path| path.is_dir()).filter(has_records);
    let files = entries(&results.join(COMMUNITY)).filter(|path| path.extension().is_some_and(|kind| kind == "json"));
    let name = |path: PathBuf| Some(path.file_stem()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = folders.chain(files).filter_map(name).collect();
    names.sort();
    names.dedup();
    names
}

/// Returns the file in [`COMMUNITY`] of a device.
pub fn of_community(results: &Path, device: &str) -> PathBuf {
    results.join(COMMUNITY).join(format!("{device}.json"))
}
