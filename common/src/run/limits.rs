//! The peak rates that a run compares its times with.

use crate::ceilings::complete;
use crate::columns::Column;
use crate::device::Backend;
use crate::error::{Error, usage};
use crate::options::Options;
use crate::report::{Output, ceilings};
use crate::session::Session;
use crate::stage::Stage;
use predict::Gpu;

/// Gives the session the ceilings of its device, and says where they are from.
pub fn find_ceilings(
    stage: &Stage,
    options: &Options,
    gpu: Option<&Gpu>,
    session: &mut Session,
    output: &mut Output,
) -> Result<(), Error> {
    let is_on_gpu = session.device.backend == Backend::Cuda;
    if options.has_on && is_on_gpu {
        output.say("Note: --on has no effect, as the times are measured; --device emulator shows recorded ones")?;
    }
    if options.measure_limits && !is_on_gpu {
        return usage("--measure-limits: there is no GPU whose peak rates could be measured".into());
    }
    match ceilings(stage, &session.device, gpu, options.measure_limits) {
        Ok(ceilings) => session.ceilings = ceilings,
        Err(error) => output.say(&format!("Note: {error}; the column `limited by` is left out"))?,
    }
    // The line of the emulator says of which GPU its times and limits are.
    if let Some(origin) = session.ceilings.origin().filter(|_| is_on_gpu) {
        output.say(&origin.to_string())?;
    }
    for notice in session.ceilings.notices() {
        output.say(&format!("Note: {notice}"))?;
    }
    let shows_peaks = options.json || options.columns.as_ref().is_some_and(|columns| columns.has(Column::OfPeak));
    if is_on_gpu && complete(&mut session.device.attributes, session.ceilings.peaks()) && shows_peaks {
        output.say("Note: `of peak` is of measured peak rates where the nominal ones of this GPU are not known")?;
    }
    Ok(())
}
