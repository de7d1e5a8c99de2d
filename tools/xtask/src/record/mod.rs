//! `cargo x record`: the file of a GPU, by the program `records`, or runs of the stages that make up the folder of a device.

mod folder;
mod judge;
mod profile;
mod programs;
mod runs;

use crate::command::cargo;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use folder::Folder;
use indicatif::{ProgressBar, ProgressStyle};
use programs::Programs;
use runs::{EMULATOR, Kind, Run};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The text below the options in `cargo x record --help`.
pub const EXAMPLE: &str = "Examples:
  cargo x record                      this machine's GPU in one file, results/community/GPU.json, to send it
  cargo x record --check results/community/nvidia-geforce-rtx-3060.json
  cargo x record nvidia-rtx-4090      the folder of a GPU: all launch shapes, latencies, costs, and the emulator's counts
  cargo x record emulator             only the counts, which need no GPU
  cargo x record nvidia-rtx-4090 --stage stage02-shared --only table
  cargo x record nvidia-rtx-4090 --only limits
  cargo x record nvidia-rtx-4090 --only profile       Nsight Compute's metrics of every kernel; needs ncu

On a GPU machine without cargo, with the output of `cargo build --release --workspace` in the folder `carried`:
  carried/records --output gpu.json
  carried/xtask record nvidia-rtx-4090 --binaries carried --results results";

/// Options of `cargo x record`.
#[derive(Args)]
pub struct Record {
    /// Write this folder in results/ instead of one file: a GPU's name, such as nvidia-rtx-4090, or `emulator`
    #[arg(value_name = "DEVICE", value_parser = folder_name, conflicts_with_all = ["check", "prune", "output", "without"])]
    device: Option<String>,
    /// Check files of GPUs instead, and print what is wrong with them
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["prune", "output"])]
    check: Vec<PathBuf>,
    /// Remove the records of edited kernels from files of GPUs
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "output")]
    prune: Vec<PathBuf>,
    /// Write this file [default: results/community/GPU.json of this checkout]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave out this kernel, which the GPU cannot end; may be given several times
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["check", "prune"])]
    without: Vec<String>,
    /// Record only this stage; may be given several times
    #[arg(long, value_name = "STAGE", requires = "device", help_heading = FOLDER)]
    stage: Vec<String>,
    /// Record only this; may be given several times [default: everything but profile]
    #[arg(long, value_enum, value_name = "WHAT", requires = "device", help_heading = FOLDER)]
    only: Vec<Kind>,
    /// The greatest number of timed runs per kernel [default: that of the programs]
    #[arg(long, value_name = "COUNT", requires = "device", help_heading = FOLDER)]
    runs: Option<u32>,
    /// Replace the records of another device
    #[arg(long, requires = "device", help_heading = FOLDER)]
    force: bool,
    /// Run the stage programs in this folder instead of building them
    #[arg(long, value_name = "FOLDER", requires = "device", help_heading = FOLDER)]
    binaries: Option<PathBuf>,
    /// Write the records below this folder [default: results of this checkout]
    #[arg(long, value_name = "FOLDER", requires = "device", help_heading = FOLDER)]
    results: Option<PathBuf>,
}

const FOLDER: &str = "A folder of a device";

fn folder_name(text: &str) -> Result<String, String> {
    let is_word = !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if is_word { Ok(text.into()) } else { Err("use a name of lower-case letters, digits and hyphens".into()) }
}

/// Makes the chosen records, or checks files. Returns false, and prints the reasons, if some could not be made, or are refused.
///
/// # Errors
/// Returns an error if the programs or the device are missing, or if the folder has records of another device.
pub fn run(workspace: &Workspace, options: &Record) -> Result<bool> {
    match &options.device {
        Some(device) => record_folder(workspace, options, device),
        None => file_of_gpu(workspace, options),
    }
}

/// Runs the program `records`, which links the stages: this one must build without them, because it writes their PTX.
fn file_of_gpu(workspace: &Workspace, options: &Record) -> Result<bool> {
    let mut program = cargo();
    program.args(["run", "--manifest-path"]).arg(workspace.root.join("Cargo.toml"));
    program.args(["--package", "records", "--"]);
    let lists = [("--check", &options.check[..]), ("--prune", &options.prune), ("--output", options.output.as_slice())];
    for (option, files) in lists.into_iter().filter(|(_, files)| !files.is_empty()) {
        program.arg(option).args(files);
    }
    program.args(options.without.iter().flat_map(|kernel| ["--without", kernel]));
    Ok(program.status().context("cargo cannot be started")?.success())
}

fn record_folder(workspace: &Workspace, options: &Record, device: &str) -> Result<bool> {
    let programs = match &options.binaries {
        Some(folder) => Programs::from_folder(folder)?,
        None => Programs::built(workspace)?,
    };
    let runs = chosen(options, device, &programs)?;
    let results = options.results.clone().unwrap_or_else(|| workspace.root.join("results"));
    if runs.iter().any(|run| run.kind != Kind::Counts) {
        let gpu = programs.gpu()?;
        println!("{}, driver {}", gpu.name, gpu.driver);
        Folder::new(&results, device).require_device(&gpu.name, options.force)?;
    }
    let failures = record_all(&runs, &programs, &results);
    for failure in &failures {
        eprintln!("not recorded: {failure}");
    }
    let mut usual = runs::all(device, programs.names());
    usual.retain(|run| run.kind != Kind::Profile);
    for missing in Folder::new(&results, device).missing(&usual) {
        println!("{missing} is missing: it has not been recorded yet");
    }
    Ok(failures.is_empty())
}

/// Returns the chosen runs, without the emulator's if it is missing.
fn chosen(options: &Record, device: &str, programs: &Programs) -> Result<Vec<Run>> {
    if let Some(unknown) = options.stage.iter().find(|name| !programs.names().contains(name)) {
        bail!("--stage {unknown}: there is no such stage; the stages are {}", programs.names().join(", "));
    }
    let is_chosen = |run: &Run| {
        (options.stage.is_empty() || options.stage.contains(&run.stage))
            && (options.only.contains(&run.kind) || options.only.is_empty() && run.kind != Kind::Profile)
    };
    let runs = runs::all(device, programs.names()).into_iter().filter(is_chosen);
    let mut runs: Vec<Run> = runs.map(|run| run.with_runs(options.runs)).collect();
    if !programs.have_emulator() && runs.iter().any(|run| run.kind == Kind::Counts) {
        println!("results/{EMULATOR} is left out: {}", programs.emulator_missing());
        runs.retain(|run| run.kind != Kind::Counts);
    }
    ensure!(!runs.is_empty(), "there is nothing to record");
    Ok(runs)
}

/// Makes the runs one after the other and returns the failures. A failed run keeps its file, and the others continue.
fn record_all(runs: &[Run], programs: &Programs, results: &std::path::Path) -> Vec<String> {
    let bar = bar(runs.len() as u64);
    let mut failures = Vec::new();
    for run in runs {
        let begin = Instant::now();
        bar.set_message(run.describe());
        let seen = |count: usize, kernel: &str| bar.set_message(format!("{}: {count} done, {kernel}", run.describe()));
        let folder = Folder::new(results, &run.folder);
        let written = programs.records(run, seen).and_then(|records| folder.write(&run.file(), &records));
        bar.inc(1);
        match written {
            Ok((file, count)) => {
                let seconds = begin.elapsed().as_secs_f64();
                bar.suspend(|| println!("{}: {count} records in {seconds:.1} s", file.display()));
            }
            Err(error) => failures.push(format!("{}: {error:#}", run.describe())),
        }
    }
    bar.finish_and_clear();
    failures
}

/// Returns a progress bar, which is shown if standard error is a terminal.
fn bar(runs: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len}  {elapsed}  {wide_msg}");
    let bar = ProgressBar::new(runs);
    bar.enable_steady_tick(Duration::from_millis(200));
    // The template is a constant; if it were invalid, the plain bar would serve.
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}
