//! Counters for which Nsight Compute and the emulator differ, because ptxas changes the accesses of the PTX:
//! `nsight-compute.json` in the folders of `results`.

use crate::ceilings::{READINGS, RecordError, read_json};
use crate::recorded::results::{devices, folder};
use crate::stage::Stage;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The differences that are recorded.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    /// The reason, by kernel and counter.
    differences: BTreeMap<(String, String), String>,
}

/// The fields used of a file.
#[derive(Default, Deserialize)]
pub(in crate::report) struct File {
    kernels: Vec<Reading>,
}

#[derive(Deserialize)]
struct Reading {
    kernel: String,
    differs: BTreeMap<String, String>,
}

impl Readings {
    /// Reads the records; none if there is no folder `results`.
    ///
    /// # Errors
    /// [`RecordError`], if one cannot be read.
    pub fn read(stage: &Stage) -> Result<Self, RecordError> {
        let mut readings = Self::default();
        let Some(folder) = folder(stage) else { return Ok(readings) };
        for device in devices(&folder) {
            readings.add(read_json(&folder.join(device).join(READINGS))?.unwrap_or_default());
        }
        Ok(readings)
    }

    /// Adds the differences of a file.
    pub(in crate::report) fn add(&mut self, file: File) {
        for Reading { kernel, differs } in file.kernels {
            let reasons = differs.into_iter().map(|(counter, reason)| ((kernel.clone(), counter), reason));
            self.differences.extend(reasons);
        }
    }

    /// Returns why a counter of a kernel differs; `None` if it does not.
    pub(in crate::report) fn difference(&self, kernel: &str, counter: &str) -> Option<&String> {
        self.differences.get(&(kernel.to_owned(), counter.to_owned()))
    }
}
