//! The launches of a run, their counts and results.

use super::definition::{Definition, Prepared};
use super::layout::Layout;
use crate::error::Error;
use reference::inputs::Inputs;

impl<D: Definition> Prepared<'_, D> {
    /// Returns the results of the last run.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn results(&self) -> Result<<D::Layout as Layout>::Results, Error> {
        self.layout.results(&self.setup)
    }

    /// Launches the kernel once.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn launch_kernel(&mut self) -> Result<(), Error> {
        let Self { problem, setup, layout, .. } = self;
        setup.run(|launch| problem.launch(launch, layout))
    }

    /// Runs, and counts. A CPU computes the reference of a single launch while a GPU runs it.
    pub(super) fn run_and_count(&mut self) -> Result<(), Error> {
        if D::launches(self) > 1 {
            return self.count_launches();
        }
        D::run(self)?;
        self.inputs.expect();
        self.setup.finish_and_count()
    }

    /// Runs, and sums the counts of all launches.
    pub(super) fn count_launches(&mut self) -> Result<(), Error> {
        self.setup.counters.set(None);
        for index in 0..D::launches(self) {
            D::launch_one(self, index)?;
            self.setup.finish_and_add_counts()?;
        }
        Ok(())
    }
}
