//! The counted launches that are known of a device.

use super::files::{
    CEILINGS, Counted, OPCODES, OfOptions, OfTable, OfWavefronts, Opcodes, Profiled, READINGS, RecordError, WAVEFRONTS,
};
use super::files::{entries, json_files, read_json};
use crate::ceilings::demand::{PerUnit, WAVEFRONT, counter_demand, opcode_demand};
use crate::ceilings::measured::Measured;
use crate::ceilings::shares::CountedBy;
use crate::ceilings::unit::Unit;
use crate::problem::{Parameters, Size};
use crate::stage::Rung;
use serde_json::Number;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The counted launches that are known of a device.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Machine code first, the emulator's counts last.
    pub launches: Vec<Launch>,
    /// A profiler's readings of the wavefronts of shared memory.
    pub readings: Vec<Reading>,
}

/// A counted launch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: String,
    /// Hash of the kernel's source; `None` if a test compares the counts with the present kernel's.
    pub version: Option<String>,
    pub size: Size,
    /// Work in instructions.
    pub work: PerUnit,
    /// The operations of a warp in a product of its warpgroup, on average; 0 if that was not counted, or there is none.
    pub operations: f64,
    pub counted_by: CountedBy,
}

/// A profiler's reading of the wavefronts of shared memory.
#[derive(Clone, Debug)]
pub struct Reading {
    pub launch: Launch,
    /// Whether the emulator counts the same in PTX, which a test of the stage compares.
    pub is_of_ptx: bool,
}

/// The folder of the device whose machine code was counted.
struct Profiles {
    folder: PathBuf,
    /// The compute capability, if it is not the one of the device that is asked for.
    other: Option<String>,
}

impl Counts {
    /// Reads the counts for a measured device: of machine code in its own folder, or in that of a device of its compute
    /// capability, for which ptxas compiles; else of another one. Also returns a notice if its own is not counted.
    pub fn read(
        results: &Path,
        device: Option<&Path>,
        measured: &[Measured],
    ) -> Result<(Self, Option<String>), RecordError> {
        let mut counts = Self::default();
        let own = capability(measured).unwrap_or("?");
        let mut notice = Some("no machine code is counted, so `limited by` counts PTX: ~".to_owned());
        if let Some(Profiles { folder, other }) = Profiles::find(results, device, measured)? {
            let counted_by = if other.is_none() { CountedBy::MachineCode } else { CountedBy::OtherMachineCode };
            let counted: Option<Opcodes> = read_json(&folder.join(OPCODES))?;
            if let Some(Opcodes { kernels, tables }) = counted {
                counts.launches.extend(tables.into_iter().map(Launch::from));
                counts.launches.extend(kernels.into_iter().map(Launch::from));
            }
            let read: Option<Profiled> = read_json(&folder.join(READINGS))?;
            counts.readings.extend(read.into_iter().flat_map(|read| read.kernels).map(Reading::from));
            let read = counts.readings.iter_mut().map(|reading| &mut reading.launch);
            counts.launches.iter_mut().chain(read).for_each(|launch| launch.counted_by = counted_by);
            let not_own = format!("the machine code of compute capability {own} is not counted");
            notice = other.map(|other| format!("{not_own}, so `limited by` counts that of {other}: ~"));
        }
        for file in json_files(&results.join("emulator"))? {
            let records: Vec<Counted> = read_json(&file)?.unwrap_or_default();
            counts.launches.extend(records.into_iter().filter_map(Launch::counted));
        }
        Ok((counts, notice))
    }

    /// Returns the bytes of shared memory that a run takes, and what counted them. The emulator's count is the machine code's
    /// if the profiler has read the same wavefronts.
    pub fn shared(&self, rung: &Rung, size: &Size) -> (Option<f64>, CountedBy) {
        let emulated = self.launches(rung).find(|launch| launch.counted_by == CountedBy::Emulator);
        let emulated = emulated.and_then(|launch| launch.work_at(rung, size).remove(&Unit::Shared));
        let readings = || self.readings.iter().filter(|reading| reading.launch.kernel == rung.kernel);
        let Some(counted_by) = readings().next().map(|reading| reading.launch.counted_by) else {
            return (emulated, CountedBy::Emulator);
        };
        if readings().all(|reading| reading.is_of_ptx) {
            return (emulated, counted_by);
        }
        let amount = |reading: &&Reading| (rung.work.facts().work)(&reading.launch.size);
        let largest = readings().max_by(|one, other| amount(one).total_cmp(&amount(other)));
        let read = largest.and_then(|reading| reading.launch.work_at(rung, size).remove(&Unit::Shared));
        (read, counted_by)
    }

    /// Returns the counts of this version of the kernel. Profilers count one launch, so sizes that take several, such as
    /// chunks of atoms, are left out.
    pub fn launches<'a>(&'a self, rung: &'a Rung) -> impl Iterator<Item = &'a Launch> {
        let version = rung.version(false);
        let is_of = move |launch: &&Launch| {
            launch.kernel == rung.kernel
                && launch.version.as_ref().is_none_or(|counted| *counted == version)
                && (rung.work.facts().launches)(&launch.size) == 1
        };
        self.launches.iter().filter(is_of)
    }
}

impl Profiles {
    /// Returns the folder with the counts of a measured device's machine code; `None` if no device has such counts. Those of
    /// another compute capability are rough: of the stages' 151 kernels, ptxas 13.0 makes 0.78 to 1.12 times as many instructions
    /// for 7.5, 8.0, 8.6 and 8.9 as for 9.0, in eight of ten 0.86 to 1.03, and the same number in single precision and for tensor
    /// cores. Those of PTX are 0.27 to 1.47 times the executed ones of 9.0, in eight of ten 0.82 to 1.32.
    fn find(results: &Path, device: Option<&Path>, measured: &[Measured]) -> Result<Option<Self>, RecordError> {
        let has_counts = |folder: &Path| folder.join(OPCODES).is_file();
        if let Some(own) = device.filter(|folder| has_counts(folder)) {
            return Ok(Some(Self { folder: own.to_owned(), other: None }));
        }
        let all = measured_devices(results)?;
        let counted = || all.iter().filter(|(folder, _)| has_counts(folder));
        let is_like = |(_, other): &&(PathBuf, Vec<Measured>)| capability(other) == capability(measured);
        let found = counted().find(is_like).or_else(|| counted().next());
        Ok(found.map(|found| Self {
            folder: found.0.clone(),
            other: capability(&found.1).filter(|_| !is_like(&found)).map(str::to_owned),
        }))
    }
}

/// Returns the compute capability of a measured device.
fn capability(measured: &[Measured]) -> Option<&str> {
    measured.first().map(|one| one.made.compute_capability.as_str())
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
    pub fn profiled(kernel: String, options: &BTreeMap<String, Number>, work: PerUnit) -> Self {
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
    pub fn work_at(&self, rung: &Rung, size: &Size) -> PerUnit {
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
pub fn measured_devices(results: &Path) -> Result<Vec<(PathBuf, Vec<Measured>)>, RecordError> {
    let mut devices = Vec::new();
    for folder in entries(results)?.into_iter().filter(|folder| folder.is_dir()) {
        if let Some(measured) = read_json(&folder.join(CEILINGS))? {
            devices.push((folder, measured));
        }
    }
    Ok(devices)
}
