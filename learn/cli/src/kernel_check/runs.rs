//! Runs of one or several kernels, and what they print.

use super::report::{Report, Status, VERSION};
use super::{Check, compare, examine, sarif, short};
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::io::Write;

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    Text,
    /// A line for each finding, error and cause: FILE:LINE: LEVEL: TEXT
    Short,
    /// One document, which the page "What check prints for programs" of the book describes
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

/// Runs kernels, prints what was found, and returns whether all are clean.
///
/// # Errors
/// Returns an error if a kernel cannot be compiled, loaded or launched. The others run nevertheless.
pub fn run(checks: &[Check]) -> Result<bool> {
    let format = checks.first().map_or(Format::Text, Check::format);
    let mut reports = Vec::new();
    let mut errors = Vec::new();
    let mut comparisons = Vec::new();
    for check in checks {
        let versions = compare::versions(check);
        let first = reports.len();
        for version in &versions {
            let mut report = Report::new(version);
            if let Err(error) = examine(version, &mut report) {
                report.fail(&error);
                errors.push(if checks.len() > 1 {
                    error.context(format!("{}, {}", report.file, report.kernel))
                } else {
                    error
                });
            }
            reports.push(report);
        }
        if let [one, other] = &reports[first..]
            && versions.len() > 1
            && let Some(comparison) = compare::Comparison::new(one, other)
        {
            if format == Format::Text {
                say(&comparison.to_string());
            }
            comparisons.push(comparison);
        }
    }
    match format {
        Format::Text => {}
        Format::Short => reports.iter().flat_map(short::lines).for_each(|line| say(&line)),
        Format::Json => say(&document(&reports, &comparisons)?.to_string()),
        Format::Sarif => say(&sarif::log(&reports).to_string()),
    }
    let all: Vec<String> = errors.iter().map(|error| format!("{error:#}")).collect();
    match errors.pop() {
        Some(error) if all.len() == 1 => Err(error),
        Some(_) => Err(anyhow!(all.join("\nerror: "))),
        None => Ok(reports.iter().all(|report| report.status == Status::Clean)),
    }
}

/// Returns the document of `--json`.
fn document(reports: &[Report], comparisons: &[compare::Comparison]) -> Result<Value> {
    Ok(
        json!({ "version": VERSION, "runs": serde_json::to_value(reports)?, "comparisons": serde_json::to_value(comparisons)? }),
    )
}

/// Prints a text. A reader that has closed the pipe, as `head` does, is not an error.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
