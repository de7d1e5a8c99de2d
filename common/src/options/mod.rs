//! The command line: the options that every stage shares, those of the stage's problems, and the plans they lead to.

mod own;

use crate::columns::{self, Chosen, Column};
use crate::device::{BLOCK_BUDGET, Backend, DeviceChoice};
use crate::error::{Error, usage};
use crate::problem::{Facts, FileOption, Parameters, Size};
use crate::stage::{Plan, Rung, Sampling, Shape, Stage};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Command, CommandFactory, FromArgMatches, Parser, ValueEnum};
use cuda_cpp::Choice;
use std::ffi::OsString;
use std::path::PathBuf;

pub use crate::problem::DEFAULT_SEED;
pub use own::gpus;
pub use predict::Gpu;

/// The parsed options. Their documentation is the text of `--help`.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// Run only this kernel; may be repeated
    #[arg(long, value_name = "NAME", ignore_case = true, help_heading = KERNELS)]
    pub kernel: Vec<String>,

    /// Run the kernels in CUDA C++, in Rust, or both [default: cuda]
    #[arg(long, value_enum, ignore_case = true, help_heading = KERNELS)]
    pub language: Option<Languages>,

    /// List the kernels and exit
    #[arg(long, help_heading = KERNELS)]
    pub list: bool,

    /// Run on the GPU (`cuda`) or on the emulator; `auto` uses a GPU if there is one. Of several GPUs it is the first, which
    /// `CUDA_VISIBLE_DEVICES=1` makes the second one
    #[arg(long, value_enum, default_value = "auto", env = "COALESCED_DEVICE", ignore_case = true)]
    #[arg(help_heading = HOW)]
    pub device: DeviceChoice,

    /// Do not measure: look for races, accesses out of bounds, reads of uninitialized memory and divergent barriers, at a
    /// small size on the emulator
    #[arg(long, conflicts_with_all = ["compare", "counters"], help_heading = HOW)]
    pub check: bool,

    /// Time each kernel at most this often, on a GPU [default: 20]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = HOW)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: Option<u32>,

    /// On a GPU, measure the peak rates of its units for `limited by` now: without this, they are those recorded in results/, or
    /// measured once and kept
    #[arg(long, conflicts_with_all = ["check", "list"], help_heading = HOW)]
    pub measure_limits: bool,

    /// On the emulator, end a kernel as endless when a block has executed this many warp instructions
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, default_value_t = BLOCK_BUDGET, help_heading = HOW)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: u64,

    /// Compile every kernel, even if its prebuilt PTX is up to date: in CUDA C++ with this compiler, in Rust with rustc
    /// [default: only edited kernels, with NVRTC, or clang if there is no NVRTC]
    #[arg(long, value_enum, value_name = "NAME", ignore_case = true, help_heading = HOW)]
    pub compiler: Option<Choice>,

    /// Number of bodies or elements [default: the tutorial's]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = SIZE)]
    #[arg(value_parser = clap::value_parser!(i64).range(1..=1 << 30).try_map(usize::try_from))]
    pub n: Option<usize>,

    /// On the emulator, run all blocks and steps, and not a sample; a table of all-pairs problems then takes minutes
    #[arg(long, alias = "full-size", conflicts_with = "check", help_heading = SIZE)]
    pub all_blocks: bool,

    /// Use sizes of which the emulator runs all blocks in seconds
    #[arg(long, conflicts_with_all = ["n", "check"], help_heading = SIZE)]
    pub small: bool,

    /// Threads per block
    #[arg(long, value_name = "THREADS", allow_negative_numbers = true, help_heading = SIZE)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub block: Option<u32>,

    /// Number of blocks, for kernels with a grid-stride loop; other grids follow from n
    #[arg(long, value_name = "BLOCKS", allow_negative_numbers = true, help_heading = SIZE)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=0x7FFF_FFFF))]
    pub grid: Option<u32>,

    /// Try every launch shape of the tutorial, and mark the best
    #[arg(long, conflicts_with_all = ["block", "grid"], help_heading = SIZE)]
    pub sweep: bool,

    /// Seed of the inputs
    #[arg(long, default_value_t = DEFAULT_SEED, allow_negative_numbers = true, help_heading = SIZE)]
    #[arg(value_parser = own::seed)]
    pub seed: u64,

    /// Print counters of memory accesses; on a GPU, the emulator counts the same launches
    #[arg(long, help_heading = OUTPUT)]
    pub counters: bool,

    /// Columns of the table: `all`, or names separated by commas; see below
    #[arg(long, value_name = "NAMES", value_parser = Chosen::parse, conflicts_with_all = ["check", "list"])]
    #[arg(help_heading = OUTPUT)]
    pub columns: Option<Chosen>,

    /// Without a GPU, show counts alone and no times
    #[arg(long, help_heading = OUTPUT)]
    pub no_estimate: bool,

    /// Without a GPU, show the times of this one: as recorded, or estimated for edited kernels and other sizes
    #[arg(long, value_name = "GPU", value_parser = gpus(), default_value = "h200", ignore_case = true)]
    #[arg(conflicts_with_all = ["no_estimate", "check"], help_heading = OUTPUT)]
    pub on: &'static Gpu,

    /// Print what each step changes in the counts, too
    #[arg(long, conflicts_with = "sweep", help_heading = OUTPUT)]
    pub changes: bool,

    /// Print the times that the tutorials published, too
    #[arg(long, help_heading = OUTPUT)]
    pub published: bool,

    /// Compare with a recorded run: a file of JSON records, or the name of a device in results/ such as nvidia-h200
    #[arg(long, value_name = "FILE|DEVICE", help_heading = OUTPUT)]
    pub compare: Option<String>,

    /// Print one JSON record per kernel to stdout, and everything else to stderr
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,

    /// `--steps`, of problems with time steps.
    #[arg(skip)]
    pub steps: Option<u32>,

    /// The problems' own options with numbers that were given.
    #[arg(skip)]
    pub parameters: Parameters,

    /// The problems' own options with files that were given.
    #[arg(skip)]
    pub files: Vec<(&'static FileOption, PathBuf)>,

    /// Whether `--seed` was given.
    #[arg(skip)]
    pub(crate) has_seed: bool,

    /// Whether `--on` was given.
    #[arg(skip)]
    pub(crate) has_on: bool,
}

const KERNELS: &str = "Kernels";
const HOW: &str = "Where and how to run them";
const SIZE: &str = "Size and launch shape";
const OUTPUT: &str = "Output";

/// The value of `--language`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Languages {
    /// CUDA C++.
    Cuda,
    /// Rust, for the kernels that have a Rust version.
    Rust,
    /// Both, in the same launches; the table has a column for Rust.
    Both,
}

impl Options {
    /// Parses the arguments of a stage's program, the program's name first.
    ///
    /// # Errors
    /// clap's error, which also represents `--help`: print it and exit with its code.
    pub fn parse_for(stage: &Stage, arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let problems = own::problems(stage);
        let command = command(stage, &problems);
        let parsed = command.clone().try_get_matches_from(arguments);
        let matches = parsed.map_err(|error| own::explain_unknown(stage.name, &command, error))?;
        let mut options = Self::from_arg_matches(&matches)?;
        options.has_seed = own::is_given(&matches, "seed");
        options.has_on = own::is_given(&matches, "on");
        own::Values { steps: options.steps, parameters: options.parameters, files: options.files } =
            own::values(&matches, &problems);
        Ok(options)
    }

    /// Returns the plans of a stage's kernels in the order of its table: each at its size, in its shapes and languages.
    ///
    /// # Errors
    /// [`Error::Usage`], for the first kernel that does not accept its size or shape.
    pub fn plans<'a>(&self, stage: &'a Stage, backend: Backend) -> Result<Vec<Plan<'a>>, Error> {
        let mut plans = Vec::new();
        for rung in self.rungs(stage) {
            let facts = rung.work.facts();
            let size = Size {
                n: self.n.unwrap_or(if self.small { facts.emulated_n } else { facts.n }),
                steps: facts.steps.map(|default| self.steps.unwrap_or(default.published)),
                seed: self.seed,
                parameters: facts.select_own(&self.parameters),
            };
            let is_sampled = backend == Backend::Emulator && !self.all_blocks;
            let sampling = is_sampled.then(|| Sampling {
                n: self.n.unwrap_or(facts.emulated_n),
                steps: facts.steps.map(|default| default.emulated).filter(|_| self.steps.is_none()),
            });
            let single = [Shape { grid: self.grid, block: self.block.unwrap_or(rung.block) }];
            let shapes = if self.sweep && !rung.sweep.is_empty() { rung.sweep } else { &single };
            for &shape in shapes {
                let plan = Plan { sampling, ..Plan::new(rung, size.clone(), shape)? };
                let in_rust = plan.in_rust().filter(|_| self.has(Languages::Rust));
                plans.extend(Some(plan).filter(|_| self.has(Languages::Cuda)).into_iter().chain(in_rust));
            }
        }
        if plans.is_empty() {
            return usage("--language rust: no chosen kernel has a Rust version".into());
        }
        Ok(plans)
    }

    /// Returns the chosen kernels that accept the `--n` of all; if none does, all, so that the first one's refusal is
    /// reported.
    #[must_use]
    pub fn rungs<'a>(&self, stage: &'a Stage) -> Vec<&'a Rung> {
        let is_named = |rung: &Rung| self.kernel.iter().any(|name| name.eq_ignore_ascii_case(rung.kernel));
        let is_chosen = |rung: &&Rung| self.kernel.is_empty() || is_named(rung);
        let is_out_of_range = !stage.rungs.iter().any(|rung| self.fits(rung));
        let rungs = stage.rungs.iter().copied().filter(is_chosen);
        rungs.filter(|rung| is_out_of_range || self.fits(rung)).collect()
    }

    /// Returns whether a rung accepts the `--n` of all. One named by `--kernel` is refused later if it does not.
    pub(crate) fn fits(&self, rung: &Rung) -> bool {
        !self.kernel.is_empty() || self.n.is_none_or(|n| rung.work.facts().accepted.contains(&n))
    }

    fn has(&self, language: Languages) -> bool {
        let asked_for = self.language.unwrap_or(Languages::Cuda);
        asked_for == Languages::Both || asked_for == language
    }

    /// Returns whether Rust versions run only for a column of the table: if that is chosen, and no language. Records, launch shapes
    /// and counters are then those of the kernels in CUDA C++.
    #[must_use]
    pub fn has_twins_beside(&self) -> bool {
        let has_column = self.columns.as_ref().is_some_and(|chosen| chosen.has(Column::Rust));
        has_column && self.language.is_none() && !(self.json || self.sweep || self.counters)
    }

    /// Returns the most timed runs of a kernel.
    #[must_use]
    pub fn max_runs(&self) -> usize {
        self.runs.unwrap_or(20) as usize
    }
}

/// Returns the shared options, with those of the problems.
fn command(stage: &Stage, problems: &[&'static Facts]) -> Command {
    let kernels = PossibleValuesParser::new(stage.rungs.iter().map(|rung| rung.kernel));
    let command = Options::command().name(stage.name).bin_name(stage.name).version(None).about(stage.title);
    let command = command.after_help(format!("{}\n\n{}", columns::help(), own::rates(problems)));
    command.mut_arg("kernel", |kernel| kernel.value_parser(kernels)).args(own::arguments(problems))
}
