//! The ceilings of a device and the counted launches, read from `results`.

mod files;

use super::demand::{PerUnit, WAVEFRONT, counter_demand, opcode_demand};
use super::measured::{Measured, Quantity};
use super::origin::{Origin, RatesBy};
use super::peaks::peaks;
use super::unit::{BUSY, Unit};
use crate::device::{Attributes, threads_per_multiprocessor};
use crate::problem::{Parameters, Size};
use crate::stage::Rung;
use files::{CEILINGS, Counted, OPCODES, OfOptions, OfTable, OfWavefronts, Opcodes, Profiled, WAVEFRONTS};
pub use files::{READINGS, RecordError, read_json};
use files::{entries, json_files};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The measured rates of a device's units, and the work of counted launches.
#[derive(Clone, Debug, Default)]
pub struct Ceilings {
    rates: PerUnit,
    attributes: Attributes,
    /// Machine code first, the emulator's counts last.
    launches: Vec<Launch>,
    readings: Vec<Reading>,
    notices: Vec<String>,
    origin: Option<Origin>,
    /// The measured peak rates in the units of attributes.
    peaks: Attributes,
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
    /// Machine instructions of all warps in a step; `None` if those of the PTX were counted, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
    /// The tool that counted the wavefronts of shared memory. Those of PTX are an upper bound, which may exceed 1: machine code
    /// may read several words at a time.
    #[serde(default = "by_emulator")]
    pub wavefronts_by: CountedBy,
    /// The GPU on which the rates were measured.
    #[serde(default, skip_serializing_if = "RatesBy::is_record")]
    pub rates_by: RatesBy,
}

fn by_emulator() -> CountedBy {
    CountedBy::Emulator
}

impl Shares {
    /// Returns whether the work of a unit was counted in PTX.
    #[must_use]
    pub fn is_of_ptx(&self, unit: Unit) -> bool {
        match unit {
            // Inputs, outputs and blocks are known without counting instructions.
            Unit::Memory | Unit::Blocks | Unit::Launch => false,
            Unit::Shared => self.wavefronts_by == CountedBy::Emulator,
            _ => self.counted_by == CountedBy::Emulator,
        }
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
    /// The operations of a warp in a product of its warpgroup, on average; 0 if that was not counted, or there is none.
    operations: f64,
    counted_by: CountedBy,
}

/// A profiler's reading of the wavefronts of shared memory.
#[derive(Clone, Debug)]
struct Reading {
    launch: Launch,
    /// Whether the emulator counts the same in PTX, which a test of the stage compares.
    is_of_ptx: bool,
}

impl Ceilings {
    /// Reads the folder of a device in `results`, and the emulator's counts next to it. A missing file is reported by
    /// [`Ceilings::notices`].
    ///
    /// # Errors
    /// [`RecordError`] if a file exists and cannot be read, or has another form.
    pub fn in_folder(results: &Path, device: &Path) -> Result<Self, RecordError> {
        let file = device.join(CEILINGS);
        let Some(measured) = read_json::<Vec<Measured>>(&file)? else {
            return Ok(Self::with_notices(vec![missing(&file, "the column `limited by` needs it")]));
        };
        let name = device.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::from_rates(results, Some(device), &measured, Origin::Record(name))
    }

    /// Reads the folder in `results` whose ceilings were measured on the device of this name; `None` if there is none.
    ///
    /// # Errors
    /// As [`Ceilings::in_folder`].
    pub fn for_device(results: &Path, name: &str) -> Result<Option<Self>, RecordError> {
        for (folder, measured) in measured_devices(results)? {
            if measured.first().is_some_and(|one| one.made.device == name) {
                return Self::in_folder(results, &folder).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the ceilings of measured rates, with the counts of launches in `results`. Machine code that was not counted in the
    /// folder `device` is that of another device of its compute capability, for which ptxas compiles.
    pub(super) fn from_rates(
        results: &Path,
        device: Option<&Path>,
        measured: &[Measured],
        origin: Origin,
    ) -> Result<Self, RecordError> {
        let mut launches: Vec<Launch> = Vec::new();
        let mut readings = Vec::new();
        let mut notices = Vec::new();
        if let Some(folder) = counted_in(results, device, measured)? {
            let counted: Option<Opcodes> = read_json(&folder.join(OPCODES))?;
            if let Some(Opcodes { kernels, tables }) = counted {
                launches.extend(tables.into_iter().map(Launch::from).chain(kernels.into_iter().map(Launch::from)));
            }
            let read: Option<Profiled> = read_json(&folder.join(READINGS))?;
            readings.extend(read.into_iter().flat_map(|read| read.kernels).map(Reading::from));
        } else {
            let capability = measured.first().map_or("?", |one| &one.made.compute_capability);
            notices.push(format!(
                "no machine code of compute capability {capability} is counted, so `limited by` counts PTX: ~"
            ));
        }
        for file in json_files(&results.join("emulator"))? {
            let records: Vec<Counted> = read_json(&file)?.unwrap_or_default();
            launches.extend(records.into_iter().filter_map(Launch::counted));
        }
        let (rates, attributes) = (rates(measured), attributes(measured));
        let peaks = peaks(measured);
        Ok(Self { rates, attributes, launches, readings, notices, origin: Some(origin), peaks })
    }

    /// Returns ceilings without rates.
    pub(super) fn with_notices(notices: Vec<String>) -> Self {
        Self { notices, ..Self::default() }
    }

    /// Returns the same ceilings with other notices before theirs.
    pub(super) fn after(self, mut notices: Vec<String>) -> Self {
        notices.extend(self.notices);
        Self { notices, ..self }
    }

    /// Returns the measured peak rates, in the units of a device's attributes.
    #[must_use]
    pub fn peaks(&self) -> &Attributes {
        &self.peaks
    }

    /// Returns the source of the rates; `None` without rates.
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
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

    /// Returns the highest rate of a unit per second, in what its [`Quantity`] counts, without the time of a launch; `None` if it was not
    /// measured.
    #[must_use]
    pub fn rate(&self, unit: Unit) -> Option<f64> {
        self.rates.get(&unit).copied()
    }

    /// Returns whether the rates of the device's units are known.
    #[must_use]
    pub fn are_recorded(&self) -> bool {
        !self.rates.is_empty()
    }

    /// Returns the shares of a timed run; `None` if the rates, or the instructions of this version of the kernel, are
    /// not recorded. A time between two events includes that of an empty kernel, in which no unit works: the sums of stage 6
    /// take 3.8 to 4.4 us more between events than by Nsight Compute's `gpu__time_duration`, of 20 us, and an empty kernel takes 5.1.
    /// So the units share the rest.
    #[must_use]
    pub fn shares(&self, rung: &Rung, size: &Size, run: &TimedRun) -> Option<Shares> {
        let launch = self.launches(rung).next()?;
        let mut work = launch.work_at(rung, size);
        if launch.counted_by == CountedBy::MachineCode
            && let Some(products) = work.get_mut(&Unit::Warpgroup)
        {
            *products *= self.launches(rung).map(|launch| launch.operations).fold(0.0, f64::max);
        }
        let (shared, wavefronts_by) = self.shared(rung, size);
        work.extend(shared.map(|bytes| (Unit::Shared, bytes)));
        work.extend([(Unit::Memory, run.bytes), (Unit::Blocks, run.blocks), (Unit::Launch, 1.0)]);
        let launch_share = self.rates.get(&Unit::Launch).map_or(0.0, |rate| 1.0 / rate / run.seconds);
        let working = run.seconds * (1.0 - launch_share.min(BUSY));
        let seconds = |unit| if unit == Unit::Launch { run.seconds } else { working };
        let share = |(unit, rate): (&Unit, &f64)| Some((*unit, work.get(unit)? / rate / seconds(*unit)));
        let of_limit: PerUnit = self.rates.iter().filter_map(share).collect();
        let (busiest, _) = of_limit.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        let counted_by = launch.counted_by;
        let issued = work.get(&Unit::Issue).filter(|_| counted_by == CountedBy::MachineCode);
        let instructions = issued.map(|all| (all / f64::from(size.step_count())).round());
        let rates_by = self.origin.as_ref().map(Origin::rates_by).unwrap_or_default();
        Some(Shares { busiest: *busiest, of_limit, counted_by, instructions, wavefronts_by, rates_by })
    }

    /// Returns the bytes of shared memory that a run takes, and what counted them. The emulator's count is the machine code's
    /// if the profiler has read the same wavefronts.
    fn shared(&self, rung: &Rung, size: &Size) -> (Option<f64>, CountedBy) {
        let emulated = self.launches(rung).find(|launch| launch.counted_by == CountedBy::Emulator);
        let emulated = emulated.and_then(|launch| launch.work_at(rung, size).remove(&Unit::Shared));
        let readings = || self.readings.iter().filter(|reading| reading.launch.kernel == rung.kernel);
        if readings().next().is_none() {
            return (emulated, CountedBy::Emulator);
        }
        if readings().all(|reading| reading.is_of_ptx) {
            return (emulated, CountedBy::MachineCode);
        }
        let amount = |reading: &&Reading| (rung.work.facts().work)(&reading.launch.size);
        let largest = readings().max_by(|one, other| amount(one).total_cmp(&amount(other)));
        let read = largest.and_then(|reading| reading.launch.work_at(rung, size).remove(&Unit::Shared));
        (read, CountedBy::MachineCode)
    }

    /// Returns the counts of this version of the kernel. Profilers count one launch, so sizes that take several, such as
    /// chunks of atoms, are left out.
    fn launches<'a>(&'a self, rung: &'a Rung) -> impl Iterator<Item = &'a Launch> {
        let version = rung.version(false);
        let is_of = move |launch: &&Launch| {
            launch.kernel == rung.kernel
                && launch.version.as_ref().is_none_or(|counted| *counted == version)
                && (rung.work.facts().launches)(&launch.size) == 1
        };
        self.launches.iter().filter(is_of)
    }
}

impl From<OfTable> for Launch {
    fn from(table: OfTable) -> Self {
        Self {
            kernel: table.kernel,
            version: Some(table.kernel_sha256),
            size: Size { parameters: table.parameters.unwrap_or_default(), ..Size::new(table.size) },
            work: opcode_demand(&table.opcodes),
            operations: 0.0,
            counted_by: CountedBy::MachineCode,
        }
    }
}

impl From<OfOptions> for Launch {
    fn from(launch: OfOptions) -> Self {
        Self::profiled(launch.kernel, &launch.options, opcode_demand(&launch.opcodes))
    }
}

impl From<OfWavefronts> for Reading {
    fn from(reading: OfWavefronts) -> Self {
        let wavefronts: u64 = WAVEFRONTS.iter().filter_map(|name| reading.readings.get(*name)).sum();
        let work = PerUnit::from([(Unit::Shared, wavefronts as f64 * WAVEFRONT)]);
        let is_of_ptx = !WAVEFRONTS.iter().any(|name| reading.differs.contains_key(*name));
        Self { launch: Launch::profiled(reading.kernel, &reading.options, work), is_of_ptx }
    }
}

impl Launch {
    /// Returns a launch whose machine code was counted, with the options of the stage's program.
    fn profiled(kernel: String, options: &BTreeMap<String, Number>, work: PerUnit) -> Self {
        let n = options.get("n").and_then(Number::as_u64).unwrap_or(0);
        let size = Size::new(usize::try_from(n).unwrap_or(0));
        let parameters = options.iter().filter(|(name, _)| *name != "n");
        let parameters = parameters.fold(Parameters::default(), |all, (name, value)| all.with(name, value.clone()));
        Self {
            kernel,
            version: None,
            size: Size { parameters, ..size },
            work,
            operations: 0.0,
            counted_by: CountedBy::MachineCode,
        }
    }

    /// Returns the work of a run at a size, which grows with the problem's amount.
    fn work_at(&self, rung: &Rung, size: &Size) -> PerUnit {
        let amount = rung.work.facts().work;
        let times = amount(size) * f64::from(size.step_count()) / amount(&self.size);
        self.work.iter().map(|(unit, work)| (*unit, work * times)).collect()
    }

    fn counted(record: Counted) -> Option<Self> {
        let counters = record.counters?;
        Some(Self {
            kernel: record.kernel,
            version: Some(record.kernel_sha256?),
            size: Size { parameters: record.parameters.unwrap_or_default(), ..Size::new(record.size) },
            work: counter_demand(&counters),
            operations: counters.warpgroup_operations as f64 / counters.classes.matrix.max(1) as f64,
            counted_by: CountedBy::Emulator,
        })
    }
}

/// Returns the folders in `results` with ceilings, and these.
fn measured_devices(results: &Path) -> Result<Vec<(PathBuf, Vec<Measured>)>, RecordError> {
    let mut devices = Vec::new();
    for folder in entries(results)?.into_iter().filter(|folder| folder.is_dir()) {
        if let Some(measured) = read_json(&folder.join(CEILINGS))? {
            devices.push((folder, measured));
        }
    }
    Ok(devices)
}

/// Returns the folder with the counts of a measured device's machine code: its own, or that of a device of its compute capability.
fn counted_in(results: &Path, device: Option<&Path>, measured: &[Measured]) -> Result<Option<PathBuf>, RecordError> {
    let capability = |all: &[Measured]| all.first().map(|one| one.made.compute_capability.clone());
    let has_counts = |folder: &Path| folder.join(OPCODES).is_file();
    if let Some(own) = device.filter(|folder| has_counts(folder)) {
        return Ok(Some(own.to_owned()));
    }
    let is_like =
        |(folder, other): &(PathBuf, Vec<Measured>)| has_counts(folder) && capability(other) == capability(measured);
    let found = measured_devices(results)?.into_iter().find(is_like);
    Ok(found.map(|(folder, _)| folder))
}

fn missing(file: &Path, consequence: &str) -> String {
    format!("there is no {}; {consequence}", file.display())
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

/// Returns the highest verified rate of each unit, per second and without the time of a launch. Every instruction takes an issue
/// slot, so single precision also bounds the rate of the schedulers from below.
#[must_use]
pub fn rates(measured: &[Measured]) -> PerUnit {
    let median = |one: &Measured| one.time_ms.map(|time| time.median);
    let launch = measured.iter().find(|one| one.limit == Quantity::Launch).and_then(median).unwrap_or(0.0);
    let mut rates = BTreeMap::new();
    for (unit, own) in Unit::ALL {
        let is_of = |quantity| quantity == own || (unit == Unit::Issue && quantity == Quantity::Fp32);
        let working = |one: &Measured| median(one).filter(|_| unit != Unit::Launch).map_or(1.0, |ms| 1.0 - launch / ms);
        let of_unit = measured.iter().filter(|one| one.verified && is_of(one.limit));
        if let Some(rate) = of_unit.filter_map(|one| Some(one.rate? / working(one))).max_by(f64::total_cmp) {
            rates.insert(unit, rate);
        }
    }
    rates
}

#[cfg(test)]
pub(super) mod tests;
