//! The estimate of an edited kernel as it was shipped, for a comparison with its record.

use super::{Session, setup};
use crate::error::Error;
use crate::problem::estimate_launches;
use crate::stage::Plan;
use predict::RunEstimate;

impl Session {
    /// Estimates a kernel as it was shipped, on [`Session::estimated_gpu`].
    pub(super) fn estimate_shipped(&mut self, plan: &Plan) -> Result<Option<Result<RunEstimate, String>>, Error> {
        let Some(gpu) = self.estimated_gpu else { return Ok(None) };
        let setup = setup(&mut self.shipped, &self.device, plan, false)?;
        let mut case = plan.rung.work.prepare(&mut self.inputs, setup, &plan.size)?;
        Ok(Some(predict::run(gpu, estimate_launches(case.as_mut())?)))
    }
}
