//! Kernels that would run longer than the driver of a GPU with a display lets them. The process could launch nothing after
//! one of these.

use crate::device::{Backend, Device, fp32_lanes_per_multiprocessor};
use crate::options::Options;
use crate::recorded::{Recorded, of_device, results};
use crate::stage::{Plan, Stage};
use predict::Gpu;

/// The time after which Windows ends a kernel, in seconds, unless the registry says otherwise (`TdrDelay` in Microsoft's "TDR
/// registry keys"). Displays on Linux are reported to leave a kernel some seconds more.
const LIMIT_SECONDS: f64 = 2.0;

/// The part of the limit from which on a kernel is left out: an estimate by the rates of two chips may be half of the time.
const SAFE_PART: f64 = 0.5;

/// Splits off the plans that would take too long on a GPU with a display, each with a line. A kernel that is named by an option
/// is not among them, because an estimate may be wrong.
pub fn in_time<'a>(
    plans: Vec<Plan<'a>>,
    stage: &Stage,
    options: &Options,
    device: &Device,
) -> (Vec<Plan<'a>>, Vec<String>) {
    if !device.has_display || device.backend == Backend::Emulator || !options.kernel.is_empty() {
        return (plans, Vec::new());
    }
    let gpu = predict::GPUS[0];
    let records = of_device(stage, &results::of_gpu(gpu));
    split(plans, &records, slowdown(gpu, device.attributes.fp32_flops_per_second))
}

/// Returns how many times as long a kernel takes as on `gpu`, by the rates of arithmetic: what takes long is bound by it or by
/// caches, which grow with the multiprocessors, too. `None` for an unknown rate.
fn slowdown(gpu: &Gpu, flops_per_second: Option<f64>) -> Option<f64> {
    // All of the recorded GPUs have this compute capability.
    let flops_per_clock = 2 * u64::from(fp32_lanes_per_multiprocessor((9, 0))?) * gpu.multiprocessors;
    Some(flops_per_clock as f64 * gpu.megahertz as f64 * 1e6 / flops_per_second?)
}

fn split<'a>(plans: Vec<Plan<'a>>, records: &[Recorded], slowdown: Option<f64>) -> (Vec<Plan<'a>>, Vec<String>) {
    let mut lines = Vec::new();
    let is_short = |plan: &Plan| {
        let Some(seconds) = seconds(plan, records, slowdown).filter(|time| *time > SAFE_PART * LIMIT_SECONDS) else {
            return true;
        };
        let kernel = plan.rung.kernel;
        lines.push(format!(
            "{kernel} is left out: one launch takes about {seconds:.1} s here, by its recorded time, and a GPU with a display \
             ends it after {LIMIT_SECONDS} s. --kernel {kernel} runs it, and a smaller --n takes less."
        ));
        false
    };
    let plans = plans.into_iter().filter(is_short).collect();
    lines.dedup();
    (plans, lines)
}

/// Returns about how long one launch takes; `None` without a record.
fn seconds(plan: &Plan, records: &[Recorded], slowdown: Option<f64>) -> Option<f64> {
    let record = records.iter().find(|record| record.is_of(plan))?;
    let launches = plan.facts().launches_of_a_run(&plan.size);
    Some(record.time_ms?.median / 1e3 / f64::from(launches) * slowdown?)
}

#[cfg(test)]
mod tests;
