//! The records for directives, from the folders of the device that the book shows.

use super::devices::Device;
use super::kernels::{chosen, of_problems, stage};
use super::records::{NOT_RECORDED, Readings, Records, Timed};
use super::{Sources, peaks, version};
use anyhow::{Result, bail};
use common::ceilings::Ceilings;
use common::stage::Rung;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// The blocks whose first argument is a stage and that show its recorded times.
const OF_RECORDS: [&str; 5] = ["ladder", "plot", "sweep", "sizes", "roofline"];

impl Sources {
    /// Returns the recorded run of a stage.
    ///
    /// # Errors
    /// The same as for [`Records::in_folder`].
    pub(crate) fn records(&self, stage: &str) -> Result<Records> {
        Records::in_folder(&self.device()?.folder, stage)
    }

    /// Returns other recorded runs of a stage, of one of the kinds of [`Records::others`].
    pub(super) fn others(&self, stage: &str, kind: &str) -> Result<Records> {
        Records::others(&self.device()?.folder, stage, kind)
    }

    /// Reads a list of records of the device.
    pub(super) fn list<T: DeserializeOwned>(&self, file: &str) -> Result<Vec<T>> {
        self.device()?.list(file)
    }

    /// Returns the peak rates of the device that the book shows.
    pub(super) fn known(&self) -> Result<Ceilings> {
        peaks::ceilings(&self.results(), &self.device()?)
    }

    /// Returns a number of a kernel's record, in the stage's table or at another size: of `STAGE NAME` or `STAGE NAME at N`.
    pub(super) fn record_number(
        &self,
        arguments: &[&str],
        say: impl FnOnce(&Timed) -> Result<String>,
    ) -> Result<String> {
        let &[name, kernel, ref at @ ..] = arguments else { bail!("name a stage and a kernel") };
        chosen(stage(name)?, &[kernel])?;
        let records = match at {
            [] => self.records(name)?,
            ["at", _] => self.others(name, "sizes")?,
            ["with", option, _] => self.others(name, option)?,
            _ => bail!("only `at` and a size, or `with` and an option, can follow the kernel"),
        };
        let all = records.all_of(kernel)?;
        let option = |timed: &Timed, name: &str| timed.record.parameters.as_ref()?.get(name);
        let is_wanted = |timed: &&Timed| match at {
            ["with", name, value] => option(timed, name).is_some_and(|given| given.to_string() == *value),
            _ => at.last().is_none_or(|size| timed.record.size.to_string() == *size),
        };
        match (all.iter().find(is_wanted), all.is_empty()) {
            (Some(timed), _) => say(timed),
            // With an option or at a size, a file is of the kernels that a chapter names. Only a whole file may be missing.
            (None, true) if at.is_empty() || records.are_none() => Ok(NOT_RECORDED.into()),
            (None, _) => bail!("{kernel} is not recorded {}", at.join(" ")),
        }
    }

    /// Returns a number of a recorded run that depends on the peak rates.
    pub(super) fn limit_number(
        &self,
        name: &str,
        kernel: &str,
        say: impl FnOnce(&Rung, &Timed, &Ceilings) -> Result<String>,
    ) -> Result<String> {
        let rung = chosen(stage(name)?, &[kernel])?[0];
        let records = self.records(name)?;
        let known = self.known()?;
        records.find(kernel)?.map_or_else(|| Ok(NOT_RECORDED.into()), |timed| say(rung, &timed, &known))
    }

    /// Returns the remark after a block of recorded times if kernels have no record.
    pub(super) fn remark_on_gaps(&self, words: &[&str]) -> Result<String> {
        let [word, name, kernels @ ..] = words else { return Ok(String::new()) };
        if !OF_RECORDS.contains(word) {
            return Ok(String::new());
        }
        let records = match *word {
            "sweep" | "sizes" => self.others(name, word)?,
            _ => self.records(name)?,
        };
        let mut missing = records.missing(stage(name)?);
        if let "ladder" | "roofline" = *word {
            let shown = of_problems(stage(name)?, kernels)?;
            missing.retain(|kernel| shown.iter().any(|rung| rung.kernel == *kernel));
            return Ok(version::gaps(&missing));
        }
        // The chart of launch shapes of a whole stage leaves out kernels with only one shape.
        missing.retain(|kernel| kernels.contains(kernel) || (kernels.is_empty() && *word != "sweep"));
        if *word == "sweep" && records.list().is_empty() {
            missing = chosen(stage(name)?, kernels)?.iter().map(|row| row.kernel).collect();
        }
        Ok(version::gaps(&missing))
    }

    pub(crate) fn counts(&self, stage: &str) -> Result<Records> {
        Records::counts(&self.results(), stage)
    }

    pub(super) fn readings(&self) -> Result<Readings> {
        Readings::read(&self.device()?.folder)
    }

    pub(super) fn device(&self) -> Result<Device> {
        Device::shown(&self.results())
    }

    pub(super) fn results(&self) -> PathBuf {
        self.book.join("../results")
    }
}
