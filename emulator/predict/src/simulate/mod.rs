//! One multiprocessor: four schedulers issue the operations of resident warps in order, greedy first, then the oldest.

mod cache;
mod constants;
mod device;
mod groups;
mod machine;
mod multiprocessor;
mod phases;
mod stalls;
mod units;
mod warp;

pub(crate) use machine::{Busy, Setting, Simulation, Work};
pub use stalls::Stalls;

use multiprocessor::Multiprocessor;

/// Simulates the blocks of one multiprocessor.
pub(crate) fn simulate(setting: &Setting<'_>, work: &Work<'_>) -> Simulation {
    let mut multiprocessor = Multiprocessor::new(setting, work);
    multiprocessor.run();
    multiprocessor.finish()
}
