//! Estimates of a case's launches, which do not run.

use super::definition::Case;
use crate::device::Estimating;
use crate::error::Error;
use predict::Prediction;

/// Returns the estimates of a case's launches on the emulator, which do not run. None on a GPU, which runs them.
///
/// # Errors
/// [`Error::Driver`] if a launch is invalid, [`Error::Estimates`].
pub fn estimate_launches(case: &mut dyn Case) -> Result<Vec<Prediction>, Error> {
    case.restore()?;
    let device = case.setup().device;
    device.set_estimates(Estimating::Instead);
    let launched = case.launch().and_then(|()| case.setup().finish());
    let device = case.setup().device;
    device.set_estimates(Estimating::Off);
    let launches = device.take_estimates();
    launched.and(launches)
}
