//! What `results` knows of a device's limits and of what kernels ask for.

use super::measured::{Measured, Quantity};
use super::needs::{PerUnit, of_counters, of_opcodes};
use super::unit::Unit;
use crate::problem::{Parameters, Size};
use crate::stage::Rung;
use emulator::Counters;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Measured limits of a device, and counts of launches.
#[derive(Clone, Debug, Default)]
pub struct Known {
    rates: PerUnit,
    /// What was counted best comes first.
    launches: Vec<Launch>,
}

/// What counted the instructions of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedBy {
    /// A profiler, in machine code.
    MachineCode,
    /// The emulator, in PTX.
    Emulator,
}

/// Of a run's time, what each unit needs at its measured rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// By unit, of those that were measured.
    pub of_limit: PerUnit,
    /// The unit with the largest share.
    pub limiter: Unit,
    /// What counted the instructions.
    pub counted_by: CountedBy,
}

impl Shares {
    /// The limiter's share.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.of_limit.get(&self.limiter).copied().unwrap_or(0.0)
    }
}

/// A launch that was counted.
#[derive(Clone, Debug)]
struct Launch {
    kernel: String,
    /// Which version of the kernel; `None` where tests compare the counts with those of today's kernel.
    version: Option<String>,
    size: Size,
    /// All but memory.
    needs: PerUnit,
    counted_by: CountedBy,
}

/// `opcodes.json`.
#[derive(Deserialize)]
struct Opcodes {
    /// Launches at small sizes.
    kernels: Vec<OfOptions>,
    /// Launches of the tables.
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

/// What is needed of a record of the emulator's.
#[derive(Deserialize)]
struct Counted {
    kernel: String,
    kernel_sha256: Option<String>,
    size: usize,
    #[serde(alias = "slice", default)]
    parameters: Option<Parameters>,
    counters: Option<Counters>,
}

impl Known {
    /// What the folder of a device in `results` and the counts beside it know; a file that is missing, or is of another
    /// form, knows nothing.
    #[must_use]
    pub fn in_folder(results: &Path, device: &Path) -> Self {
        let measured: Vec<Measured> = read(&device.join("limits.json")).unwrap_or_default();
        let opcodes: Option<Opcodes> = read(&device.join("opcodes.json"));
        let (tables, small) = opcodes.map_or_else(Default::default, |opcodes| (opcodes.tables, opcodes.kernels));
        let mut counted: Vec<PathBuf> = std::fs::read_dir(results.join("emulator"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        counted.sort();
        let counted = counted.iter().filter_map(|file| read::<Vec<Counted>>(file)).flatten();
        let launches = tables.into_iter().map(Launch::from).chain(small.into_iter().map(Launch::from));
        Self { rates: rates(&measured), launches: launches.chain(counted.filter_map(Launch::counted)).collect() }
    }

    /// What `results` knows of the device of this name.
    #[must_use]
    pub fn of_device(results: &Path, name: &str) -> Self {
        let is_of = |folder: &PathBuf| {
            let measured: Vec<Measured> = read(&folder.join("limits.json")).unwrap_or_default();
            measured.first().is_some_and(|one| one.made.device == name)
        };
        let folders = std::fs::read_dir(results).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.into_iter().find(is_of).map_or_else(Self::default, |folder| Self::in_folder(results, &folder))
    }

    /// These limits, and no counts.
    #[cfg(test)]
    pub(crate) fn measured(rates: PerUnit) -> Self {
        Self { rates, launches: Vec::new() }
    }

    /// Whether the device's limits are recorded.
    #[must_use]
    pub fn has_limits(&self) -> bool {
        !self.rates.is_empty()
    }

    /// The shares of a run that took these seconds and had to move these bytes; `None` where limits or counts are
    /// not recorded.
    #[must_use]
    pub fn shares(&self, rung: &Rung, size: &Size, bytes: f64, seconds: f64) -> Option<Shares> {
        let launch = self.launch(rung)?;
        let work = rung.work.facts().work;
        let times = work(size) * f64::from(size.step_count()) / work(&launch.size);
        let mut needs: PerUnit = launch.needs.iter().map(|(unit, need)| (*unit, need * times)).collect();
        needs.insert(Unit::Memory, bytes);
        let share = |(unit, rate): (&Unit, &f64)| Some((*unit, needs.get(unit)? / rate / seconds));
        let of_limit: PerUnit = self.rates.iter().filter_map(share).collect();
        let (limiter, _) = of_limit.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        Some(Shares { limiter: *limiter, of_limit, counted_by: launch.counted_by })
    }

    /// The best count of this version of the kernel. One launch of several, as of chunks of atoms, says too little.
    fn launch(&self, rung: &Rung) -> Option<&Launch> {
        let version = rung.version(false);
        let is_of = |launch: &&Launch| {
            launch.kernel == rung.kernel
                && launch.version.as_ref().is_none_or(|counted| *counted == version)
                && rung.work.launches(&launch.size) == 1
        };
        self.launches.iter().find(is_of)
    }
}

impl From<OfTable> for Launch {
    fn from(table: OfTable) -> Self {
        Self {
            kernel: table.kernel,
            version: Some(table.kernel_sha256),
            size: Size { parameters: table.parameters.unwrap_or_default(), ..Size::of(table.size) },
            needs: of_opcodes(&table.opcodes),
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
        let needs = of_opcodes(&launch.opcodes);
        Self {
            kernel: launch.kernel,
            version: None,
            size: Size { parameters, ..size },
            needs,
            counted_by: CountedBy::MachineCode,
        }
    }
}

impl Launch {
    fn counted(record: Counted) -> Option<Self> {
        Some(Self {
            kernel: record.kernel,
            version: Some(record.kernel_sha256?),
            size: Size { parameters: record.parameters.unwrap_or_default(), ..Size::of(record.size) },
            needs: of_counters(&record.counters?),
            counted_by: CountedBy::Emulator,
        })
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()
}

/// The highest rate that was measured of each unit, per second. An instruction to any unit takes an issue slot.
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
