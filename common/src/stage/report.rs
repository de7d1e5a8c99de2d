//! Where the words and records of a run go, and in which order.

use super::{Outcome, Session, Stage};
use crate::Error;
use crate::device::{Backend, Gpu};
use crate::kernel::PREBUILT;
use crate::options::Options;
use crate::record::Record;
use crate::table;
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
        writeln!(self.words, "{}", gpu.banner())?;
        Ok(())
    }

    /// One line of JSON.
    pub fn record(&mut self, record: &Record) -> Result<(), Error> {
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
    ) -> Result<(), Error> {
        for notice in session.take_notices() {
            writeln!(self.words, "Note: {notice}")?;
        }
        if outcomes.is_empty() {
            return Ok(());
        }
        writeln!(self.words, "\n{}", table::render(session, outcomes, options.sweep))?;
        for line in table::cpu_lines(outcomes) {
            writeln!(self.words, "{line}")?;
        }
        self.published(outcomes)?;
        self.legend(session, options, outcomes)?;
        self.failures(outcomes)?;
        let [first, second] = stage.lesson;
        writeln!(self.words, "\n{first}\n{second}\nRead on: {}", stage.read_on)?;
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
                 spread: slowest less fastest run, over the median."
            )?,
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
