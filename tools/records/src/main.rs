//! `cargo x record` without a name: records this machine's GPU in one file, or checks such files.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use records::check::{self, Repository};
use records::file::{COMMUNITY, GpuRecord, slug};
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
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let results = results.canonicalize().context("the folder results of the checkout is missing")?;
    let repository = Repository::read(&results)?;
    if !options.prune.is_empty() {
        options.prune.iter().try_for_each(|file| prune(&repository, file))?;
        return Ok(true);
    }
    if !options.check.is_empty() {
        let mut accepted = true;
        for file in &options.check {
            accepted &= report(&repository, file)?;
        }
        return Ok(accepted);
    }
    let bar = make::bar();
    let made = make::record(&bar);
    bar.finish_and_clear();
    let made = made?;
    let default = || results.join(COMMUNITY).join(format!("{}.json", slug(&made.device.name)));
    let file = options.output.clone().unwrap_or_else(default);
    made.write(&file)?;
    println!("{}: {} kernels, {} left out", file.display(), made.records.len(), made.left_out.len());
    let accepted = report(&repository, &file)?;
    if accepted {
        println!("Send it as a pull request: CONTRIBUTING.md says how.");
    }
    Ok(accepted)
}

/// Prints what is wrong with a file, and returns whether nothing is.
fn report(repository: &Repository, file: &Path) -> Result<bool> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let refusals = check::check(repository, &bytes, SystemTime::now());
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
