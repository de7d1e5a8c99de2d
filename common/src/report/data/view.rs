//! The run, record and options that the cells of a table depend on.

use super::readings::Readings;
use crate::columns::{Chosen, Column};
use crate::device::{Attributes, Backend};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::stage::Stage;

/// The data that the cells of a table depend on.
#[derive(Clone, Copy, Debug)]
pub struct View<'v, 'a> {
    /// The stage.
    pub stage: &'v Stage,
    /// The device's attributes.
    pub attributes: &'v Attributes,
    /// The kernels with a row.
    pub rows: &'v [Outcome<'a>],
    /// The counters that Nsight Compute counts differently.
    pub readings: &'v Readings,
    /// Whether the rows are the launch shapes of a sweep.
    pub is_sweep: bool,
    /// The chosen columns; `None` for those that suit the run.
    pub chosen: Option<&'v Chosen>,
    /// Whether the columns are those of `--counters`.
    pub with_counters: bool,
    /// Whether the run shows times: measured, recorded or estimated.
    pub has_times: bool,
}

impl<'v, 'a> View<'v, 'a> {
    /// Returns the view of these rows of a run.
    #[must_use]
    pub fn new(
        stage: &'v Stage,
        session: &'v Session,
        options: &'v Options,
        rows: &'v [Outcome<'a>],
        readings: &'v Readings,
    ) -> Self {
        let backend = session.device.backend;
        let of_device = &session.device.attributes;
        let attributes = if backend == Backend::Cuda { of_device } else { session.ceilings.attributes() };
        let has_times = backend == Backend::Cuda || session.estimated_gpu.is_some();
        let is_sweep = options.sweep;
        let chosen = options.columns.as_ref();
        let with_counters = options.counters;
        Self { stage, attributes, rows, readings, is_sweep, chosen, with_counters, has_times }
    }

    /// Returns why ptxas changes the PTX's count of a column; `None` if it does not. The readings are of the kernels in CUDA C++.
    pub(in crate::report) fn difference(&self, column: Column, outcome: &Outcome) -> Option<&String> {
        let counter = match column {
            Column::SectorsPerLoad => "global_load_sectors",
            Column::ConflictsPerLoad => "shared_load_wavefronts",
            Column::ConflictsPerAtomic => "shared_atomic_wavefronts",
            _ => return None,
        };
        let plan = &outcome.run.plan;
        self.readings.difference(plan.rung.kernel, counter).filter(|_| !plan.in_rust)
    }
}
