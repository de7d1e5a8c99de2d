//! Rates that were measured on this machine, which the user's cache folder keeps for later runs.

use super::bench::quick::measurements_version;
use super::measured::Measured;
use crate::device::Device;
use crate::format::slug;
use crate::kernel::version_of;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The device and software that rates are of. With any other, they are measured again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The device's name.
    pub device: String,
    /// Number of multiprocessors, of which a part of a GPU has fewer.
    pub multiprocessors: Option<u32>,
    /// The clocks that the driver reports, in kHz.
    pub clock_khz: Option<u32>,
    /// The same for memory.
    pub memory_clock_khz: Option<u32>,
    /// The driver's version.
    pub driver: String,
    /// The version of the measurements.
    pub measurements: String,
}

/// The contents of a file.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: Key,
    limits: Vec<Measured>,
}

impl Key {
    /// Returns the key of a device.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self {
            device: device.name.clone(),
            multiprocessors: device.attributes.multiprocessors,
            clock_khz: device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
            memory_clock_khz: device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
            driver: device.driver.clone(),
            measurements: measurements_version(),
        }
    }

    /// Returns the file of the key: `nvidia-a10-0123456789ab.json`.
    fn file(&self, folder: &Path) -> PathBuf {
        let hash = version_of([format!("{self:?}").as_str()]);
        folder.join(format!("{}-{}.json", slug(&self.device), &hash[..12]))
    }
}

/// Reads the rates of a key; `None` if there are none.
///
/// # Errors
/// A sentence about a file that exists and cannot be used.
pub fn read(folder: &Path, key: &Key) -> Result<Option<Vec<Measured>>, String> {
    let file = key.file(folder);
    let failed = |reason: String| format!("cannot use {}: {reason}", file.display());
    let text = match std::fs::read_to_string(&file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        text => text.map_err(|error| failed(error.to_string()))?,
    };
    let kept: Kept = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let is_usable = |one: &Measured| one.verified && one.rate.is_some_and(|rate| rate.is_finite() && rate > 0.0);
    if kept.key != *key || kept.limits.is_empty() || !kept.limits.iter().all(is_usable) {
        return Err(failed("it has no rates of this GPU".into()));
    }
    Ok(Some(kept.limits))
}

/// Writes the rates of a key.
///
/// # Errors
/// A sentence about the file or folder that cannot be written.
pub fn write(folder: &Path, key: &Key, limits: &[Measured]) -> Result<(), String> {
    let file = key.file(folder);
    let kept = Kept { key: key.clone(), limits: limits.to_vec() };
    let text = serde_json::to_string_pretty(&kept).map_err(std::io::Error::from);
    // Another run may read at the same time: it sees a whole file, this one or the one before.
    let new = file.with_extension(format!("{}.new", std::process::id()));
    let written = text.and_then(|text| {
        std::fs::create_dir_all(folder)?;
        std::fs::write(&new, text)?;
        std::fs::rename(&new, &file)
    });
    written.map_err(|error| {
        // It may not exist; a later run would replace neither.
        let _ = std::fs::remove_file(&new);
        format!("cannot write {}: {error}", file.display())
    })
}
