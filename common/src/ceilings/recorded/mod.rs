//! The ceilings of a device and the counted launches, read from `results`.

mod counts;
mod files;

use super::demand::PerUnit;
use super::measured::Measured;
use super::origin::Origin;
use super::rates::{peaks, rates};
use super::shares::{CountedBy, Shares, TimedRun};
use super::unit::{BUSY, Unit};
use crate::device::{Attributes, threads_per_multiprocessor};
use crate::problem::Size;
use crate::stage::Rung;
use counts::{Counts, measured_devices};
use files::CEILINGS;
pub use files::{READINGS, RecordError, read_json};
use std::path::Path;

/// The measured rates of a device's units, and the work of counted launches.
#[derive(Clone, Debug, Default)]
pub struct Ceilings {
    pub(super) rates: PerUnit,
    attributes: Attributes,
    counts: Counts,
    notices: Vec<String>,
    origin: Option<Origin>,
    /// The measured peak rates in the units of attributes.
    peaks: Attributes,
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

    /// Returns the ceilings of measured rates, with the counts of launches in `results`. `device` is the folder of the
    /// device, if it has one.
    pub(super) fn from_rates(
        results: &Path,
        device: Option<&Path>,
        measured: &[Measured],
        origin: Origin,
    ) -> Result<Self, RecordError> {
        let (counts, notice) = Counts::read(results, device, measured)?;
        let (rates, attributes) = (rates(measured), attributes(measured));
        let peaks = peaks(measured);
        let notices = notice.into_iter().collect();
        Ok(Self { rates, attributes, counts, notices, origin: Some(origin), peaks })
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
        let launch = self.counts.launches(rung).next()?;
        let mut work = launch.work_at(rung, size);
        if launch.counted_by != CountedBy::Emulator
            && let Some(products) = work.get_mut(&Unit::Warpgroup)
        {
            *products *= self.counts.launches(rung).map(|launch| launch.operations).fold(0.0, f64::max);
        }
        let (shared, wavefronts_by) = self.counts.shared(rung, size);
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

#[cfg(test)]
pub(super) mod tests;
