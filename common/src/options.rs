//! The options of a stage's program: those that every stage shares, and those of the problems of its kernels.

use crate::device::DeviceChoice;
use crate::error::Error;
use crate::problem::{Facts, FileOption, Parameter, Parameters};
use crate::stage::Stage;
use clap::builder::{PossibleValuesParser, StringValueParser, TypedValueParser, ValueParser};
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches, Parser, ValueEnum};
use serde_json::Number;
use std::ffi::OsString;
use std::path::PathBuf;

pub use crate::problem::DEFAULT_SEED;

/// What to run, on what, and how to report it.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// Where to run; `auto` takes the NVIDIA driver where it has a device, else the emulator
    #[arg(long, value_enum, default_value = "auto", env = "COALESCED_DEVICE", ignore_case = true)]
    pub device: DeviceChoice,

    /// Run this kernel alone; may be given several times
    #[arg(long, value_name = "NAME", ignore_case = true)]
    pub kernel: Vec<String>,

    /// Bodies or elements, for every kernel; the tutorial's size by default
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(i64).range(1..=1 << 30).map(i64::unsigned_abs))]
    pub n: Option<u64>,

    /// Threads per block
    #[arg(long, value_name = "THREADS", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub block: Option<u32>,

    /// Blocks, for kernels with a grid-stride loop; the grid of the others follows from n and the block
    #[arg(long, value_name = "BLOCKS", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=0x7FFF_FFFF))]
    pub grid: Option<u32>,

    /// Try every launch shape that the tutorial tried, and mark the best
    #[arg(long, conflicts_with_all = ["block", "grid"])]
    pub sweep: bool,

    /// Timed runs of each kernel at most, on a GPU
    #[arg(long, value_name = "COUNT", default_value_t = 20, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,

    /// Show what each kernel does to memory beside its time: on a GPU, the emulator counts the same launches
    #[arg(long)]
    pub counters: bool,

    /// Run on the emulator under its checks, at a small size, instead of measuring: bounds and alignment, reads of
    /// uninitialized memory, races, divergent barriers
    #[arg(long, conflicts_with_all = ["compare", "counters"])]
    pub check: bool,

    /// Seed of the inputs
    #[arg(long, default_value_t = DEFAULT_SEED, allow_negative_numbers = true)]
    #[arg(value_parser = seed)]
    pub seed: u64,

    /// Run the kernels in CUDA C++, their twins in Rust, or both; where it is not given, the table of the kernels in
    /// CUDA C++ has a column for what the twins take, and --check checks both
    #[arg(long, value_enum, ignore_case = true)]
    pub language: Option<Languages>,

    /// Compile every kernel with its compiler, NVRTC or rustc, changed or not
    #[arg(long)]
    pub nvrtc: bool,

    /// Compare with a recorded run: a file of JSON records, or a device's folder in results/
    #[arg(long, value_name = "FILE|DEVICE")]
    pub compare: Option<String>,

    /// Print one JSON record a kernel on stdout, and everything else on stderr
    #[arg(long)]
    pub json: bool,

    /// List the kernels and end
    #[arg(long)]
    pub list: bool,

    /// `--steps`, of problems with time steps.
    #[arg(skip)]
    pub steps: Option<u32>,

    /// The problems' own options with numbers, as far as they were given.
    #[arg(skip)]
    pub parameters: Parameters,

    /// The problems' own options with files, as far as they were given.
    #[arg(skip)]
    pub files: Vec<(&'static FileOption, PathBuf)>,
}

/// `--language`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Languages {
    /// CUDA C++.
    Cuda,
    /// Rust, for the kernels that are written in it too.
    Rust,
    /// Both, in the same launches; the table has a column for Rust.
    Both,
}

/// `--steps`.
const STEPS: &str = "steps";

impl Options {
    /// Parses the arguments of a stage's program, the program's name first.
    ///
    /// # Errors
    /// clap's error, which also stands for `--help`: print it and end with its exit code.
    pub fn parse_for(stage: &Stage, arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let problems = problems(stage);
        let command = command(stage, &problems);
        let matches = command.clone().try_get_matches_from(arguments).map_err(|error| named(stage, &command, error))?;
        let mut options = Self::from_arg_matches(&matches)?;
        options.steps = given(&matches, STEPS);
        for parameter in problems.iter().flat_map(|problem| problem.parameters) {
            if let Some(value) = given::<Number>(&matches, parameter.name) {
                options.parameters = options.parameters.with(parameter.name, value);
            }
        }
        for file in problems.iter().flat_map(|problem| problem.files) {
            options.files.extend(given(&matches, file.name).map(|path| (file, path)));
        }
        Ok(options)
    }

    /// Whether the twins in Rust run for a column of the table alone, where no language is asked for. Records, shapes and
    /// counts are of the kernels in CUDA C++ then.
    #[must_use]
    pub fn has_twins_beside(&self) -> bool {
        self.language.is_none() && !(self.json || self.sweep || self.counters)
    }

    /// n as a size.
    ///
    /// # Errors
    /// [`Error::Usage`] where it does not fit this machine's addresses.
    pub fn n_usize(&self) -> Result<Option<usize>, Error> {
        let fits = |n| usize::try_from(n).map_err(|_| Error::Usage(format!("--n {n} is beyond this machine's memory")));
        self.n.map(fits).transpose()
    }
}

/// The value of `--seed`.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is not a whole number in 0..={}", u64::MAX))
}

/// The problems of a stage's kernels, each once.
fn problems(stage: &Stage) -> Vec<&'static Facts> {
    let mut problems: Vec<&'static Facts> = Vec::new();
    for facts in stage.rungs.iter().map(|rung| rung.work.facts()) {
        if !problems.contains(&facts) {
            problems.push(facts);
        }
    }
    problems
}

/// The shared options, and those of the problems.
fn command(stage: &Stage, problems: &[&Facts]) -> Command {
    let kernels = PossibleValuesParser::new(stage.rungs.iter().map(|rung| rung.kernel));
    let command = Options::command().name(stage.name).bin_name(stage.name).version(None).about(stage.title);
    let command = command.mut_arg("kernel", |kernel| kernel.value_parser(kernels));
    let steps = problems.iter().any(|problem| problem.steps.is_some()).then(steps);
    let numbers = problems.iter().flat_map(|problem| problem.parameters).map(number);
    command.args(steps).args(numbers).args(problems.iter().flat_map(|problem| problem.files).map(file))
}

fn steps() -> Arg {
    let range = clap::value_parser!(u32).range(1..=100_000);
    let steps = Arg::new(STEPS).long(STEPS).value_name("COUNT").help("Time steps, for kernels that take steps");
    steps.allow_negative_numbers(true).value_parser(range)
}

fn number(parameter: &'static Parameter) -> Arg {
    let help = format!("{} [default: {}]", parameter.help, parameter.default);
    let value = StringValueParser::new().try_map(|text| parameter.parse(&text));
    let option = Arg::new(parameter.name).long(parameter.name).value_name(parameter.value_name);
    option.help(help).allow_negative_numbers(true).value_parser(value)
}

fn file(file: &'static FileOption) -> Arg {
    let option = Arg::new(file.name).long(file.name).value_name(file.value_name).help(file.help);
    let option = option.value_parser(ValueParser::path_buf()).conflicts_with("check");
    file.requires.into_iter().fold(option, Arg::requires)
}

fn given<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}

/// An option that the stage does not have may be one of another stage: the error says so.
fn named(stage: &Stage, command: &Command, error: clap::Error) -> clap::Error {
    let (ErrorKind::UnknownArgument, Some(unknown)) = (error.kind(), error.get(ContextKind::InvalidArg)) else {
        return error;
    };
    let similar = error.get(ContextKind::SuggestedArg).map_or(String::new(), |option| format!(", {option} is similar"));
    let text =
        format!("{unknown}: no kernel of {} takes this option; --help lists those that there are{similar}", stage.name);
    command.clone().error(ErrorKind::UnknownArgument, text)
}
