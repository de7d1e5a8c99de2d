//! What came of a run, in words, tables and records.

pub mod compare;
pub mod counts;
mod format;
mod lines;
mod record;
mod results;
#[cfg(test)]
pub(crate) mod samples;
mod steps;
pub mod table;
mod units;

pub use compare::Recording;
pub(crate) use format::plural;
pub use format::{DASH, WIDTH, milliseconds, percent, render_lines, three_digits};
pub use record::{CheckRecord, Rate, Record, now};
pub use steps::{Below, Quantity, global_bytes};

use crate::device::{Backend, Device};
use crate::error::Error;
use crate::limit::Known;
use crate::options::Options;
use crate::session::{Outcome, Session};
use crate::stage::{Rung, Stage};
use counts::Readings;
use std::io::Write;

/// What the folder `results` beside a stage knows of the limits of a device; nothing of the emulator's.
#[must_use]
pub fn known_limits(stage: &Stage, device: &Device) -> Known {
    match (device.backend, results::folder(stage)) {
        (Backend::Cuda, Some(folder)) => Known::of_device(&folder, &device.name),
        _ => Known::default(),
    }
}

/// `kernels/01_compute_forces.cu, .rs`
fn files(rung: &Rung) -> String {
    let in_rust = rung.source.rust.map(|source| format!(", .{}", source.language.extension()));
    rung.source.name() + &in_rust.unwrap_or_default()
}

/// The rows of the table, and what they are compared with: twins in Rust, and kernels at other sizes. In Rust alone the
/// twins are the rows.
fn rows<'a>(outcomes: &[Outcome<'a>]) -> (Vec<Outcome<'a>>, Vec<Outcome<'a>>) {
    let only_rust = outcomes.iter().all(|outcome| outcome.plan.in_rust);
    let is_row = |outcome: &Outcome| !outcome.is_beside && (only_rust || !outcome.plan.in_rust);
    outcomes.iter().cloned().partition(is_row)
}

/// What ran for its own sake, in the languages that were asked for.
fn asked_for<'a>(outcomes: &[Outcome<'a>]) -> Vec<Outcome<'a>> {
    outcomes.iter().filter(|outcome| !outcome.is_beside).cloned().collect()
}

/// Where words and records go, and in which order. Records go to stdout; words go there too, or to stderr beside
/// records.
pub struct Output {
    words: Box<dyn Write>,
}

impl Output {
    /// Words to stdout, or to stderr if records are asked for.
    #[must_use]
    pub fn new(json: bool) -> Self {
        Self { words: if json { Box::new(std::io::stderr()) } else { Box::new(std::io::stdout()) } }
    }

    /// The kernels of a stage.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn list(&mut self, stage: &Stage) -> Result<(), Error> {
        self.say(&format!("{}: {}", stage.name, stage.title))?;
        for rung in stage.rungs {
            let (facts, kernel, block) = (rung.work.facts(), rung.kernel, rung.block);
            let problem = format!("{:>8} {:<8}", facts.n, facts.units());
            self.say(&format!("{}  {kernel:<28} {problem} block {block:<4} {}", facts.letter, files(rung)))?;
        }
        Ok(())
    }

    /// Words, and a new line.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn say(&mut self, text: &str) -> Result<(), Error> {
        writeln!(self.words, "{text}")?;
        Ok(())
    }

    fn say_all(&mut self, lines: &[String]) -> Result<(), Error> {
        lines.iter().try_for_each(|line| self.say(line))
    }

    /// One line of JSON.
    ///
    /// # Errors
    /// [`Error::Write`], [`Error::Json`].
    pub fn json(&mut self, record: &impl serde::Serialize) -> Result<(), Error> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&line)?;
        stdout.flush()?;
        Ok(())
    }

    /// Everything that follows the runs.
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
        for notice in session.take_notices() {
            self.say(&format!("Note: {notice}"))?;
        }
        if outcomes.is_empty() {
            return Ok(());
        }
        let (device, backend) = (&session.device, session.device.backend);
        let all = outcomes;
        let (rows, beside) = rows(all);
        let outcomes = &rows;
        if options.counters {
            self.counts(stage, options, session, &asked_for(all))?;
        } else {
            self.say(&format!("\n{}", table::render(stage, device, outcomes, &beside, options.sweep)))?;
        }
        if let Some(units) = units::render(&session.known, outcomes).filter(|_| !options.sweep) {
            self.say(&units)?;
        }
        self.steps(options, outcomes)?;
        if let Some(recording) = recording {
            self.say(&recording.render(&asked_for(all)))?;
        }
        self.say_all(&lines::cpu(outcomes))?;
        self.say_all(&lines::totals(outcomes))?;
        self.say_all(&lines::published(outcomes))?;
        outcomes.iter().flat_map(|outcome| &outcome.written).try_for_each(|written| self.say_all(&written.lines))?;
        self.say_all(&lines::legend(backend, outcomes, options.sweep, options.counters))?;
        self.say_all(lines::twins(backend, &beside).as_slice())?;
        self.say_all(&lines::compiled(all))?;
        self.rungs(stage, backend, outcomes)?;
        self.say_all(&lines::parts(backend, outcomes))?;
        self.end(stage, all)
    }

    /// The table with counts beside times.
    fn counts(
        &mut self,
        stage: &Stage,
        options: &Options,
        session: &Session,
        outcomes: &[Outcome],
    ) -> Result<(), Error> {
        let readings = Readings::of(stage);
        let table = counts::render(stage, session.device.backend, outcomes, options.sweep, &readings);
        self.say(&format!("\n{table}"))?;
        self.say(counts::LEGEND)?;
        self.say_all(&readings.footnotes(outcomes))?;
        self.say("")
    }

    /// What each step changed in the emulator's counts. Shapes of a sweep differ in theirs, and would not compare.
    fn steps(&mut self, options: &Options, outcomes: &[Outcome]) -> Result<(), Error> {
        match steps::counted(outcomes) {
            Some(steps) if !options.sweep => {
                self.say(&format!("What each step bought, in counts: the rung below / this rung\n{steps}"))
            }
            _ => Ok(()),
        }
    }

    /// What the marks and columns of comparison between rungs mean, where there are any.
    fn rungs(&mut self, stage: &Stage, backend: Backend, outcomes: &[Outcome]) -> Result<(), Error> {
        if outcomes.iter().any(|outcome| stage.is_baseline(outcome.plan.rung)) {
            self.say("^ of an earlier stage, for comparison.")?;
        }
        if backend == Backend::Cuda && outcomes.iter().any(|outcome| outcome.plan.rung.below.is_some()) {
            self.say("x below: time of the rung below, in its fastest shape here, over this one's.")?;
        }
        Ok(())
    }

    /// What is wrong, or else the lesson: a table with wrong rows teaches nothing.
    fn end(&mut self, stage: &Stage, outcomes: &[Outcome]) -> Result<(), Error> {
        let failures = lines::failures(outcomes);
        self.say_all(&failures)?;
        if failures.is_empty() {
            let [first, second] = stage.lesson;
            self.say(&format!("\n{first}\n{second}\nRead on: {}", stage.read_on))?;
        }
        Ok(())
    }
}
