//! The ceilings of a device and the counted launches, read from `results`.

use super::demand::{PerUnit, of_counters, of_opcodes};
use super::measured::{Measured, Quantity};
use super::unit::Unit;
use crate::device::{Attributes, threads_per_multiprocessor};
use crate::problem::{Parameters, Size};
use crate::stage::Rung;
use emulator::Counters;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files in the folder of a device.
const CEILINGS: &str = "limits.json";
const OPCODES: &str = "opcodes.json";

/// The measured rates of a device's units, and the work of counted launches.
#[derive(Clone, Debug, Default)]
pub struct Ceilings {
    rates: PerUnit,
    attributes: Attributes,
    /// Machine code first, the emulator's counts last.
    launches: Vec<Launch>,
    notices: Vec<String>,
}

/// A record that exists and cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {reason}", file.display())]
pub struct RecordError {
    file: PathBuf,
    reason: String,
}

/// The tool that counted the instructions of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedBy {
    /// A profiler, in machine code.
    MachineCode,
    /// The emulator, in PTX.
    Emulator,
}

/// For each unit, the time that it needs at its measured rate, divided by the time of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// The shares of the measured units.
    pub of_limit: PerUnit,
    /// The unit with the largest share.
    #[serde(rename = "limiter")]
    pub busiest: Unit,
    /// The tool that counted the instructions.
    pub counted_by: CountedBy,
}

impl Shares {
    /// Returns whether the work of a unit was counted in PTX. That of shared memory always is, so that its share is an upper
    /// bound, which may exceed 1: machine code may read several words at a time.
    #[must_use]
    pub fn is_of_ptx(&self, unit: Unit) -> bool {
        self.counted_by == CountedBy::Emulator || unit == Unit::Shared
    }

    /// Returns the share of the busiest unit.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.of_limit.get(&self.busiest).copied().unwrap_or(0.0)
    }
}

/// The measured part of a run, from which shares follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedRun {
    /// Bytes that the run must move: inputs and outputs, once per launch.
    pub bytes: f64,
    /// Blocks of all launches.
    pub blocks: f64,
    /// Duration.
    pub seconds: f64,
}

/// A counted launch.
#[derive(Clone, Debug)]
struct Launch {
    kernel: String,
    /// Hash of the kernel's source; `None` if a test compares the counts with the present kernel's.
    version: Option<String>,
    size: Size,
    /// Work in instructions.
    work: PerUnit,
    counted_by: CountedBy,
}

/// The contents of `opcodes.json`.
#[derive(Deserialize)]
struct Opcodes {
    /// Launches at small sizes.
    kernels: Vec<OfOptions>,
    /// The launches of the stages' tables.
    #[serde(default)]
    tables: Vec<OfTable>,
}

#[derive(Deserialize)]
struct OfOptions {
    kernel: String,
    options: BTreeMap<String, Number>,
    opcodes: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct OfTable {
    kernel: String,
    kernel_sha256: String,
    size: usize,
    #[serde(default)]
    parameters: Option<Parameters>,
    opcodes: BTreeMap<String, u64>,
}

/// The fields used of a record of the emulator.
#[derive(Deserialize)]
struct Counted {
    kernel: String,
    kernel_sha256: Option<String>,
    size: usize,
    #[serde(alias = "slice", default)]
    parameters: Option<Parameters>,
    counters: Option<Counters>,
}

impl Ceilings {
    /// Reads the folder of a device in `results`, and the emulator's counts next to it. A missing file is reported by
    /// [`Ceilings::notices`].
    ///
    /// # Errors
    /// [`RecordError`] if a file exists and cannot be read, or has another form.
    pub fn in_folder(results: &Path, device: &Path) -> Result<Self, RecordError> {
        let (ceilings, opcodes) = (device.join(CEILINGS), device.join(OPCODES));
        let measured: Option<Vec<Measured>> = read(&ceilings)?;
        let counted: Option<Opcodes> = read(&opcodes)?;
        let mut notices = Vec::new();
        if measured.is_none() {
            notices.push(missing(&ceilings, "the column `limited by` needs it"));
        } else if counted.is_none() {
            notices.push(missing(&opcodes, "instructions are counted in PTX instead, by the emulator"));
        }
        let mut launches: Vec<Launch> = Vec::new();
        if let Some(Opcodes { kernels, tables }) = counted {
            launches.extend(tables.into_iter().map(Launch::from).chain(kernels.into_iter().map(Launch::from)));
        }
        for file in json_files(&results.join("emulator"))? {
            let records: Vec<Counted> = read(&file)?.unwrap_or_default();
            launches.extend(records.into_iter().filter_map(Launch::counted));
        }
        let measured = measured.unwrap_or_default();
        Ok(Self { rates: rates(&measured), attributes: attributes(&measured), launches, notices })
    }

    /// Reads the folder in `results` whose ceilings were measured on the device of this name.
    ///
    /// # Errors
    /// As [`Ceilings::in_folder`].
    pub fn of_device(results: &Path, name: &str) -> Result<Self, RecordError> {
        for folder in entries(results)?.into_iter().filter(|folder| folder.is_dir()) {
            let measured: Option<Vec<Measured>> = read(&folder.join(CEILINGS))?;
            if measured.is_some_and(|all| all.first().is_some_and(|one| one.made.device == name)) {
                return Self::in_folder(results, &folder);
            }
        }
        let how = "cargo x record DEVICE --only limits measures them for the column `limited by`";
        let notices = vec![format!("the ceilings of {name} are not recorded; {how}")];
        Ok(Self { notices, ..Self::default() })
    }

    /// Returns a line for each missing record.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns the recorded attributes of the device: multiprocessors, and threads of each.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Returns whether the rates of the device's units are recorded.
    #[must_use]
    pub fn are_recorded(&self) -> bool {
        !self.rates.is_empty()
    }

    /// Returns the shares of a timed run; `None` if the rates, or the instructions of this version of the kernel, are
    /// not recorded.
    #[must_use]
    pub fn shares(&self, rung: &Rung, size: &Size, run: &TimedRun) -> Option<Shares> {
        let launch = self.launches(rung).next()?;
        let mut work = launch.work_at(rung, size);
        // Profilers count instructions, and the emulator also the wavefronts of shared memory.
        let emulated = self.launches(rung).find(|launch| launch.counted_by == CountedBy::Emulator);
        let shared = emulated.and_then(|launch| launch.work_at(rung, size).remove(&Unit::Shared));
        work.extend(shared.map(|bytes| (Unit::Shared, bytes)));
        work.extend([(Unit::Memory, run.bytes), (Unit::Blocks, run.blocks)]);
        let share = |(unit, rate): (&Unit, &f64)| Some((*unit, work.get(unit)? / rate / run.seconds));
        let of_limit: PerUnit = self.rates.iter().filter_map(share).collect();
        let (busiest, _) = of_limit.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        Some(Shares { busiest: *busiest, of_limit, counted_by: launch.counted_by })
    }

    /// Returns the counts of this version of the kernel. Profilers count one launch, so sizes that take several, such as
    /// chunks of atoms, are left out.
    fn launches<'a>(&'a self, rung: &'a Rung) -> impl Iterator<Item = &'a Launch> {
        let version = rung.version(false);
        let is_of = move |launch: &&Launch| {
            launch.kernel == rung.kernel
                && launch.version.as_ref().is_none_or(|counted| *counted == version)
                && rung.work.launches(&launch.size) == 1
        };
        self.launches.iter().filter(is_of)
    }
}

impl From<OfTable> for Launch {
    fn from(table: OfTable) -> Self {
        Self {
            kernel: table.kernel,
            version: Some(table.kernel_sha256),
            size: Size { parameters: table.parameters.unwrap_or_default(), ..Size::of(table.size) },
            work: of_opcodes(&table.opcodes),
            counted_by: CountedBy::MachineCode,
        }
    }
}

impl From<OfOptions> for Launch {
    fn from(launch: OfOptions) -> Self {
        let n = launch.options.get("n").and_then(Number::as_u64).unwrap_or(0);
        let size = Size::of(usize::try_from(n).unwrap_or(0));
        let parameters = launch.options.iter().filter(|(name, _)| *name != "n");
        let parameters = parameters.fold(Parameters::default(), |all, (name, value)| all.with(name, value.clone()));
        Self {
            kernel: launch.kernel,
            version: None,
            size: Size { parameters, ..size },
            work: of_opcodes(&launch.opcodes),
            counted_by: CountedBy::MachineCode,
        }
    }
}

impl Launch {
    /// Returns the work of a run at a size, which grows with the problem's amount.
    fn work_at(&self, rung: &Rung, size: &Size) -> PerUnit {
        let amount = rung.work.facts().work;
        let times = amount(size) * f64::from(size.step_count()) / amount(&self.size);
        self.work.iter().map(|(unit, work)| (*unit, work * times)).collect()
    }

    fn counted(record: Counted) -> Option<Self> {
        Some(Self {
            kernel: record.kernel,
            version: Some(record.kernel_sha256?),
            size: Size { parameters: record.parameters.unwrap_or_default(), ..Size::of(record.size) },
            work: of_counters(&record.counters?),
            counted_by: CountedBy::Emulator,
        })
    }
}

fn missing(file: &Path, consequence: &str) -> String {
    format!("there is no {}; {consequence}", file.display())
}

/// Reads a file of JSON; `None` if it does not exist.
fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, RecordError> {
    let failed = |reason: String| RecordError { file: file.to_owned(), reason };
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| failed(error.to_string()))?,
    };
    serde_json::from_str(&text).map(Some).map_err(|error| failed(error.to_string()))
}

/// Lists a folder in ascending order; nothing if it does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let failed = |error: std::io::Error| RecordError { file: folder.to_owned(), reason: error.to_string() };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut paths = entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let is_json = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "json");
    Ok(entries(folder)?.into_iter().filter(is_json).collect())
}

/// Returns the attributes of the measured device that the shape of a launch is compared with.
fn attributes(measured: &[Measured]) -> Attributes {
    let Some(first) = measured.first() else { return Attributes::default() };
    let capability = first.made.compute_capability.split_once('.');
    let capability = capability.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    Attributes {
        multiprocessors: first.multiprocessors,
        threads_per_multiprocessor: capability.and_then(threads_per_multiprocessor),
        ..Attributes::default()
    }
}

/// Returns the highest verified rate of each unit, per second. Every instruction takes an issue slot, so single
/// precision also bounds the rate of the schedulers from below.
fn rates(measured: &[Measured]) -> PerUnit {
    let mut rates = BTreeMap::new();
    for unit in Unit::ALL {
        let is_of = |quantity| quantity == unit.quantity() || (unit == Unit::Issue && quantity == Quantity::Fp32);
        let of_unit = measured.iter().filter(|one| one.verified && is_of(one.limit));
        if let Some(rate) = of_unit.filter_map(|one| one.rate).max_by(f64::total_cmp) {
            rates.insert(unit, rate);
        }
    }
    rates
}

#[cfg(test)]
mod tests;
