//! The remark on kernels without a record, after blocks of recorded times.

use super::kernels::{chosen, stage};
use super::records::Records;
use super::{Sources, version};
use anyhow::Result;

/// The blocks whose first argument is a stage and that show its recorded times.
const OF_RECORDS: [&str; 5] = ["ladder", "plot", "sweep", "sizes", "roofline"];

impl Sources {
    /// Returns the remark after a block of recorded times if kernels have no record.
    pub(super) fn remark_on_gaps(&self, words: &[&str]) -> Result<String> {
        let [word, name, kernels @ ..] = words else { return Ok(String::new()) };
        if !OF_RECORDS.contains(word) {
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
        Ok(version::gaps(&missing))
    }
}
