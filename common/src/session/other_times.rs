//! Times of a plan elsewhere: on the CPU, and estimated ones on a GPU.

use super::{Session, setup};
use crate::error::Error;
use crate::problem::{CpuTimes, InputCache, Setup, estimate_launches};
use crate::stage::Plan;
use predict::{Gpu, RunEstimate};

/// The time of a plan on a GPU, or the reason why there is no estimate; `None` if none was asked for.
pub type Estimated = Option<Result<RunEstimate, String>>;

impl Session {
    /// Returns the time of the tutorial's loop on this CPU, measured once per problem and size.
    pub(crate) fn time_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
        let key = (plan.facts().letter, &plan.size);
        if let Some((.., times)) = self.cpu_times.iter().find(|(letter, size, _)| (*letter, size) == key) {
            return times.clone();
        }
        let times = self.measure_on_cpu(plan);
        self.cpu_times.push((plan.facts().letter, plan.size.clone(), times.clone()));
        times
    }

    /// Times the tutorial's loop on this CPU again.
    pub fn measure_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
        self.loader.quietly(|| plan.rung.work.time_on_cpu(&mut self.inputs, &plan.size))
    }

    /// Estimates a plan on [`Session::estimated_gpu`], or returns the reason why there is no estimate; `None` without a GPU.
    pub(crate) fn estimate(&mut self, plan: &Plan) -> Result<Estimated, Error> {
        let Some(gpu) = self.estimated_gpu else { return Ok(None) };
        let setup = setup(&mut self.loader, &self.device, plan, true)?;
        estimate(gpu, &mut self.inputs, setup, plan)
    }

    /// Estimates likewise the kernel as it was shipped.
    pub(crate) fn estimate_shipped(&mut self, plan: &Plan) -> Result<Estimated, Error> {
        let Some(gpu) = self.estimated_gpu else { return Ok(None) };
        let setup = setup(&mut self.shipped, &self.device, plan, false)?;
        estimate(gpu, &mut self.inputs, setup, plan)
    }
}

fn estimate(gpu: &Gpu, inputs: &mut InputCache, setup: Setup, plan: &Plan) -> Result<Estimated, Error> {
    let device = setup.device;
    device.set_estimated_gpu(gpu);
    let mut case = plan.rung.work.prepare(inputs, setup, &plan.size)?;
    Ok(Some(predict::run(gpu, estimate_launches(case.as_mut())?)))
}
