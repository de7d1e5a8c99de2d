//! The remarks on recorded times whose kernel has changed since, and on kernels without a record.

use super::directives::BLOCKS;
use super::kernels::{STAGES, chosen, stage};
use super::records::Records;
use super::{Sources, version};
use anyhow::Result;

/// The directives whose first argument is a stage and that show its recorded times. They mark records of older versions of a
/// kernel.
const OF_RECORDS: [&str; 14] = [
    "ladder",
    "plot",
    "sweep",
    "sizes",
    "roofline",
    "traffic",
    "time",
    "ratio",
    "rate",
    "share",
    "occupancy",
    "cpu",
    "limiter",
    "unit",
];

impl Sources {
    /// Returns the remark after the replacement of a directive if kernels have changed since they were recorded.
    pub(super) fn remark_on_age(&self, words: &[&str]) -> Result<String> {
        let of_stage = |name: &str| Ok(self.records(name)?.older(stage(name)?));
        match words {
            ["results"] => {
                let older: Vec<_> = STAGES.iter().map(|stage| of_stage(stage.name)).collect::<Result<_>>()?;
                Ok(version::below(&older.concat()))
            }
            [word, name, kernels @ ..] if OF_RECORDS.contains(word) => {
                let mut older = of_stage(name)?;
                if *word == "sizes" || kernels.contains(&"at") {
                    let others = self.sizes(name)?.older(stage(name)?);
                    older.extend(others.into_iter().filter(|kernel| !older.contains(kernel)).collect::<Vec<_>>());
                }
                older.retain(|kernel| kernels.is_empty() || kernels.contains(kernel));
                Ok(if BLOCKS.contains(word) { version::below(&older) } else { version::inline(&older) })
            }
            _ => Ok(String::new()),
        }
    }

    /// Returns the remark after a block of recorded times if kernels have no record.
    pub(super) fn remark_on_gaps(&self, words: &[&str]) -> Result<String> {
        let [word, name, kernels @ ..] = words else { return Ok(String::new()) };
        if !BLOCKS.contains(word) || !OF_RECORDS.contains(word) {
            return Ok(String::new());
        }
        let records = match *word {
            "sweep" => Records::sweep(&self.device()?.folder, name)?,
            "sizes" => self.sizes(name)?,
            _ => self.records(name)?,
        };
        let mut missing = records.missing(stage(name)?);
        // The chart of launch shapes of a whole stage leaves out kernels with only one shape.
        missing.retain(|kernel| kernels.contains(kernel) || (kernels.is_empty() && *word != "sweep"));
        if *word == "sweep" && records.list().is_empty() {
            missing = chosen(stage(name)?, kernels)?.iter().map(|row| row.kernel).collect();
        }
        // Requests are counted by the emulator, which runs everywhere.
        Ok(if *word == "traffic" { String::new() } else { version::gaps(&missing) })
    }
}
