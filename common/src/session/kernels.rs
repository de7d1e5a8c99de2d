//! The kernels of a session.

use super::Session;
use crate::kernel::KernelSource;
use crate::stage::Plan;

impl Session {
    /// Begins to load the kernels of these plans, before their turn; with `rust`, each with its Rust version.
    pub(crate) fn load_ahead(&mut self, plans: &[Plan], rust: bool) {
        let plans = plans.iter().flat_map(|plan| [Some(plan.clone()), plan.in_rust().filter(|_| rust)]);
        self.loader.load_ahead(&self.device, plans.flatten().flat_map(|plan| plan.entries()));
    }

    /// Replaces the PTX of a kernel file in later runs.
    pub fn replace_ptx(&mut self, source: &KernelSource, ptx: String) {
        self.loader.replace(source, ptx);
    }

    /// Returns notices about how kernels were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.loader.take_notices()
    }
}
