//! The estimate of an edited kernel as it was shipped, for a comparison with its record.

use super::{Session, setup};
use crate::device::Estimating;
use crate::error::Error;
use crate::stage::Plan;
use predict::RunEstimate;

impl Session {
    /// Estimates a kernel as it was shipped, on [`Session::estimated_gpu`] and without running it.
    pub(super) fn estimate_shipped(&mut self, plan: &Plan) -> Result<Option<Result<RunEstimate, String>>, Error> {
        let setup = setup(&mut self.shipped, &self.device, plan, false)?;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        case.restore()?;
        self.device.set_estimates(Estimating::Instead);
        let launched = case.launch().and_then(|()| case.setup().finish());
        let estimate = self.device.end_estimates(self.estimated_gpu);
        launched.and(estimate)
    }
}
