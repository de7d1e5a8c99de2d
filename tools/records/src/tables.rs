//! The records of a file as tables need them: by stage, each with its gain over the rung below.

use crate::file::GpuRecord;
use anyhow::{Context, Result};
use common::report::{Below, Quantity, Record};
use common::stage::Stage;

impl GpuRecord {
    /// Returns the records of a stage's own kernels.
    ///
    /// # Errors
    /// An error if a record of the file has no such form.
    pub fn of_stage(&self, stage: &Stage) -> Result<Vec<Record>> {
        let read = |value| serde_json::from_value(value).context("the record of a GPU has another form");
        let all = self.records.iter().cloned().map(read).collect::<Result<Vec<Record>>>()?;
        let is_own = |record: &&Record| record.stage == stage.name;
        Ok(all
            .iter()
            .filter(is_own)
            .map(|record| Record { below: below(stage, record, &all), ..record.clone() })
            .collect())
    }
}

/// Returns the comparison with the rung below, if the stage lists it and the file has it.
fn below(stage: &Stage, record: &Record, all: &[Record]) -> Option<Below> {
    let rung = stage.rungs.iter().find(|rung| rung.kernel == record.kernel)?.below?;
    stage.rungs.iter().find(|other| other.kernel == rung.kernel)?;
    let other = all.iter().find(|other| (other.kernel.as_str(), other.language) == (rung.kernel, record.language))?;
    let median = |record: &Record| record.time_ms.as_ref().map(|time| time.median);
    Some(Below { kernel: rung.kernel.into(), ratio: median(other)? / median(record)?, of: Quantity::Time })
}
