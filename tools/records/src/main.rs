//! `cargo x record` without a name: records this machine's GPU in one file, or checks such files.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use common::format::slug;
use common::recorded::results::of_community;
use records::check::{self, Repository};
use records::file::GpuRecord;
use records::make;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

/// Record this machine's GPU in one file, results/community/GPU.json, in at most five minutes
#[derive(Parser)]
#[command(name = "cargo x record", bin_name = "cargo x record")]
struct Options {
    /// Check these files instead, and print what is wrong with them
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["prune", "output"])]
    check: Vec<PathBuf>,
    /// Remove from these files the records of kernels that were edited since
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "output")]
    prune: Vec<PathBuf>,
    /// Write this file [default: results/community/GPU.json of this checkout]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave out this kernel, which the GPU cannot end; may be given several times
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["check", "prune"])]
    without: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all files were accepted.
fn run(options: &Options) -> Result<bool> {
    let results = loading::workspace_root().join("results");
    let repository = || Repository::read(&results).context("files cannot be compared with the repository");
    if !options.prune.is_empty() {
        let repository = repository()?;
        return options.prune.iter().try_for_each(|file| prune(&repository, file)).map(|()| true);
    }
    if !options.check.is_empty() {
        let repository = repository()?;
        let accepted = options.check.iter().map(|file| report(&repository, file)).collect::<Result<Vec<_>>>()?;
        return Ok(accepted.into_iter().all(|accepted| accepted));
    }
    let file = record(&results, options)?;
    let accepted = report(&repository()?, &file)?;
    if accepted {
        println!("CONTRIBUTING.md says how to send it.");
    }
    Ok(accepted)
}

/// Records the GPU and returns the file.
fn record(results: &Path, options: &Options) -> Result<PathBuf> {
    let bar = make::bar();
    let made = make::record(&bar, &options.without);
    bar.finish_and_clear();
    let made = made?;
    let default = || of_community(results, &slug(&made.device.name));
    let file = options.output.clone().unwrap_or_else(default);
    made.write(&file)?;
    println!("{}: {} kernels are recorded, {} left out", file.display(), made.records.len(), made.left_out.len());
    for one in &made.left_out {
        println!("  {}: {}", one.name(), one.reason);
    }
    Ok(file)
}

/// Prints what is wrong with a file, and returns whether nothing is.
fn report(repository: &Repository, file: &Path) -> Result<bool> {
    let refusals = check::check_path(repository, file, SystemTime::now())?;
    for refusal in &refusals {
        println!("{}: {refusal}", file.display());
    }
    match refusals.len() {
        0 => println!("{}: accepted", file.display()),
        1 => println!("{}: refused for 1 reason", file.display()),
        count => println!("{}: refused for {count} reasons", file.display()),
    }
    Ok(refusals.is_empty())
}

/// Moves the records of older versions of kernels to those that are left out.
fn prune(repository: &Repository, path: &Path) -> Result<()> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut file: GpuRecord =
        serde_json::from_slice(&bytes).with_context(|| format!("{} is not the record of a GPU", path.display()))?;
    let before = file.records.len();
    repository.prune(&mut file);
    ensure!(!file.records.is_empty(), "all kernels of {} were edited since: remove the file", path.display());
    if file.records.len() < before {
        file.write(path)?;
    }
    println!("{}: {} of {before} records remain", path.display(), file.records.len());
    Ok(())
}
