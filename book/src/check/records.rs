//! The check of the versions of records.
//!
//! A record contains the hash of the PTX instructions of its kernel, so that a change of comments does not make it old. A record
//! of an older version is of a kernel that nobody can read any more: it is removed, or made again. A record without a hash must be
//! made again.
//!
//! Nsight Compute's readings need no hash, because the stages' tests compare them with the counts of the present kernels.

use super::{Material, Report, line_of};
use crate::fill::kernels::STAGES;
use crate::fill::many;
use crate::fill::prices::{self, Price};
use crate::fill::profile;
use crate::fill::records;
use crate::fill::twins;
use crate::fill::variants;
use crate::fill::version;
use anyhow::{Context, Result};
use common::report::Record;
use common::stage::Rung;
use serde::Deserialize;
use std::fs;

/// The version of a kernel that a record is of.
#[derive(Deserialize)]
struct Stamp {
    stage: String,
    kernel: String,
    /// Whether it is of the Rust version; profiles are not.
    #[serde(skip)]
    is_in_rust: bool,
    kernel_sha256: Option<String>,
}

impl From<Record> for Stamp {
    fn from(record: Record) -> Self {
        let is_in_rust = record.language.is_rust();
        Self { stage: record.stage, kernel: record.kernel, is_in_rust, kernel_sha256: record.kernel_sha256 }
    }
}

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let mut count = 0;
    let results = fs::read_dir(material.repository.join("results")).context("cannot read the folder results")?;
    for entry in results {
        let folder = format!("results/{}", entry?.file_name().to_string_lossy());
        if !material.repository.join(&folder).is_dir() {
            continue;
        }
        for file in material.files(&folder, "json")? {
            let text = material.text(&file)?;
            let stamps = stamps(&file, &text).with_context(|| format!("{file} is not a list of records"))?;
            for stamp in &stamps {
                if let Some(fault) = fault(stamp) {
                    let place = text.find(&format!("\"{}\"", stamp.kernel)).unwrap_or(0);
                    report.add(&file, line_of(&text, place), fault);
                }
            }
            count += stamps.len();
        }
    }
    report.count(count, "records");
    gaps(material, report);
    Ok(())
}

/// Returns the stamps of a file's records; none if the file has no records of kernels. Stage 7 records rungs in place of kernels.
fn stamps(file: &str, text: &str) -> serde_json::Result<Vec<Stamp>> {
    if file.ends_with(profile::ENDING) {
        return serde_json::from_str(text);
    }
    if file.ends_with(prices::FILE) {
        // Kernels that lack something have another hash.
        let prices: Vec<Price> = serde_json::from_str(text)?;
        let whole = prices.into_iter().filter(|price| price.without.is_none());
        return Ok(whole.map(|price| price.record.into()).collect());
    }
    if file.ends_with(variants::FILE) {
        let recorded = variants::parse(text)?;
        let whole = recorded.variants.into_iter().filter(|variant| variant.kernel_sha256.is_some());
        let stamp = |variant: variants::Variant| {
            let (stage, kernel) = (recorded.stage.clone(), variant.kernel);
            Stamp { stage, kernel, is_in_rust: false, kernel_sha256: variant.kernel_sha256 }
        };
        return Ok(whole.map(stamp).collect());
    }
    if file.contains("/stage") && !file.ends_with(many::FILE) {
        return Ok(records::parse(text)?.into_iter().map(Stamp::from).collect());
    }
    Ok(Vec::new())
}

/// Returns what is wrong with the version of a record.
fn fault(stamp: &Stamp) -> Option<String> {
    let Stamp { stage, kernel, .. } = stamp;
    let again = format!("`cargo run -p {stage} -- --json`");
    match (current(stamp), &stamp.kernel_sha256) {
        (None, _) => Some(format!("{stage} has no kernel {kernel}: remove the record")),
        (_, None) => Some(format!(
            "the record of {kernel} does not state the version of its kernel: record it again with prebuilt PTX, {again}"
        )),
        (Some(current), Some(recorded)) if current != recorded => Some(format!(
            "the record of {kernel} is of an older version of the kernel: record it again, {again}, or remove the record"
        )),
        _ => None,
    }
}

/// Adds a notice for each kernel without a record on the GPU of the chapters. It is not a mistake, because the author of a
/// kernel may not have that GPU.
fn gaps(material: &Material, report: &mut Report) {
    for stage in STAGES {
        let Ok(records) = material.sources.records(stage.name) else { continue };
        for kernel in records.missing(stage) {
            report.notices.push(format!("{kernel} of {} is not recorded on the GPU that the book shows", stage.name));
        }
        let is_missing = |rung: &&&Rung| twins::has_twin(rung) && records.pair(rung.kernel).is_none();
        let twins = stage.rungs.iter().filter(|rung| !stage.is_baseline(rung)).filter(is_missing);
        let names: Vec<&str> = twins.map(|rung| rung.kernel).collect();
        if !names.is_empty() {
            let text =
                format!("in Rust, not recorded on the GPU that the book shows: {} of {}", names.join(", "), stage.name);
            report.notices.push(text);
        }
    }
}

/// Returns the version of the kernel in the repository.
fn current(stamp: &Stamp) -> Option<&'static str> {
    let stage = STAGES.iter().find(|stage| stage.name == stamp.stage)?;
    let rung = stage.rungs.iter().find(|rung| rung.kernel == stamp.kernel)?;
    version::now(rung, stamp.is_in_rust).filter(|_| !stamp.is_in_rust || twins::has_twin(rung))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(kernel: &str, hash: Option<&str>) -> Stamp {
        let kernel_sha256 = hash.map(str::to_owned);
        Stamp { stage: "stage01-naive".into(), kernel: kernel.into(), is_in_rust: false, kernel_sha256 }
    }

    #[test]
    fn a_record_needs_a_kernel_and_its_present_version() {
        let present = version::now(STAGES[0].rungs[0], false);
        assert_eq!(fault(&stamp("computeForces", present)), None);
        let words = |kernel, hash| fault(&stamp(kernel, hash)).unwrap();
        assert!(words("computeForces", Some("0")).contains("is of an older version of the kernel: record it again"));
        assert!(words("computeForces", None).contains("does not state the version"));
        assert_eq!(words("sum", present), "stage01-naive has no kernel sum: remove the record");
    }

    #[test]
    fn profiles_and_prices_are_records_too_and_limits_are_not() {
        let profile = r#"[{"stage": "a", "kernel": "b", "kernel_sha256": "0", "metrics": {}}]"#;
        assert_eq!(stamps("results/x/stage01-profile.json", profile).unwrap().len(), 1);
        assert!(stamps("results/x/prices.json", profile).is_err());
        assert!(stamps("results/x/limits.json", "{}").unwrap().is_empty());
    }
}
