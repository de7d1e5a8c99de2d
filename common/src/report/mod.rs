//! The results of a run as tables, lines and JSON records.

pub mod compare;
mod data;
mod findings;
mod legend;
mod lines;
mod print;
mod record;
#[cfg(test)]
pub(crate) mod samples;
pub mod table;

pub use compare::Recording;
pub use data::readings::Readings;
pub use data::steps::{Below, Quantity, global_bytes};
pub use data::view::View;
pub use print::{Output, Table, help};
pub use record::{CheckRecord, Rate, Record, counts};

use crate::ceilings::{Ceilings, RecordError};
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::options::Options;
use crate::outcome::Outcome;
pub use crate::recorded::Language;
use crate::recorded::results;
use crate::session::Session;
use crate::stage::Stage;
use data::steps;
use predict::Gpu;

/// Returns the ceilings of a GPU as [`Ceilings::of_gpu`] does, or on the emulator those of the GPU whose times are shown, from the
/// folder `results` next to a stage.
///
/// # Errors
/// [`RecordError`] if a record cannot be read.
pub fn ceilings(stage: &Stage, device: &Device, gpu: Option<&Gpu>, again: bool) -> Result<Ceilings, RecordError> {
    match (device.backend, results::folder(stage), gpu) {
        (Backend::Cuda, Some(folder), _) => Ceilings::of_gpu(&folder, device, again),
        (Backend::Emulator, Some(folder), Some(gpu)) => {
            Ceilings::in_folder(&folder, &folder.join(results::of_gpu(gpu)))
        }
        _ => Ok(Ceilings::default()),
    }
}

/// Returns the table of the outcomes that were not shown yet, which has fewer rows than it will have; empty if there are none.
#[must_use]
pub fn preview(output: &Output, stage: &Stage, options: &Options, session: &Session, outcomes: &[Outcome]) -> String {
    let rows = table::rows(&outcomes[output.shown..], options.counters);
    let readings = Readings::read(stage).unwrap_or_default();
    let view = View::new(stage, session, options, &rows, &readings);
    if rows.is_empty() { String::new() } else { format!("\n{}", table::render(&view)) }
}

impl Output {
    /// Prints everything that follows the runs: notes, tables, their legend, and what they show. Wrong results replace
    /// these lines: their table teaches nothing else.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn report(
        &mut self,
        stage: &Stage,
        options: &Options,
        session: &mut Session,
        outcomes: &[Outcome],
        recording: Option<&Recording>,
    ) -> Result<(), Error> {
        table::show(self, stage, options, session, outcomes)?;
        if outcomes.is_empty() {
            return Ok(());
        }
        let rows = table::rows(outcomes, options.counters);
        let readings = Readings::read(stage).unwrap_or_default();
        let view = View::new(stage, session, options, &rows, &readings);
        self.other_tables(&view, options, recording.map(|recording| recording.render(outcomes)))?;
        let failures = lines::failure_lines(outcomes);
        if !failures.is_empty() {
            return self.say_all(&failures);
        }
        for lines in [legend::lines(&view, &table::render(&view)), findings::lines(&view)] {
            self.say("")?;
            self.say_all(&lines)?;
        }
        Ok(())
    }

    /// Prints the tables of steps, of a comparison and of published times, and what the written files show.
    fn other_tables(&mut self, view: &View, options: &Options, comparison: Option<String>) -> Result<(), Error> {
        let steps = steps::count_table(view.rows).filter(|_| options.changes);
        let published = lines::published_table(view.rows).filter(|_| options.published);
        for table in [steps, comparison, published].into_iter().flatten() {
            self.say(&format!("\n{}", table.trim_end()))?;
        }
        for written in view.rows.iter().flat_map(|outcome| &outcome.written) {
            self.say_all(&written.lines)?;
        }
        Ok(())
    }
}
