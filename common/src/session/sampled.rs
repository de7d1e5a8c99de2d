//! Runs of a part of the blocks, on the emulator.

use super::{Run, Session, Smaller, setup};
use crate::error::Error;
use crate::kernel::Resources;
use crate::problem::Size;
use crate::stage::{Plan, Sampling};

impl Session {
    /// Runs a sample of a launch's blocks. If their values cannot be compared, all blocks run, at the size that `sampling` names.
    pub(super) fn run_sample<'a>(&mut self, plan: &Plan<'a>, sampling: Sampling) -> Result<Run<'a>, Error> {
        let steps = plan.size.steps.map(|all| sampling.steps.unwrap_or(all).min(all));
        let size = Size { steps, ..plan.size.clone() };
        let fewer = f64::from(plan.size.step_count()) / f64::from(size.step_count());
        let part = Plan { size, ..plan.clone() };
        let setup = setup(&mut self.loader, &self.device, &part, false)?;
        let resources = Resources::new(&self.device, &setup.kernel, plan.block, setup.config.shared_mem_bytes);
        let code = setup.kernel.code_with(setup.companion.as_ref());
        let is_edited = setup.kernel.module.is_edited;
        let mut case = part.rung.work.prepare(&mut self.inputs, setup, &part.size)?;
        let report = case.verify_sample()?;
        let counters = case.counters();
        let sample = case.setup().sample.take().filter(|sample| (sample.blocks.len() as u64) < sample.of);
        let cost = case.cost().times(fewer);
        drop(case);
        let Some(report) = report else {
            let smaller = part.at(sampling.n)?;
            let whole = self.run_whole(&smaller, 0)?;
            let smaller =
                (smaller.size != part.size).then_some(Smaller { n: sampling.n, is_counted: counters.is_none() });
            // At the same size, the counts are those of all blocks.
            let counters = counters.filter(|_| smaller.is_some()).or(whole.counters);
            let sample = sample.filter(|_| smaller.is_some());
            return Ok(Run { plan: plan.clone(), counters, cost, resources, sample, smaller, ..whole });
        };
        let plan = plan.clone();
        Ok(Run { plan, report, timing: None, counters, cost, code, is_edited, resources, sample, smaller: None })
    }
}
