//! A compiled kernel.

use crate::device::{Device, How, Outcome};
use crate::error::Error;
use crate::kernel_file::Language;
use crate::set::{Case, Exercise, LaunchLine, Role};
use std::path::PathBuf;

/// A compiled kernel: a learner's, or one of the set.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The file, which messages name and quote.
    pub file: PathBuf,
    /// The language of the file.
    pub language: Language,
    /// The text of the file.
    pub text: String,
    /// The PTX made from the text.
    pub ptx: String,
}

impl Submission {
    /// Reads a kernel of the set with its prebuilt PTX.
    ///
    /// # Errors
    /// There is no such kernel, or its PTX is missing or out of date.
    pub fn prebuilt(exercise: &Exercise, role: &Role, language: Language) -> Result<Self, Error> {
        let file = exercise.source_file(role, language);
        let text = exercise.source(role, language)?;
        match exercise.prebuilt(role, language, &text) {
            Some(ptx) => Ok(Self { file, language, text, ptx }),
            None => {
                let reason = "its PTX is missing or out of date; run `cargo x ptx`".into();
                Err(Error::Set { path: file, reason })
            }
        }
    }

    /// Returns the launch line at the sizes of a case, if the exercise has one.
    ///
    /// # Errors
    /// The line is missing or wrong.
    pub fn launch_line(&self, exercise: &Exercise, case: &Case) -> Result<Option<LaunchLine>, String> {
        exercise.card.launch_line.then(|| LaunchLine::parse(&self.text, &case.sizes)).transpose()
    }

    /// Runs the kernel in a case.
    pub(crate) fn try_run(&self, exercise: &Exercise, case: &Case, how: How) -> Result<Outcome, String> {
        Device::prepare(&exercise.card, case, &self.ptx)?.run(self.launch_line(exercise, case)?, how)
    }

    /// Runs a kernel of a set in a case.
    pub(crate) fn run(&self, exercise: &Exercise, case: &Case, how: How) -> Result<Outcome, Error> {
        self.try_run(exercise, case, how).map_err(|reason| self.invalid(reason))
    }

    /// Returns an error about this kernel of a set.
    pub(crate) fn invalid(&self, reason: String) -> Error {
        Error::Set { path: self.file.clone(), reason }
    }
}
