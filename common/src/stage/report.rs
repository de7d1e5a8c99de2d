//! Where the words and records of a run go, and in which order.

use super::{Outcome, Session, Stage};
use crate::Error;
use crate::compare::Recording;
use crate::counting::{self, Readings};
use crate::device::{Backend, Gpu};
use crate::kernel::PREBUILT;
use crate::options::Options;
use crate::rungs::counted_steps;
use crate::table;
use crate::verify::Sample;
use crate::workload::coulomb::{CHUNK, Method::Chunks};
use crate::workload::{Energy, Tutorial, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Records go to stdout; words go there too, or to stderr beside records.
pub(super) struct Output {
    words: Box<dyn Write>,
}

impl Output {
    pub fn new(json: bool) -> Self {
        Self { words: if json { Box::new(std::io::stderr()) } else { Box::new(std::io::stdout()) } }
    }

    /// The kernels of a stage.
    pub fn list(&mut self, stage: &Stage) -> Result<(), Error> {
        writeln!(self.words, "{}: {}", stage.name, stage.title)?;
        for row in stage.rows {
            let tutorial = row.work.tutorial();
            let (n, unit) = (tutorial.default_n(), tutorial.unit());
            let kernel = row.kernel;
            writeln!(
                self.words,
                "{tutorial:?}  {kernel:<28} {n:>8} {unit:<8} block {:<4} {}",
                row.block,
                row.source.name()
            )?;
        }
        Ok(())
    }

    /// Which device runs.
    pub fn banner(&mut self, gpu: &Gpu) -> Result<(), Error> {
        self.say(&gpu.banner())
    }

    /// Words, and a new line.
    pub fn say(&mut self, text: &str) -> Result<(), Error> {
        writeln!(self.words, "{text}")?;
        Ok(())
    }

    /// One line of JSON.
    pub fn json(&mut self, record: &impl serde::Serialize) -> Result<(), Error> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&line)?;
        stdout.flush()?;
        Ok(())
    }

    /// Everything that follows the runs.
    pub fn report(
        &mut self,
        stage: &Stage,
        options: &Options,
        session: &mut Session,
        outcomes: &[Outcome],
        recording: Option<&Recording>,
    ) -> Result<(), Error> {
        for notice in session.take_notices() {
            writeln!(self.words, "Note: {notice}")?;
        }
        if outcomes.is_empty() {
            return Ok(());
        }
        if options.counters {
            self.counts(stage, options, session, outcomes)?;
        } else {
            writeln!(self.words, "\n{}", table::render(stage, session, outcomes, options.sweep))?;
        }
        self.steps(options, outcomes)?;
        if let Some(recording) = recording {
            writeln!(self.words, "{}", recording.render(outcomes))?;
        }
        for line in table::cpu_lines(outcomes) {
            writeln!(self.words, "{line}")?;
        }
        for paragraph in table::totals(outcomes) {
            writeln!(self.words, "{paragraph}")?;
        }
        self.published(outcomes)?;
        self.files(options, outcomes)?;
        self.legend(session, options, outcomes)?;
        self.rungs(stage, session, outcomes)?;
        self.slices(session, outcomes)?;
        self.failures(outcomes)?;
        let [first, second] = stage.lesson;
        writeln!(self.words, "\n{first}\n{second}\nRead on: {}", stage.read_on)?;
        Ok(())
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
        writeln!(self.words, "\n{}", counting::render(stage, session, outcomes, options.sweep, &readings))?;
        self.say(counting::LEGEND)?;
        readings.footnotes(outcomes).iter().try_for_each(|note| self.say(note))?;
        self.say("")
    }

    /// What each step changed in the emulator's counts. Shapes of a sweep differ in theirs, and would not compare.
    fn steps(&mut self, options: &Options, outcomes: &[Outcome]) -> Result<(), Error> {
        match counted_steps(outcomes) {
            Some(steps) if !options.sweep => {
                writeln!(self.words, "What each step bought, in counts: the rung below / this rung\n{steps}")?;
            }
            _ => (),
        }
        Ok(())
    }

    /// The files beside the table, each of the first kernel of its tutorial.
    fn files(&mut self, options: &Options, outcomes: &[Outcome]) -> Result<(), Error> {
        let tracked = outcomes.iter().find(|outcome| outcome.plan.row.work.tutorial() == Tutorial::B);
        if let (Some(path), Some(outcome)) = (&options.track, tracked) {
            writeln!(self.words, "Track of body 0, {}: {}", outcome.plan.row.kernel, path.display())?;
        }
        let filmed = outcomes.iter().find_map(|outcome| Some((outcome, outcome.energy?)));
        if let (Some(path), Some((outcome, energy))) = (&options.render, filmed) {
            let (plan, Energy { first, last }) = (&outcome.plan, energy);
            let drift = energy.drift().map_or("-".into(), |drift| format!("{:+.2}%", 100.0 * drift));
            writeln!(self.words, "Film, {}, {}: {}", plan.row.kernel, plan.describe_size(), path.display())?;
            writeln!(
                self.words,
                "Energy over these steps: {first:.6} to {last:.6}, drift {drift}; the tutorial's steps are of first order."
            )?;
        }
        Ok(())
    }

    /// What the marks and columns of comparison between rungs mean, where there are any.
    fn rungs(&mut self, stage: &Stage, session: &Session, outcomes: &[Outcome]) -> Result<(), Error> {
        if outcomes.iter().any(|outcome| stage.is_baseline(outcome.plan.row)) {
            writeln!(self.words, "^ of an earlier stage, for comparison.")?;
        }
        if session.gpu.backend == Backend::Cuda && outcomes.iter().any(|outcome| outcome.plan.row.below.is_some()) {
            writeln!(self.words, "x below: time of the rung below, in its fastest shape here, over this one's.")?;
        }
        Ok(())
    }

    /// What the tutorials published, once a kernel.
    fn published(&mut self, outcomes: &[Outcome]) -> Result<(), Error> {
        let mut last = "";
        for outcome in outcomes {
            let row = outcome.plan.row;
            if let (Some(figure), true) = (row.published, row.kernel != last) {
                writeln!(self.words, "Published, {}: {figure}", row.kernel)?;
            }
            last = row.kernel;
        }
        Ok(())
    }

    /// What columns mean that do not say it themselves, and how the code came about.
    fn legend(&mut self, session: &Session, options: &Options, outcomes: &[Outcome]) -> Result<(), Error> {
        match session.gpu.backend {
            Backend::Cuda => writeln!(
                self.words,
                "GFLOP/s: 20 operations an interaction for A and D, 14 for B. GB/s: bytes that must move, for C.\n\
                 range: slowest less fastest run, over the median."
            )?,
            Backend::Emulator if options.counters => (),
            Backend::Emulator => writeln!(
                self.words,
                "Counts are of one launch. sect: 32-byte sectors a request of a warp. moved/needed: bytes of all\n\
                 sectors, over those of inputs and outputs once. divergent: share of branches."
            )?,
        }
        if options.sweep && session.gpu.backend == Backend::Cuda {
            writeln!(self.words, "* fastest shape of this kernel")?;
        }
        let mut compiled: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for outcome in outcomes.iter().filter(|outcome| outcome.code != PREBUILT) {
            compiled.entry(&outcome.code).or_default().insert(outcome.plan.row.source.name());
        }
        for (code, files) in compiled {
            let files: Vec<_> = files.into_iter().collect();
            writeln!(self.words, "Compiled at run time, {code}: {}", files.join(", "))?;
        }
        Ok(())
    }

    /// What is particular to slices of points: what their rate counts, and what of them was compared.
    fn slices(&mut self, session: &Session, outcomes: &[Outcome]) -> Result<(), Error> {
        let outcomes: Vec<_> = outcomes.iter().filter(|outcome| outcome.plan.slice.is_some()).collect();
        if session.gpu.backend == Backend::Cuda && !outcomes.is_empty() {
            writeln!(
                self.words,
                "E: 10^9 evaluations of an atom at a point a second; limit: a reciprocal square root each, from the\n\
                 special-function units. Time of all chunks, with their copies to constant memory on the device."
            )?;
        }
        let is_in_chunks = |outcome: &&Outcome| matches!(outcome.plan.row.work, Work::Coulomb { method: Chunks, .. });
        let has_chunks = outcomes.iter().any(|outcome| is_in_chunks(outcome) && outcome.plan.size.n > CHUNK);
        if session.gpu.backend == Backend::Emulator && has_chunks {
            writeln!(
                self.words,
                "E: constant memory takes a launch for each {CHUNK} atoms; counts are of the last one."
            )?;
        }
        let mut said = BTreeSet::new();
        for outcome in outcomes {
            let (Some(Sample { compared, of }), size) = (outcome.report.sample, outcome.plan.describe_size()) else {
                continue;
            };
            if said.insert(size.clone()) {
                writeln!(self.words, "Check, E, {size}: a seeded sample, {compared} of {of} points")?;
            }
        }
        Ok(())
    }

    /// What is wrong with failed rows.
    fn failures(&mut self, outcomes: &[Outcome]) -> Result<(), Error> {
        for outcome in outcomes.iter().filter(|outcome| !outcome.report.passed()) {
            let (plan, report) = (&outcome.plan, &outcome.report);
            writeln!(
                self.words,
                "\nFAILED: {}, {}, {} blocks of {}, seed {}: {} of {} values and laws",
                plan.row.kernel,
                plan.describe_size(),
                plan.grid,
                plan.block,
                plan.size.seed,
                report.failed,
                report.compared
            )?;
            for failure in &report.examples {
                writeln!(self.words, "  {failure}")?;
            }
        }
        Ok(())
    }
}
