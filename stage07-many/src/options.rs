//! The options of the stage's program.

use crate::rung::Rung;
use crate::rungs::table;
use clap::{Parser, ValueEnum};
use common::device::DeviceChoice;
use common::problem::DEFAULT_SEED;
use std::process::ExitCode;

/// How it is started, a line for each that can be copied.
const STARTS: &str = "\
How to start it (build first: cargo build --release -p stage07-many):
  cargo run -p stage07-many -- --ranks 4                    by itself: a process for each GPU of this machine, or 4 with
                                                            emulated devices where there is none
  torchrun --no-python --nproc-per-node 2 target/release/stage07-many
  torchrun --no-python --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint HOST:29500 PROGRAM
  mpirun -np 2 target/release/stage07-many                  Open MPI or MPICH, one machine
  mpirun -np 16 --hostfile HOSTS -x NCCL_COMM_ID=HOST:29501 PROGRAM        (MPICH: -genv NCCL_COMM_ID HOST:29501)
  srun --nodes 2 --ntasks-per-node 8 --gpus-per-node 8 PROGRAM
HOST is the machine of rank 0. On GPUs it needs NVIDIA's NCCL: COALESCED_NCCL=FILE names libnccl.so.2, which is looked
for in the system's folders and in Python's wheels (pip install nvidia-nccl-cu13) otherwise.";

/// What to run, on what, and how to report it.
#[derive(Clone, Debug, Parser)]
#[command(name = "stage07-many", version, about = "Stage 7: one problem, many GPUs", after_help = STARTS)]
pub struct Options {
    /// Where to run; `auto` takes NVIDIA GPUs where there are any, else the emulator
    #[arg(long, value_enum, default_value = "auto", env = "COALESCED_DEVICE", ignore_case = true)]
    pub device: DeviceChoice,

    /// Processes to start, each with a GPU of its own; by default one for each GPU, or 4 emulated ones
    #[arg(long, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: Option<u32>,

    /// Run this rung alone; may be given several times
    #[arg(long, value_name = "NAME", ignore_case = true)]
    pub rung: Vec<String>,

    /// Bodies, integers or atoms, for every rung; several sizes with commas
    #[arg(long, value_name = "COUNT", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub n: Vec<u64>,

    /// Take the ranks for this many machines, for rungs that know of machines; by default those that the launcher says
    #[arg(long, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub machines: Option<u32>,

    /// Timed repetitions at most, on GPUs
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,

    /// Strong scaling (the same size) and weak scaling (the same work a GPU) with 2, 4, … ranks up to --ranks, each rung in a
    /// job of its own, so that one that fails does not end the others
    #[arg(long)]
    pub scaling: bool,

    /// Seconds after which the ranks of a job are ended
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub limit: u64,

    /// The table without what its columns mean
    #[arg(long)]
    pub brief: bool,

    /// Run the kernels in CUDA C++, or their twins in Rust
    #[arg(long, value_enum, default_value = "cuda", ignore_case = true)]
    pub language: Language,

    /// Run on the emulator under its checks, of kernels and of the order between streams
    #[arg(long)]
    pub check: bool,

    /// Seed of the inputs
    #[arg(long, default_value_t = DEFAULT_SEED)]
    pub seed: u64,

    /// Print one JSON record a rung on stdout, and everything else on stderr
    #[arg(long)]
    pub json: bool,

    /// List the rungs
    #[arg(long)]
    pub list: bool,
}

impl Options {
    /// The rungs that are asked for: all where none is named.
    pub fn rungs(&self) -> impl Iterator<Item = &'static dyn Rung> {
        let is_asked_for = |name: &str| self.rung.iter().any(|asked| asked.eq_ignore_ascii_case(name));
        table().filter(move |rung| self.rung.is_empty() || is_asked_for(rung.name()))
    }

    /// The sizes that are named.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        self.n.iter().map(|&n| usize::try_from(n).unwrap_or(usize::MAX)).collect()
    }

    /// The options of a job with one rung at some sizes.
    #[must_use]
    pub fn for_a_job(&self, rung: &str, sizes: &str) -> Vec<String> {
        let value = |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        let device = value(self.device.to_possible_value()).unwrap_or_default();
        let language = value(self.language.to_possible_value()).unwrap_or_default();
        let (runs, seed) = (self.runs.to_string(), self.seed.to_string());
        let named = [("--rung", rung), ("--n", sizes), ("--device", &device), ("--language", &language)];
        let named = named.into_iter().chain([("--runs", runs.as_str()), ("--seed", &seed)]);
        let mut all: Vec<String> = named.flat_map(|(name, value)| [name.to_owned(), value.to_owned()]).collect();
        let flags = [("--brief", true), ("--json", self.json), ("--check", self.check)];
        all.extend(flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| name.to_owned()));
        all.extend(self.machines.map(|machines| format!("--machines={machines}")));
        all
    }
}

/// What the kernels are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// CUDA C++
    Cuda,
    /// Rust
    Rust,
}

/// The program's options.
///
/// # Errors
/// The exit status, where they are wrong or ask for help, which is printed then.
pub fn parse() -> Result<Options, ExitCode> {
    let options = Options::try_parse().and_then(|options| judge(&options).map(|()| options));
    options.map_err(|error| {
        // Nothing is left to do where even this cannot be written.
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
    })
}

/// Refuses names of rungs that there are not, and sizes that a rung cannot take.
fn judge(options: &Options) -> Result<(), clap::Error> {
    let refuse = |text: String| Err(clap::Error::raw(clap::error::ErrorKind::InvalidValue, text + "\n"));
    let known = |name: &str| table().any(|rung| rung.name().eq_ignore_ascii_case(name));
    if let Some(name) = options.rung.iter().find(|name| !known(name)) {
        let names: Vec<_> = table().map(|rung| rung.name()).collect();
        return refuse(format!("--rung {name}: there is none of this name; there are {}", names.join(", ")));
    }
    for (rung, n) in options.rungs().flat_map(|rung| options.sizes().into_iter().map(move |n| (rung, n))) {
        let (name, largest) = (rung.name(), rung.largest_n());
        if n > largest {
            return refuse(format!("--n {n}: {name} takes 1 to {largest} (--rung NAME runs that rung alone)"));
        }
    }
    Ok(())
}
