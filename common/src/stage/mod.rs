//! A stage: its table of kernels, and the whole run of its program.

mod check;
mod extras;
mod plan;
mod report;
mod session;

pub use check::Checked;
pub use plan::{Plan, plan};
pub use session::{Outcome, Session};

use crate::Error;
use crate::compare::Recording;
use crate::counting;
use crate::kernel::{self, KernelSource};
use crate::options::Options;
use crate::progress::Progress;
use crate::record::Record;
use crate::workload::Work;
use extras::Extras;
use report::Output;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// A stage of the course.
#[derive(Debug)]
pub struct Stage {
    /// Name of the crate and of its program.
    pub name: &'static str,
    /// What it is about, in one line.
    pub title: &'static str,
    /// The kernels that it runs, in order. Rows of earlier stages may be among them, for comparison.
    pub rows: &'static [&'static Row],
    /// What the table shows, in two lines.
    pub lesson: [&'static str; 2],
    /// Where to read on.
    pub read_on: &'static str,
}

/// A kernel with its launch.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The kernel's published name, by which `--kernel` chooses it.
    pub kernel: &'static str,
    /// Its file.
    pub source: KernelSource,
    /// Its entry point.
    pub entry: Entry,
    /// A second kernel that each step needs, one thread a body.
    pub companion: Option<(KernelSource, &'static str)>,
    /// The problem, and the function that launches.
    pub work: Work,
    /// How many blocks.
    pub grid: Grid,
    /// Threads a block where `--block` does not say.
    pub block: u32,
    /// Block sizes that it takes.
    pub blocks: Blocks,
    /// Dynamic shared memory, in bytes for each thread of the block.
    pub shared_bytes_per_thread: u32,
    /// Launch shapes of `--sweep`.
    pub sweep: &'static [Shape],
    /// What the tutorial published, with its hardware.
    pub published: Option<&'static str>,
    /// The rung below: the kernel that this one improves on. A stage that lists it before this one says what the step
    /// bought.
    pub below: Option<&'static Row>,
}

impl Row {
    /// Which version of the kernel and its companion this program holds; see [`kernel::version`].
    #[must_use]
    pub fn version(&self) -> String {
        kernel::version([&self.source].into_iter().chain(self.companion.as_ref().map(|(source, _)| source)))
    }
}

impl Stage {
    /// Whether a row is of an earlier stage, listed for comparison: its file lies in another crate.
    #[must_use]
    pub fn is_baseline(&self, row: &Row) -> bool {
        Path::new(row.source.crate_folder).file_name().is_none_or(|folder| folder != self.name)
    }
}

/// Names of entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One for every block size.
    Single(&'static str),
    /// One a block size, which is a constant of the code: `prefix_128`.
    PerBlock(&'static str),
}

impl Entry {
    /// The entry point for a block size.
    #[must_use]
    pub fn name(&self, block: u32) -> String {
        match self {
            Self::Single(name) => (*name).into(),
            Self::PerBlock(prefix) => format!("{prefix}_{block}"),
        }
    }
}

/// How many blocks a launch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// As many as cover n elements, each thread taking this many.
    Covering(u32),
    /// As many as cover a slice of points, in two dimensions: blocks are `across` threads wide, which divides every
    /// accepted block size, and each thread takes `points` of a row.
    Tiles {
        /// Threads of a block along x.
        across: u32,
        /// Points of a row that a thread takes.
        points: u32,
    },
    /// This many where `--grid` does not say: the kernel has a grid-stride loop.
    Stride(u32),
}

/// Which block sizes a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// 1 to 1024.
    Any,
    /// Powers of two from 32 to 1024.
    PowersOfTwo,
    /// Multiples of this, up to 1024.
    MultiplesOf(u32),
    /// These.
    OneOf(&'static [u32]),
}

impl Blocks {
    /// Whether a block size is among them.
    #[must_use]
    pub fn accept(&self, block: u32) -> bool {
        match self {
            Self::Any => (1..=1024).contains(&block),
            Self::PowersOfTwo => block.is_power_of_two() && (32..=1024).contains(&block),
            Self::MultiplesOf(unit) => (1..=1024).contains(&block) && block.is_multiple_of(*unit),
            Self::OneOf(sizes) => sizes.contains(&block),
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Any => "1 to 1024 threads a block".into(),
            Self::PowersOfTwo => "a power of two from 32 to 1024 as threads a block".into(),
            Self::MultiplesOf(unit) => format!("a multiple of {unit} up to 1024 as threads a block"),
            Self::OneOf(sizes) => format!("one of {sizes:?} as threads a block"),
        }
    }
}

/// A launch shape of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks; `None` where they follow from n.
    pub grid: Option<u32>,
    /// Threads a block.
    pub block: u32,
}

impl Shape {
    /// A block size; the grid follows from n.
    #[must_use]
    pub const fn block(block: u32) -> Self {
        Self { grid: None, block }
    }

    /// A grid and a block size.
    #[must_use]
    pub const fn grid(grid: u32, block: u32) -> Self {
        Self { grid: Some(grid), block }
    }
}

/// The `main` of a stage: parses the program's arguments, runs, reports. The exit status is 0 if all results are
/// right, 1 if one is wrong or something failed, 2 for wrong options.
#[must_use]
pub fn run(stage: &Stage) -> ExitCode {
    run_with(stage, std::env::args_os())
}

fn run_with(stage: &Stage, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let options = match Options::parse_for(stage, arguments) {
        Ok(options) => options,
        Err(error) => {
            // Nothing is left to do where even this cannot be written.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    finish(stage, &options)
}

/// Runs what the options ask for, once more where a compiler was missing and has been fetched.
fn finish(stage: &Stage, options: &Options) -> ExitCode {
    match execute(stage, options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // A reader that has seen enough, as `head` does, is no failure.
        Err(Error::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if error.lacks_a_compiler() && nvrtc::offer() {
                return finish(stage, options);
            }
            ExitCode::from(error.exit_status())
        }
    }
}

/// Runs what the options ask for; whether all results were right.
fn execute(stage: &Stage, options: &Options) -> Result<bool, Error> {
    let mut output = Output::new(options.json);
    if options.list {
        output.list(stage)?;
        return Ok(true);
    }
    if options.check {
        return check::run(stage, options, &mut output);
    }
    // Options are judged before a device is looked for; the default number of steps alone depends on the device.
    plan(stage, options, crate::device::Backend::Cuda)?;
    let recording = options.compare.as_deref().map(|what| Recording::open(stage, what)).transpose()?;
    let mut session = Session::open(options.device, options.nvrtc)?;
    output.banner(&session.gpu)?;
    let plans = plan(stage, options, session.gpu.backend)?;
    let mut outcomes = Vec::new();
    let ended = run_plans(stage, options, &plans, &mut session, &mut output, &mut outcomes);
    output.report(stage, options, &mut session, &outcomes, recording.as_ref())?;
    ended?;
    Ok(outcomes.iter().all(|outcome| outcome.report.passed()))
}

fn run_plans<'a>(
    stage: &Stage,
    options: &Options,
    plans: &[Plan<'a>],
    session: &mut Session,
    output: &mut Output,
    outcomes: &mut Vec<Outcome<'a>>,
) -> Result<(), Error> {
    let (mut progress, mut extras) = (Progress::start(), Extras::new(options));
    for (done, plan) in plans.iter().enumerate() {
        progress.phase(format!("{} of {}: {}, {}", done + 1, plans.len(), plan.row.kernel, plan.describe_size()));
        let mut outcome = session.run(plan, options.runs as usize)?;
        progress.clear();
        extras.make(session, &mut outcome)?;
        if options.counters && outcome.counters.is_none() {
            progress.phase(format!("counting {} on the emulator, {}", plan.row.kernel, plan.describe_size()));
            let program = std::env::current_exe().map_err(|error| Error::Counters(error.to_string()))?;
            outcome.counters = Some(counting::count(&program, plan, options)?);
            progress.clear();
        }
        if options.json {
            output.json(&Record::new(stage, session, &outcome, outcomes))?;
        }
        outcomes.push(outcome);
    }
    progress.clear();
    Ok(())
}
