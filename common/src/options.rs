//! The options that every stage shares.

use crate::Error;
use crate::device::DeviceChoice;
use crate::stage::Stage;
use crate::workload::coulomb::{SIDES, SPACINGS, Slice};
use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, FromArgMatches, Parser};
use std::ffi::OsString;
use std::path::PathBuf;

/// Seed of the inputs where `--seed` does not say: the year of Newton's Principia.
pub const DEFAULT_SEED: u64 = 1687;

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
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub n: Option<u64>,

    /// Threads a block
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub block: Option<u32>,

    /// Blocks, for kernels with a grid-stride loop; the grid of the others follows from n and the block
    #[arg(long, value_name = "BLOCKS", value_parser = clap::value_parser!(u32).range(1..=0x7FFF_FFFF))]
    pub grid: Option<u32>,

    /// Time steps, for kernels that take steps
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub steps: Option<u32>,

    /// Points of a row, for kernels that take a slice of points [default: 512]
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u32).range(side_range()))]
    pub width: Option<u32>,

    /// Rows of points, for kernels that take a slice of points [default: 512]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(side_range()))]
    pub height: Option<u32>,

    /// Distance of neighbouring points, for kernels that take a slice of points [default: 0.1]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true, value_parser = spacing)]
    pub spacing: Option<f32>,

    /// Try every launch shape that the tutorial tried, and mark the best
    #[arg(long, conflicts_with_all = ["block", "grid"])]
    pub sweep: bool,

    /// Timed runs of each kernel at most, on a GPU
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,

    /// Show what each kernel does to memory beside its time: on a GPU, the emulator counts the same launches
    #[arg(long)]
    pub counters: bool,

    /// Run on the emulator under its checks, at a small size, instead of measuring: bounds and alignment, reads of what
    /// nobody wrote, races, divergent barriers
    #[arg(long, conflicts_with_all = ["compare", "track", "render", "counters"])]
    pub check: bool,

    /// Seed of the inputs
    #[arg(long, default_value_t = DEFAULT_SEED)]
    pub seed: u64,

    /// Compile every kernel with NVRTC, changed or not
    #[arg(long)]
    pub nvrtc: bool,

    /// Compare with a recorded run: a file of JSON records, or a device's folder in results/
    #[arg(long, value_name = "FILE|DEVICE")]
    pub compare: Option<String>,

    /// Write the track of body 0, step by step, for the first chosen kernel of the periodic box
    #[arg(long, value_name = "FILE.csv")]
    pub track: Option<PathBuf>,

    /// Film the galaxy over --steps steps, for the first chosen kernel that moves one
    #[arg(long, value_name = "FILE.gif", requires = "steps")]
    pub render: Option<PathBuf>,

    /// Print one JSON record a kernel on stdout, and everything else on stderr
    #[arg(long)]
    pub json: bool,

    /// List the kernels and end
    #[arg(long)]
    pub list: bool,
}

impl Options {
    /// Parses the arguments of a stage's program, the program's name first.
    ///
    /// # Errors
    /// clap's error, which also stands for `--help`: print it and end with its exit code.
    pub fn parse_for(stage: &Stage, arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let names = stage.rows.iter().map(|row| row.kernel);
        let command = Self::command().name(stage.name).bin_name(stage.name).version(None).about(stage.title);
        let command = command.mut_arg("kernel", |kernel| kernel.value_parser(PossibleValuesParser::new(names)));
        Self::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    /// The points that kernels of tutorial E take.
    #[must_use]
    pub fn slice(&self) -> Slice {
        let default = Slice::default();
        Slice {
            width: self.width.unwrap_or(default.width),
            height: self.height.unwrap_or(default.height),
            spacing: self.spacing.unwrap_or(default.spacing),
        }
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

/// [`SIDES`] as clap takes it.
fn side_range() -> std::ops::RangeInclusive<i64> {
    i64::from(*SIDES.start())..=i64::from(*SIDES.end())
}

/// A distance of neighbouring points.
fn spacing(text: &str) -> Result<f32, String> {
    let value = text.parse().map_err(|_| format!("{text} is not a number"))?;
    let (low, high) = (SPACINGS.start(), SPACINGS.end());
    if SPACINGS.contains(&value) { Ok(value) } else { Err(format!("{value} is not in {low}..={high}")) }
}
