//! The requirements on a file: agreement with the repository, with the rates of its device, and with itself.
//!
//! | module | requirement |
//! |---|---|
//! | `header` | form, device, driver and date are possible |
//! | `kernels` | each kernel has one record, or one reason for having none that is true |
//! | `launch` | a record is of the device and of the present kernel in its default launch, with correct results |
//! | `times` | times, rates and clocks agree with each other and with the work of the launch |
//! | `limits` | the rates of the units are possible, and no kernel is faster than they allow |

mod header;
mod kernels;
mod launch;
mod limits;
mod times;

use crate::expected::{self, Expected, Work};
use crate::file::{Cause, GpuRecord, MAX_BYTES, Name, SCHEMA};
use crate::make::left_out;
use anyhow::{Context, Result};
use common::format::slug;
use common::recorded::results::COMMUNITY;
use common::report::Record;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The mistakes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The record; `None` for the file as a whole.
    pub record: Option<String>,
    /// The field: `time_ms.median`.
    pub field: String,
    /// The reason, which names the value and what is expected.
    pub reason: String,
    /// Whether only a kernel is missing, as in the file of a device that was recorded before the kernel was written.
    pub is_gap: bool,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(record) = &self.record {
            write!(f, "{record}: ")?;
        }
        write!(f, "{}: {}", self.field, self.reason)
    }
}

/// The mistakes of a part of a file: the file itself, or one of its records.
#[derive(Debug, Default)]
struct Findings {
    record: Option<String>,
    all: Vec<Refusal>,
}

impl Findings {
    fn add(&mut self, field: &str, reason: impl Into<String>) {
        let (record, field, reason) = (self.record.clone(), field.into(), reason.into());
        self.all.push(Refusal { record, field, reason, is_gap: false });
    }

    /// Adds what `check` finds in a record.
    fn of_record(&mut self, entry: &Entry, check: impl FnOnce(&mut Self)) {
        let mut own = Self { record: Some(entry.name.to_string()), all: Vec::new() };
        check(&mut own);
        self.all.append(&mut own.all);
    }

    /// Adds the reason unless the field is right.
    fn require(&mut self, is_right: bool, field: &str, reason: impl FnOnce() -> String) {
        if !is_right {
            self.add(field, reason());
        }
    }
}

/// The kernels and records of the repository, with which files are compared.
#[derive(Debug)]
pub struct Repository {
    results: PathBuf,
    kernels: BTreeMap<Name, Kernel>,
    work: Work,
}

/// A kernel with its present version.
#[derive(Debug)]
struct Kernel {
    expected: Expected,
    version: String,
}

/// A record of a kernel in the repository.
struct Entry<'a> {
    name: Name,
    kernel: &'a Kernel,
    record: Record,
}

impl Repository {
    /// Reads the repository with this folder `results`.
    ///
    /// # Errors
    /// The reason why records in it cannot be read.
    pub fn read(results: &Path) -> Result<Self> {
        let kernel = |expected: Expected| {
            let version = expected.plan.rung.version(expected.plan.in_rust);
            (expected.name(), Kernel { expected, version })
        };
        let kernels = expected::all()?.into_iter().map(kernel).collect();
        Ok(Self { results: results.to_owned(), kernels, work: Work::read(results)? })
    }

    /// Returns the recorded kernel and its version in the repository, by a record's own words.
    fn find(&self, record: &Value) -> Result<(Name, &Kernel), (String, String)> {
        let text = |field: &str| record[field].as_str().unwrap_or("?").to_owned();
        let in_rust = record["language"] == "rust" || record["in_rust"] == true;
        let name = Name { stage: text("stage"), kernel: text("kernel"), in_rust };
        match self.kernels.get_key_value(&name) {
            Some((name, kernel)) => Ok((name.clone(), kernel)),
            None => Err((name.to_string(), self.unknown(&name))),
        }
    }

    /// Describes why there is no such kernel.
    fn unknown(&self, name: &Name) -> String {
        let same = self.kernels.keys().find(|own| own.kernel == name.kernel && own.in_rust == name.in_rust);
        match same {
            Some(own) => format!("{} is a kernel of {}", name.kernel, own.stage),
            None => {
                format!("the repository has no such kernel; `cargo run -p {} -- --list` lists its kernels", name.stage)
            }
        }
    }

    /// Moves the records of edited kernels to those that are left out, adds new kernels to these, and removes deleted ones.
    pub fn prune(&self, file: &mut GpuRecord) {
        let is_present = |record: &Value| {
            self.find(record).is_ok_and(|(_, kernel)| record["kernel_sha256"] == kernel.version.as_str())
        };
        file.records.retain(is_present);
        file.left_out.retain(|one| self.kernels.contains_key(&one.name()));
        let mut named: Vec<Name> = file.left_out.iter().map(|one| one.name()).collect();
        named.extend(file.records.iter().filter_map(|record| Some(self.find(record).ok()?.0)));
        let missing = self.kernels.iter().filter(|(name, _)| !named.contains(name));
        let reason = || "the kernel was edited or added after the recording".to_owned();
        file.left_out.extend(missing.map(|(_, kernel)| left_out(&kernel.expected, Cause::Changed, reason())));
    }
}

/// Returns what is wrong with a file at a time; nothing if it is accepted. In the folder of all, it has the name of its device.
///
/// # Errors
/// The reason why it cannot be read.
pub fn check_path(repository: &Repository, path: &Path, now: SystemTime) -> Result<Vec<Refusal>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut findings = Findings { record: None, all: check(repository, &bytes, now) };
    let is_of_all = path.parent().is_some_and(|folder| folder.ends_with(COMMUNITY));
    if let (true, Ok(file)) = (is_of_all, read(&bytes)) {
        let name = slug(&file.device.name);
        let has_name = path.file_stem().is_some_and(|stem| *stem == *name);
        findings.require(has_name, "device.name", || format!("the file of {} is {name}.json", file.device.name));
    }
    Ok(findings.all)
}

/// Returns what is wrong with a file's contents at a time; nothing if it is accepted.
#[must_use]
pub fn check(repository: &Repository, bytes: &[u8], now: SystemTime) -> Vec<Refusal> {
    let mut findings = Findings::default();
    match read(bytes) {
        Err((field, reason)) => findings.add(field, reason),
        Ok(file) => check_file(repository, &file, now, &mut findings),
    }
    findings.all
}

fn read(bytes: &[u8]) -> Result<GpuRecord, (&'static str, String)> {
    if bytes.len() > MAX_BYTES {
        return Err(("file", format!("it has {} bytes, of at most {MAX_BYTES}", bytes.len())));
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|error| ("file", format!("it is no JSON: {error}")))?;
    if value["schema"] != SCHEMA {
        let what = if value["schema"].is_null() { "no number".into() } else { value["schema"].to_string() };
        return Err(("schema", format!("it is {what}, and this program reads {SCHEMA}: record with this version")));
    }
    serde_json::from_value(value).map_err(|error| ("file", format!("it is not the record of a GPU: {error}")))
}

fn check_file(repository: &Repository, file: &GpuRecord, now: SystemTime, findings: &mut Findings) {
    header::check(file, now, findings);
    let mut entries = Vec::new();
    for (index, value) in file.records.iter().enumerate() {
        match entry(repository, value) {
            Ok(entry) => entries.push(entry),
            Err((name, field, reason)) => {
                let record = Some(format!("record {} ({name})", index + 1));
                findings.all.push(Refusal { record, field, reason, is_gap: false });
            }
        }
    }
    kernels::check(repository, file, &entries, findings);
    limits::check_rates(file, findings);
    for entry in &entries {
        findings.of_record(entry, |own| {
            launch::check(file, entry, own);
            times::check(file, entry, &repository.work, own);
        });
    }
    // Times are compared with rates if both are right.
    if findings.all.iter().all(|refusal| refusal.is_gap)
        && let Some(ceilings) = limits::ceilings(&repository.results, file, findings)
    {
        for entry in &entries {
            findings.of_record(entry, |own| limits::check_time(file, entry, &ceilings, own));
        }
    }
}

/// Reads a record.
fn entry<'a>(repository: &'a Repository, value: &Value) -> Result<Entry<'a>, (String, String, String)> {
    let (name, kernel) = repository.find(value).map_err(|(name, reason)| (name, "kernel".into(), reason))?;
    times::require_numbers(value).map_err(|(field, reason)| (name.to_string(), field, reason))?;
    let record = serde_json::from_value(value.clone());
    let record: Record = record.map_err(|error| (name.to_string(), "record".into(), error.to_string()))?;
    Ok(Entry { name, kernel, record })
}
