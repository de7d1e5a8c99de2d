//! The file: a device, its peak rates, a record for each kernel, and the kernels that are left out.

use anyhow::{Context, Result};
use common::ceilings::Measured;
use common::device::Attributes;
use common::recorded::Language;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

/// The version of the form of a file. Raise it if older files cannot be read any more.
pub const SCHEMA: u32 = 1;

/// The largest file in bytes.
pub const MAX_BYTES: usize = 300_000;

/// The record of a GPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuRecord {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The device.
    pub device: Chip,
    /// `580.65.06 (CUDA 13.0)`, or `for CUDA 13.0`.
    pub driver: String,
    /// UTC time at which the recording began.
    pub date: String,
    /// The rates of the device's units, as the program `limits` measures them.
    pub limits: Vec<Measured>,
    /// The kernels without a record.
    pub left_out: Vec<LeftOut>,
    /// A stage's record (`--json`) of each kernel, without what follows from the rest of the file and from the repository.
    pub records: Vec<Value>,
}

/// A device. What its driver does not report is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chip {
    /// The name, as the driver reports it.
    pub name: String,
    /// Compute capability, such as `9.0`.
    pub compute_capability: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of the L2 cache.
    pub l2_bytes: Option<u64>,
    /// The nominal clock of the multiprocessors.
    pub clock_mhz: Option<f64>,
    /// Single-precision operations per second at the nominal clock.
    pub fp32_flops_per_second: Option<f64>,
    /// Operations of tensor cores per second, as in [`Attributes`].
    pub tensor_flops_per_second: Option<f64>,
    /// Results of the special-function units per second.
    pub special_functions_per_second: Option<f64>,
    /// Bytes per second between the chip and its memory.
    pub memory_bytes_per_second: Option<f64>,
}

impl Chip {
    /// Returns the peak rates.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        Attributes {
            multiprocessors: Some(self.multiprocessors),
            threads_per_multiprocessor: None,
            fp32_flops_per_second: self.fp32_flops_per_second,
            tensor_flops_per_second: self.tensor_flops_per_second,
            special_functions_per_second: self.special_functions_per_second,
            memory_bytes_per_second: self.memory_bytes_per_second,
        }
    }

    /// Returns major and minor of the compute capability; `None` if it is no such pair.
    #[must_use]
    pub fn capability(&self) -> Option<(i32, i32)> {
        let (major, minor) = self.compute_capability.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}

/// A kernel without a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The stage.
    pub stage: String,
    /// The kernel.
    pub kernel: String,
    /// Its language.
    pub language: Language,
    /// The kind of reason.
    pub because: Cause,
    /// The reason in words, such as the driver's error.
    pub reason: String,
}

/// A kind of reason for leaving out a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The device is too old or too new.
    ComputeCapability,
    /// A block needs more shared memory than the device has for one.
    SharedMemory,
    /// The device's memory does not hold the data.
    Memory,
    /// The driver refuses the kernel or its launch, or ends it.
    Refused,
    /// The recording had taken its time.
    Time,
    /// The kernel was edited after it had been recorded.
    Changed,
}

/// A kernel of a stage in a language, as messages name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The stage.
    pub stage: String,
    /// The kernel.
    pub kernel: String,
    /// Whether it is the Rust version.
    pub in_rust: bool,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let language = if self.in_rust { " in Rust" } else { "" };
        write!(f, "{}, {}{language}", self.stage, self.kernel)
    }
}

impl LeftOut {
    /// Returns the kernel's name.
    #[must_use]
    pub fn name(&self) -> Name {
        Name { stage: self.stage.clone(), kernel: self.kernel.clone(), in_rust: self.language.is_rust() }
    }
}

impl GpuRecord {
    /// Writes the file in one step, with a line for each record, so that a later recording has a readable diff.
    ///
    /// # Errors
    /// The reason why the folder cannot be made or the file not be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let context = || format!("cannot write {}", path.display());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder).with_context(context)?;
        let mut scratch = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
        scratch.write_all(self.text()?.as_bytes()).with_context(context)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Only their owner can read temporary files.
            scratch.as_file().set_permissions(fs::Permissions::from_mode(0o644)).with_context(context)?;
        }
        scratch.persist(path).with_context(context)?;
        Ok(())
    }

    /// Returns the text of the file.
    ///
    /// # Errors
    /// The serializer's.
    pub fn text(&self) -> Result<String> {
        let Self { schema, device, driver, date, limits, left_out, records } = self;
        let [device, driver, date] =
            [serde_json::to_string(device)?, serde_json::to_string(driver)?, serde_json::to_string(date)?];
        let head = format!("{{\"schema\":{schema},\n\"device\":{device},\n\"driver\":{driver},\"date\":{date}");
        let [limits, left_out, records] = [lines(limits)?, lines(left_out)?, lines(records)?];
        Ok(format!("{head},\n\"limits\":[{limits}],\n\"left_out\":[{left_out}],\n\"records\":[{records}]}}\n"))
    }
}

/// Returns the items of an array, each on a line.
fn lines<T: Serialize>(items: &[T]) -> Result<String> {
    let lines = items.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join(",\n")) })
}
