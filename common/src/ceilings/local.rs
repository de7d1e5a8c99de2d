//! The ceilings of this machine's GPU: recorded, kept by an earlier run, or measured now.

use super::bench::quick::{self, Quick};
use super::kept::{self, Key};
use super::origin::Origin;
use super::recorded::{Ceilings, RecordError};
use crate::device::Device;
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
fn measure(device: &Device) -> Quick {
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
    measure: impl FnOnce() -> Quick,
) -> Result<Ceilings, RecordError> {
    let mut notices = Vec::new();
    if let Some(folder) = folder.as_ref().ok().filter(|_| !again) {
        match kept::read(folder, key) {
            Ok(Some(kept)) => {
                let origin = Origin::Kept(kept[0].made.date.clone());
                return Ceilings::from_rates(results, None, &kept, origin);
            }
            Ok(None) => {}
            Err(reason) => notices.push(format!("{reason}; the peak rates are measured again")),
        }
    }
    let started = Instant::now();
    let Quick { measured, failures } = measure();
    let origin = Origin::Measured(started.elapsed().as_secs_f64());
    if failures.is_empty() {
        let kept = folder.and_then(|folder| kept::write(&folder, key, &measured));
        notices.extend(kept.err().map(|reason| format!("the peak rates are not kept for later runs: {reason}")));
    }
    notices.extend(failures);
    if measured.iter().all(|one| !one.verified) {
        return Ok(Ceilings::with_notices(notices));
    }
    Ok(Ceilings::from_rates(results, None, &measured, origin)?.after(notices))
}

#[cfg(test)]
mod tests;
