//! The options of the stage's program.

use crate::ranks::strategy::{Facts, Strategy};
use clap::builder::TypedValueParser;
use clap::{Parser, ValueEnum};
use common::device::DeviceChoice;
use common::options::{Gpu, gpus};
use common::problem::DEFAULT_SEED;
use common::report::Language;
use std::process::ExitCode;

/// Commands that start the program, one per line, to be copied.
const STARTS: &str = "\
How to start the program (build it first: cargo build --release -p stage07-many):
  cargo run -p stage07-many -- --ranks 4                    starts its own ranks: one process per GPU of this machine,
                                                            or 4 with emulated devices if there is none
  torchrun --no-python --nproc-per-node 2 target/release/stage07-many
  torchrun --no-python --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint HOST:29500 PROGRAM
  mpirun -np 2 target/release/stage07-many                  Open MPI or MPICH, one machine
  mpirun -np 16 --hostfile HOSTS -x NCCL_COMM_ID=HOST:29501 PROGRAM        (MPICH: -genv NCCL_COMM_ID HOST:29501)
  srun --nodes 2 --ntasks-per-node 8 --gpus-per-node 8 PROGRAM
HOST is the machine of rank 0. GPUs need NVIDIA's NCCL: the program searches for libnccl.so.2 in the system's folders
and in Python's wheels (pip install nvidia-nccl-cu13), unless COALESCED_NCCL=FILE names it.";

/// What to run, where to run it, and how to report the results.
#[derive(Clone, Debug, Parser)]
#[command(name = "stage07-many", version, about = "Stage 7: one problem, many GPUs", after_help = STARTS)]
pub struct Options {
    /// Where to run; `auto` uses NVIDIA GPUs if there are any, otherwise the emulator
    #[arg(long, value_enum, default_value = "auto", env = "COALESCED_DEVICE", ignore_case = true)]
    pub device: DeviceChoice,

    /// Number of processes to start, each with its own GPU [default: one per GPU, or 4 emulated ones]
    #[arg(long, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: Option<u32>,

    /// Run only this strategy; may be given several times
    #[arg(long, alias = "rung", value_name = "NAME", ignore_case = true)]
    pub kernel: Vec<String>,

    /// Bodies, integers or atoms, for every strategy; several sizes are separated by commas
    #[arg(long, value_name = "COUNT", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 30).try_map(usize::try_from))]
    pub n: Vec<usize>,

    /// Treat the ranks as distributed over this many machines, for strategies that distinguish machines [default: the
    /// number that the launcher reports]
    #[arg(long, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub machines: Option<u32>,

    /// Maximum number of timed repetitions, on GPUs
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,

    /// Measure strong scaling (the same size) and weak scaling (the same work per GPU) with 2, 4, … ranks up to
    /// --ranks; each strategy runs in a separate job, so that a failure does not affect the others
    #[arg(long)]
    pub scaling: bool,

    /// Time limit for the ranks of a job
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub limit: u64,

    /// Without GPUs, show the times recorded on this one
    #[arg(long, value_name = "GPU", value_parser = gpus(), default_value = "h200", ignore_case = true)]
    #[arg(conflicts_with = "check")]
    pub on: &'static Gpu,

    /// Omit the explanation of the table's columns
    #[arg(long)]
    pub brief: bool,

    /// Language of the kernels
    #[arg(long, value_enum, default_value = "cuda", ignore_case = true)]
    pub language: Language,

    /// Run on the emulator with its checks of kernels and of the order between streams
    #[arg(long)]
    pub check: bool,

    /// Seed of the inputs
    #[arg(long, default_value_t = DEFAULT_SEED)]
    pub seed: u64,

    /// Print one JSON record per strategy on stdout, and everything else on stderr
    #[arg(long)]
    pub json: bool,

    /// List the strategies
    #[arg(long)]
    pub list: bool,

    /// The strategies of the program
    #[arg(skip)]
    pub table: &'static [&'static dyn Strategy],
}

impl Options {
    /// Returns the selected strategies: all if none is named.
    pub fn strategies(&self) -> impl Iterator<Item = &'static dyn Strategy> {
        let is_selected = |name: &str| self.kernel.iter().any(|asked| asked.eq_ignore_ascii_case(name));
        self.table.iter().copied().filter(move |strategy| self.kernel.is_empty() || is_selected(strategy.name()))
    }

    /// Returns the arguments of a job with one strategy at these sizes.
    #[must_use]
    pub fn for_a_job(&self, strategy: &str, sizes: &str) -> Vec<String> {
        let value = |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        let device = value(self.device.to_possible_value()).unwrap_or_default();
        let language = value(self.language.to_possible_value()).unwrap_or_default();
        let runs = self.runs.to_string();
        let seed = self.seed.to_string();
        let named = [("--kernel", strategy), ("--n", sizes), ("--device", &device), ("--language", &language)];
        let named = named.into_iter().chain([("--runs", runs.as_str()), ("--seed", &seed)]);
        let mut all: Vec<String> = named.flat_map(|(name, value)| [name.to_owned(), value.to_owned()]).collect();
        let flags = [("--brief", true), ("--json", self.json), ("--check", self.check)];
        all.extend(flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| name.to_owned()));
        all.extend(self.machines.map(|machines| format!("--machines={machines}")));
        all
    }
}

/// Parses the options of the program, which chooses among these strategies.
///
/// # Errors
/// Returns the exit status if the options are invalid or ask for help, after printing the message.
pub fn parse(table: &'static [&'static dyn Strategy]) -> Result<Options, ExitCode> {
    let options = Options::try_parse().map(|options| Options { table, ..options });
    let options = options.and_then(|options| judge(&options).map(|()| options));
    options.map_err(|error| {
        // Nothing is left to do if even this cannot be written.
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
    })
}

/// Rejects unknown names of strategies, and sizes that a strategy does not support.
fn judge(options: &Options) -> Result<(), clap::Error> {
    let refuse = |text: String| Err(clap::Error::raw(clap::error::ErrorKind::InvalidValue, text + "\n"));
    let known = |name: &str| options.table.iter().any(|strategy| strategy.name().eq_ignore_ascii_case(name));
    if let Some(name) = options.kernel.iter().find(|name| !known(name)) {
        let names: Vec<_> = options.table.iter().map(|strategy| strategy.name()).collect();
        return refuse(format!("--kernel {name}: unknown name; available are {}", names.join(", ")));
    }
    for Facts { name, largest_n: largest, .. } in options.strategies().map(|strategy| strategy.facts()) {
        if let Some(n) = options.n.iter().find(|n| **n > largest) {
            return refuse(format!("--n {n}: {name} accepts 1 to {largest}; --kernel NAME selects other strategies"));
        }
    }
    Ok(())
}
