//! What rank 0 prints: a table, or records.

mod record;
mod table;

use crate::measure::Times;
use crate::model::{Link, Model};
use crate::options::Options;
use crate::rank::Rank;
use crate::rung::{Rung, Size};
use crate::tape::{Counts, Span};
use common::Error;
use common::device::Backend;
use common::report::Output;
pub use record::Record;

/// Whether a rung's results are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// On all ranks.
    Right,
    /// On one rank at least they are not.
    Wrong,
    /// It cannot run on these ranks, for a reason.
    LeftOut(String),
    /// It could not be prepared.
    Failed(String),
}

/// What became of a rung at a size.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether its results are right.
    pub verdict: Verdict,
    /// What this rank's step enqueues.
    pub counts: Counts,
    /// Times; `None` on the emulator.
    pub times: Option<Times>,
    /// This rank's kernels and transfers in time; empty on the emulator.
    pub timeline: Vec<Span>,
}

impl Outcome {
    /// One without counts or times.
    #[must_use]
    pub fn of(verdict: Verdict) -> Self {
        Self { verdict, counts: Counts::default(), times: None, timeline: Vec::new() }
    }
}

/// An outcome as a row of the table.
#[derive(Debug)]
pub struct Row {
    rung: &'static dyn Rung,
    size: Size,
    outcome: Outcome,
    /// The predicted time.
    predicted: Option<f64>,
    /// Milliseconds that the link needs for its bytes at least.
    at_link: Option<f64>,
}

/// Prints as rank 0, and nothing as any other.
pub struct Writer<'a> {
    rank: &'a Rank,
    link: Option<Link>,
    json: bool,
    brief: bool,
    words: Output,
    rows: Vec<Row>,
}

impl<'a> Writer<'a> {
    /// For the ranks of a job.
    #[must_use]
    pub fn new(rank: &'a Rank, options: &Options, link: Option<Link>) -> Self {
        Self {
            rank,
            link,
            json: options.json,
            brief: options.brief,
            words: Output::new(options.json),
            rows: Vec::new(),
        }
    }

    fn is_silent(&self) -> bool {
        self.rank.place.rank > 0
    }

    /// The lines above the table.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn begin(&mut self) -> Result<(), Error> {
        if self.is_silent() {
            return Ok(());
        }
        self.words.say(&table::banner(self.rank, self.link))
    }

    /// A row, and its record.
    ///
    /// # Errors
    /// [`Error::Write`], [`Error::Json`]; [`Error::Driver`] from gathering timelines.
    pub fn add(&mut self, rung: &'static dyn Rung, size: Size, outcome: Outcome) -> Result<(), Error> {
        let bytes = outcome.counts.bytes_received;
        let model = self.link.zip(outcome.times).map(|(link, times)| Model {
            ranks: self.rank.devices as f64,
            alone: times.alone,
            link,
            bytes,
        });
        let predicted = model.and_then(|model| rung.predict(&model));
        let at_link = self.link.filter(|_| bytes > 0.0).map(|link| bytes / link.bandwidth);
        let row = Row { rung, size, outcome, predicted, at_link };
        let timelines = record::timelines(self.rank, &row.outcome.timeline)?;
        if self.json && !self.is_silent() {
            self.words.json(&Record::new(self.rank, self.link, &row, timelines))?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// The table, and what it shows.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn end(&mut self) -> Result<(), Error> {
        if self.is_silent() {
            return Ok(());
        }
        let emulated = self.rank.device.backend == Backend::Emulator;
        let (table, notes) = table::render(&self.rows, self.rank.devices, emulated);
        self.words.say(&table)?;
        if self.brief { Ok(()) } else { self.words.say(&notes) }
    }
}
