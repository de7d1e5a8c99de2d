//! The check of the versions of records.
//!
//! A record contains the hash of the PTX instructions of its kernel, so a change of comments does not make it old. A record
//! of an older version is of a kernel that nobody can read any more: it is removed, or made again. A record without a hash must be
//! made again.
//!
//! Nsight Compute's readings need no hash, because the stages' tests compare them with the counts of the present kernels.

use super::{Material, Report, line_of};
use crate::fill::kernels::STAGES;
use crate::fill::twins;
use crate::fill::version;
use anyhow::{Context, Result};
use common::recorded::results::COMMUNITY;
use common::stage::Rung;
use serde_json::Value;
use std::fs;

/// The version of a kernel that a record is of.
struct Stamp {
    stage: String,
    kernel: String,
    /// Whether it is of the Rust version; profiles are not.
    is_in_rust: bool,
    kernel_sha256: Option<String>,
}

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let mut count = 0;
    let results = fs::read_dir(material.repository.join("results")).context("cannot read the folder results")?;
    for entry in results {
        let folder = format!("results/{}", entry?.file_name().to_string_lossy());
        // The files of GPUs have more to fulfill.
        if !material.repository.join(&folder).is_dir() || folder.ends_with(COMMUNITY) {
            continue;
        }
        for file in material.files(&folder, "json")? {
            let text = material.text(&file)?;
            let mut stamps = Vec::new();
            // A file is a list of records, or has one on each line.
            for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
                collect_stamps(&value.with_context(|| format!("{file} is no JSON"))?, None, &mut stamps);
            }
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

/// Adds the stamps of the records in a value: of all objects with the version of a kernel of a stage, which the object or one around
/// it names. A changed copy of a kernel, `without` something or with a `change`, has another version.
fn collect_stamps(value: &Value, stage: Option<&str>, stamps: &mut Vec<Stamp>) {
    let text = |name: &str| value[name].as_str();
    let stage = text("stage").or(stage);
    if let (Some(stage), Some(kernel), Some(version)) = (stage, text("kernel"), value.get("kernel_sha256")) {
        stamps.push(Stamp {
            stage: stage.into(),
            kernel: kernel.into(),
            is_in_rust: value["in_rust"] == true || value["language"] == "rust",
            kernel_sha256: version.as_str().map(Into::into),
        });
    }
    let is_changed = |value: &Value| value["without"].is_string() || value["change"].is_string();
    match value {
        Value::Array(values) => {
            values.iter().filter(|value| !is_changed(value)).for_each(|value| collect_stamps(value, stage, stamps));
        }
        Value::Object(fields) => fields.values().for_each(|value| collect_stamps(value, stage, stamps)),
        _ => {}
    }
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
        if material.sources.counts(stage.name).is_ok_and(|counts| counts.list().is_empty()) {
            report.notices.push(format!("{} is not counted: run `cargo x record emulator`", stage.name));
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
    use serde_json::json;

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
    fn versions_are_found_in_all_kinds_of_records_except_of_changed_copies() {
        let kernels = |value: Value| {
            let mut stamps = Vec::new();
            collect_stamps(&value, None, &mut stamps);
            stamps.into_iter().map(|stamp| stamp.stage + &stamp.kernel).collect::<Vec<_>>()
        };
        let record = |kernel: &str| json!({"stage": "a", "kernel": kernel, "kernel_sha256": null});
        assert_eq!(kernels(json!([record("b")])), ["ab"]);
        let prices = json!([{"without": null, "record": record("b")}, {"without": "checks", "record": record("c")}]);
        assert_eq!(kernels(prices), ["ab"]);
        let variant = |kernel: &str, change: Value| json!({"kernel": kernel, "kernel_sha256": "0", "change": change});
        let variants = [variant("b", Value::Null), variant("c", "without copies".into())];
        assert_eq!(kernels(json!({"stage": "a", "variants": variants})), ["ab"]);
        assert_eq!(kernels(json!([{"limit": "issue", "kernel": "k", "kernel_sha256": null}])), [""; 0]);
    }
}
