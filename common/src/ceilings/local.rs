//! The ceilings of this machine's GPU: recorded, kept by an earlier run, or measured now.

use super::bench::quick;
use super::kept::{self, Key};
use super::measured::Measured;
use super::origin::Origin;
use super::recorded::{Ceilings, RecordError};
use crate::device::Device;
use crate::error::Error;
use crate::progress::step_bar;
use std::path::{Path, PathBuf};
use std::time::Instant;

impl Ceilings {
    /// Returns the ceilings of a GPU. Without a record, those that an earlier run measured and kept; without these, or with
    /// `again`, measures them.
    ///
    /// # Errors
    /// [`RecordError`] if a record cannot be read. What cannot be measured or kept is one of [`Ceilings::notices`].
    pub fn of_gpu(results: &Path, device: &Device, again: bool) -> Result<Self, RecordError> {
        if !again && let Some(recorded) = Self::for_device(results, &device.name)? {
            return Ok(recorded);
        }
        let folder = loading::cache_folder().map(|folder| folder.join("limits"));
        let folder = folder.ok_or_else(|| loading::NO_CACHE.to_owned());
        of_this_machine(results, folder, &Key::new(device), again, || measure(device))
    }
}

/// Measures the rates, with a progress bar.
fn measure(device: &Device) -> Result<Vec<Measured>, Error> {
    let steps = quick::measurements(device.compute_capability).count() as u64;
    let bar = step_bar("measuring the peak rates of this GPU, once".into(), steps);
    let measured = quick::measure(device, |_| bar.inc(1));
    bar.finish_and_clear();
    measured
}

/// Returns the kept rates of a key, or measures and keeps them.
fn of_this_machine(
    results: &Path,
    folder: Result<PathBuf, String>,
    key: &Key,
    again: bool,
    measure: impl FnOnce() -> Result<Vec<Measured>, Error>,
) -> Result<Ceilings, RecordError> {
    let mut notices = Vec::new();
    let kept = folder.as_ref().ok().filter(|_| !again).and_then(|folder| {
        let kept = kept::read(folder, key);
        kept.unwrap_or_else(|reason| {
            notices.push(format!("{reason}; the peak rates are measured again"));
            None
        })
    });
    let (measured, origin) = match kept {
        Some(kept) => {
            let date = kept[0].made.date.clone();
            (kept, Origin::Kept(date))
        }
        None => {
            let started = Instant::now();
            let measured = match measure() {
                Ok(measured) => measured,
                Err(error) => {
                    let notice =
                        format!("the peak rates cannot be measured: {error}; the column `limited by` needs them");
                    notices.push(notice);
                    return Ok(Ceilings::with_notices(notices));
                }
            };
            let origin = Origin::Measured(started.elapsed().as_secs_f64());
            notices.extend(keep(folder, key, &measured).err());
            (measured, origin)
        }
    };
    let ceilings = Ceilings::from_rates(results, None, &measured, origin)?;
    Ok(ceilings.after(notices))
}

/// Keeps rates for later runs, unless a kernel's results were wrong.
fn keep(folder: Result<PathBuf, String>, key: &Key, measured: &[Measured]) -> Result<(), String> {
    let wrong: Vec<&str> = measured.iter().filter(|one| !one.verified).map(|one| one.limit.name()).collect();
    if !wrong.is_empty() {
        let wrong = wrong.join(", ");
        return Err(format!("the measurements of these units had wrong results and are left out: {wrong}"));
    }
    let kept = folder.and_then(|folder| kept::write(&folder, key, measured));
    kept.map(drop).map_err(|reason| format!("the peak rates are not kept for later runs: {reason}"))
}

#[cfg(test)]
mod tests;
