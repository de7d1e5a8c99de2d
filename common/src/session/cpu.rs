//! The time of the tutorials' loops on this CPU, beside which a GPU's time is shown.

use super::Session;
use crate::problem::CpuTimes;
use crate::stage::Plan;

impl Session {
    /// Returns the time of the tutorial's loop on this CPU, measured once per problem and size.
    pub(super) fn time_on_cpu(&mut self, plan: &Plan) -> CpuTimes {
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
        plan.rung.work.time_on_cpu(&mut self.inputs, &plan.size)
    }
}
