//! Output of rank 0: a table, or records.

mod record;
mod recorded;
mod table;

use crate::ranks::measure::Times;
use crate::ranks::model::{Link, Model};
use crate::ranks::options::Options;
use crate::ranks::rank::Rank;
use crate::ranks::strategy::Strategy;
use crate::ranks::tape::{Counts, Span};
use common::Error;
use common::device::Backend;
use common::problem::Size;
use common::report::Output;
pub use record::Record;
use recorded::Recorded;

/// The verdict on a strategy's results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Correct on all ranks.
    Right,
    /// Wrong on at least one rank.
    Wrong,
    /// Not run on these ranks, for this reason.
    LeftOut(String),
    /// Not prepared, for this reason.
    Failed(String),
}

/// The outcome of a strategy at a size.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict on its results.
    pub verdict: Verdict,
    /// The counts of this rank's step.
    pub counts: Counts,
    /// The times; `None` on the emulator.
    pub times: Option<Times>,
    /// The timeline of this rank's kernels and transfers; empty on the emulator.
    pub timeline: Vec<Span>,
}

impl Outcome {
    /// Returns an outcome without counts or times.
    #[must_use]
    pub fn new(verdict: Verdict) -> Self {
        Self { verdict, counts: Counts::default(), times: None, timeline: Vec::new() }
    }
}

/// An outcome as a row of the table.
#[derive(Debug)]
pub struct Row {
    strategy: &'static dyn Strategy,
    size: Size,
    outcome: Outcome,
    /// The predicted time in milliseconds.
    predicted: Option<f64>,
    /// The minimum time in milliseconds to transfer its bytes over the link.
    at_link: Option<f64>,
    /// The recorded run whose times are shown, or the reason why there is none; `None` on GPUs, under checks and for wrong results.
    recorded: Option<Result<Recorded, &'static str>>,
}

impl Row {
    /// Returns the times: this run's, or recorded ones.
    fn times(&self) -> Option<Times> {
        self.outcome.times.or_else(|| self.recorded.as_ref()?.as_ref().ok()?.times_ms)
    }
}

/// A writer that prints on rank 0 only.
pub struct Writer<'a> {
    rank: &'a Rank,
    link: Option<Link>,
    json: bool,
    brief: bool,
    /// The recorded runs of the GPU whose times are shown; `None` on GPUs and under checks.
    records: Option<Vec<Recorded>>,
    words: Output,
    rows: Vec<Row>,
}

impl<'a> Writer<'a> {
    /// Creates the writer for a job.
    #[must_use]
    pub fn new(rank: &'a Rank, options: &Options, link: Option<Link>) -> Self {
        let shows_records = rank.device.backend == Backend::Emulator && !options.check;
        Self {
            rank,
            link,
            json: options.json,
            brief: options.brief,
            records: shows_records.then(|| recorded::read(options.on)),
            words: Output::new(options.json),
            rows: Vec::new(),
        }
    }

    fn is_silent(&self) -> bool {
        self.rank.place.rank > 0
    }

    /// Prints the lines above the table.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn begin(&mut self) -> Result<(), Error> {
        if self.is_silent() {
            return Ok(());
        }
        self.words.say(&table::banner(self.rank, self.link, self.records.is_some()))
    }

    /// Adds a row, and prints its record.
    ///
    /// # Errors
    /// [`Error::Write`], [`Error::Json`]; [`Error::Driver`] from gathering timelines.
    pub fn add(&mut self, strategy: &'static dyn Strategy, size: Size, outcome: Outcome) -> Result<(), Error> {
        let bytes = outcome.counts.bytes_received;
        let model = self.link.zip(outcome.times).map(|(link, times)| Model {
            ranks: self.rank.devices as f64,
            alone: times.alone,
            link,
            bytes,
        });
        let predicted = model.and_then(|model| strategy.predict(&model));
        let at_link = self.link.filter(|_| bytes > 0.0).map(|link| bytes / link.bandwidth);
        let records = self.records.as_ref().filter(|_| outcome.verdict == Verdict::Right);
        let recorded = records.map(|records| recorded::find(records, strategy, self.rank.in_rust));
        let row = Row { strategy, size, outcome, predicted, at_link, recorded };
        let timelines = record::timelines(self.rank, &row.outcome.timeline)?;
        if self.json && !self.is_silent() {
            self.words.json(&Record::new(self.rank, self.link, &row, timelines))?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// Prints the table, and the notes on it.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn end(&mut self) -> Result<(), Error> {
        if self.is_silent() {
            return Ok(());
        }
        let emulated = self.rank.device.backend == Backend::Emulator;
        let (table, notes) = table::render(&self.rows, emulated);
        self.words.say(&table)?;
        if self.brief { Ok(()) } else { self.words.say(&notes) }
    }
}
