//! The GPUs with records: the folders of `results` that contain records of a stage, and the files that anybody can send.

use super::kernels::STAGES;
use super::records::{Records, file_of_gpu, read_if_there};
use anyhow::{Context, Result};
use common::ceilings::Measured;
use common::device::Backend;
use common::recorded::results::{COMMUNITY, of_gpu};
use predict::{GPUS, Gpu};
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders that come first, in this order. Others follow, sorted by name. Chapters show the first GPU, and the results page
/// shows all.
const ORDER: [&str; 1] = ["nvidia-h200"];

/// A GPU with records.
pub struct Device {
    /// The folder in `results`, or the file in its folder [`COMMUNITY`].
    pub folder: PathBuf,
    /// The name of the GPU: `NVIDIA H200`.
    pub name: String,
}

impl Device {
    /// Returns the GPU that chapters show.
    ///
    /// # Errors
    /// Returns an error if no GPU is recorded or if a file of records is invalid.
    pub fn shown(results: &Path) -> Result<Self> {
        with_folders(results)?.into_iter().next().with_context(|| {
            format!(
                "no folder of {} has a GPU's run of a stage, such as `cargo run -p {} -- --json` prints",
                results.display(),
                STAGES[0].name
            )
        })
    }

    /// Reads a list of records in the device's folder; empty if there is no such file.
    ///
    /// # Errors
    /// Returns an error if the file is not such a list.
    pub fn list<T: DeserializeOwned>(&self, file: &str) -> Result<Vec<T>> {
        read_if_there(&self.folder.join(file))
    }

    /// Reads the measured rates of the device's units; empty if they are not recorded.
    ///
    /// # Errors
    /// Returns an error if the file has another form.
    pub fn limits(&self) -> Result<Vec<Measured>> {
        if self.folder.is_file() { Ok(file_of_gpu(&self.folder)?.limits) } else { self.list("limits.json") }
    }

    /// Returns the bytes of the L2 cache, from the file of the GPU or from the model of a GPU whose times are estimated.
    ///
    /// # Errors
    /// Returns an error if the file has another form.
    pub fn l2_bytes(&self) -> Result<Option<u64>> {
        if self.folder.is_file() {
            return Ok(file_of_gpu(&self.folder)?.device.l2_bytes);
        }
        let is_of = |gpu: &&&Gpu| self.folder.ends_with(of_gpu(gpu));
        Ok(GPUS.iter().find(is_of).map(|gpu| gpu.memory.l2_bytes))
    }

    /// Returns the device of a folder; `None` if the folder has no run of a stage, or runs on the emulator.
    fn from_folder(folder: PathBuf) -> Result<Option<Self>> {
        let Some(stage) = STAGES.iter().find(|stage| Records::file(&folder, stage.name).is_file()) else {
            return Ok(None);
        };
        let records = Records::in_folder(&folder, stage.name)?;
        let name = records.list().iter().find(|record| record.backend == Backend::Cuda).map(|record| &record.device);
        Ok(name.cloned().map(|name| Self { folder, name }))
    }

    fn place(&self) -> (usize, String) {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (ORDER.iter().position(|first| *first == name).unwrap_or(ORDER.len()), name)
    }
}

/// Returns every recorded GPU, in the order of the book. Files that cannot be read are left out: `check` reports them.
///
/// # Errors
/// Returns an error if the folder cannot be read or if a file of records in the folder of a GPU is invalid.
pub fn all(results: &Path) -> Result<Vec<Device>> {
    let mut devices = with_folders(results)?;
    let files = fs::read_dir(results.join(COMMUNITY)).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "json"));
    devices.extend(files.filter_map(|file| Some(Device { name: file_of_gpu(&file).ok()?.device.name, folder: file })));
    devices.sort_by_key(Device::place);
    Ok(devices)
}

/// Returns the GPUs with a folder, in the order of the book.
fn with_folders(results: &Path) -> Result<Vec<Device>> {
    let unreadable = || format!("cannot read {}", results.display());
    let mut devices = Vec::new();
    for entry in fs::read_dir(results).with_context(unreadable)? {
        let folder = entry.with_context(unreadable)?.path();
        devices.extend(if folder.is_dir() { Device::from_folder(folder)? } else { None });
    }
    devices.sort_by_key(Device::place);
    Ok(devices)
}
