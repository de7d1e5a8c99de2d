//! The estimate of a launch, and the lines that cost most, as text.

use super::causes::causes;
use super::costs::Costs;
use super::report::{Estimated, Report};
use super::{Check, table};
use crate::output::say;
use cuda_cpp::Assembler;
use emulator::{Scene, WARP_SIZE};
use predict::{Gpu, MachineCode, RunEstimate, predict};

/// The largest number of causes of costs that are printed.
const MAX_CAUSES: usize = 3;

/// Prints the estimated time of a launch, or why it has none.
pub fn print_estimate(scene: &Scene, check: &Check, report: &mut Report) {
    let gpu = check.on;
    match estimate(scene, gpu) {
        Ok(estimate) => {
            let band = estimate.band_text();
            let way = estimate.way.name();
            let on = gpu.phrase();
            let estimate = Estimated::new(estimate);
            let limiter = estimate.limiter();
            report.estimate = Some(estimate);
            if check.is_text() {
                say(&format!("  {on}: {band}, limited by {limiter}; ESTIMATED from {way}, not measured"));
            }
        }
        Err(reason) => print_no_estimate(&reason, check, report),
    }
}

/// Prints why a launch has no estimated time. Launches that do not fill the GPU are often first tries, about which nothing more is
/// said.
pub fn print_no_estimate(reason: &str, check: &Check, report: &mut Report) {
    let blocks: u64 = check.request.grid.iter().map(|&extent| u64::from(extent)).product();
    if check.is_text() && blocks >= check.on.multiprocessors {
        say(&format!("  no estimated time, because {reason}"));
    }
    report.no_estimate_because = Some(reason.to_owned());
}

fn estimate(scene: &Scene, gpu: &Gpu) -> Result<RunEstimate, String> {
    let assembler = Assembler::find();
    let assembled = assembler.and_then(|assembler| assembler.run(&scene.ptx).ok());
    let code = assembled.and_then(|assembled| MachineCode::decode(&assembled.disassembly, &assembled.messages).ok());
    predict::run(gpu, vec![predict(gpu, scene, code.as_ref()).into()])
}

/// Prints the largest causes of costs, and the counts of all lines if they are asked for.
pub fn print_costs(check: &Check, costs: Costs, report: &mut Report) {
    let of_instructions = report.estimate.as_ref().is_some_and(Estimated::is_limited_by_instructions);
    // Counts up to a fault are those of a part of the launch, and a part of a warp has idle lanes anyway.
    let is_whole = !costs.ends_with_a_fault && check.request.block.iter().product::<u32>() >= WARP_SIZE as u32;
    report.causes = if is_whole { causes(&costs, check.on, of_instructions) } else { Vec::new() };
    if check.is_text() {
        let shown = if check.no_estimate { 0 } else { MAX_CAUSES };
        for cause in report.causes.iter().take(shown) {
            let place = if cause.file.is_some() { "line" } else { "PTX line" };
            say(&format!("  {place} {}: {}", cause.line, cause.text));
        }
        if check.counts {
            table::print(&costs);
        }
    }
    report.counts = Some(costs);
}
