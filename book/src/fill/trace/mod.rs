//! Pictures from the emulator's trace of a kernel's first block.

mod accesses;
mod lanes;

use super::cache::get_or_make;
use super::kernels::Kernel;
use super::player;
use anyhow::{Context, Result, bail};
use common::stage::Rung;
use emulator::{Trace, TracedAccess, TracedStep};
use serde_json::json;

/// The size of device memory for a replayed launch.
const MEMORY_BYTES: u64 = 64 << 20;

/// The number of traced instructions.
const MAX_STEPS: usize = 100_000;

/// The trace of a kernel's first block.
pub struct Traced {
    /// The kernel with its launch shape: `reduceGmem<<<8, 128>>>`.
    launch: String,
    /// The name of the kernel's file.
    file: String,
    /// The text of the kernel's file.
    source: &'static str,
    trace: Trace,
}

impl Traced {
    /// Runs the kernel, and then traces its first block.
    ///
    /// # Errors
    /// Returns an error if the kernel cannot be run with this launch.
    fn new(name: &str, n: &str, block: &str) -> Result<Self> {
        let kernel = Kernel::find(name)?;
        let rung: &Rung = kernel.rung;
        let number = |text: &str| text.parse().with_context(|| format!("{text} is not a number"));
        let n: u32 = number(n)?;
        let block: u32 = number(block)?;
        let scene = player::scene(rung, n as usize, block)?;
        let replay = scene.set_up(MEMORY_BYTES)?;
        let trace = emulator::trace(&replay.kernel, &replay.memory, &replay.launch(), 0, MAX_STEPS)?;
        if let Some(fault) = trace.fault {
            bail!("{fault}");
        }
        let grid: u32 = scene.grid.iter().product();
        let launch = format!("{name}<<<{grid}, {block}>>>");
        Ok(Self { launch, file: kernel.file(), source: kernel.source.text, trace })
    }

    /// Returns the instructions of warp 0.
    fn warp(&self) -> impl Iterator<Item = &TracedStep> {
        self.trace.steps.iter().filter(|step| step.warp == 0)
    }

    /// Returns a line of the kernel's file without indentation.
    fn source_line(&self, number: u32) -> &str {
        self.source.lines().nth(number.saturating_sub(1) as usize).unwrap_or_default().trim()
    }
}

/// Returns the replacement of `{{access KERNEL N BLOCK SPACE DIRECTION TEXT…}}`: the sectors or banks that the lanes of a warp
/// touch in the first such access on a line that contains the text.
///
/// # Errors
/// Returns an error if the kernel cannot be run with this launch or has no such access.
pub fn access(name: &str, n: &str, block: &str, space: &str, direction: &str, text: &str) -> Result<String> {
    let key = format!("access {name} {n} {block} {space} {direction} {text}");
    get_or_make(key, || draw_access(name, n, block, space, direction, text))
}

fn draw_access(name: &str, n: &str, block: &str, space: &str, direction: &str, text: &str) -> Result<String> {
    if !["global", "shared"].contains(&space) {
        bail!("no picture of {space} memory; there are global and shared");
    }
    if !["load", "store", "atomic"].contains(&direction) {
        bail!("no access {direction}; there are load, store and atomic");
    }
    let traced = Traced::new(name, n, block)?;
    let is_wanted = |access: &&TracedAccess| json!([access.space, access.direction]) == json!([space, direction]);
    let mut accesses = traced.warp().flat_map(|step| step.accesses.iter().map(move |access| (step, access)));
    let line = |step: &TracedStep| step.location.as_ref().map_or(0, |(_, line)| *line);
    let found = accesses.find(|(step, access)| is_wanted(access) && traced.source_line(line(step)).contains(text));
    let Some((step, access)) = found else {
        let within =
            if traced.trace.cut { format!(" among the first {MAX_STEPS} instructions") } else { String::new() };
        bail!("warp 0 of {} has no {direction} of {space} memory on a line with `{text}`{within}", traced.launch);
    };
    accesses::render(&traced, line(step), access)
}

/// Returns the replacement of `{{lanes KERNEL N BLOCK}}`: the active lanes of a warp over its instructions.
///
/// # Errors
/// Returns an error if the kernel cannot be run with this launch.
pub fn lanes(name: &str, n: &str, block: &str) -> Result<String> {
    get_or_make(format!("lanes {name} {n} {block}"), || lanes::render(&Traced::new(name, n, block)?))
}
