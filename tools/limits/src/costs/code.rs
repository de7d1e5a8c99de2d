//! Code without branches, longer than the caches of instructions hold.
//!
//! Its PTX is generated: a file for each length would have tens of thousands of equal lines.

use crate::launch;
use common::ceilings::bench::launch::row;
use common::ceilings::bench::{Bench, Ran, WARP_SIZE};
use common::error::Error;
use common::kernel::{LoadedKernel, LoadedModule, version_of};
use cudarc::nvrtc::Ptx;
use std::fmt::Write;

/// The kernel's entry point.
pub const ENTRY: &str = "straightLine";

/// How the code was made, for [`LoadedModule::code`].
const GENERATED: &str = "generated PTX";

/// Additions that do not wait for each other.
const CHAINS: u32 = 8;

/// Additions of a warp in a run that repeats the body. The sum of all chains is below 2²⁴, so exact.
const ADDITIONS: u32 = 1 << 20;

/// Returns the PTX of a kernel with the parameters `(out, turns)`: `out[t]` = the sum of [`CHAINS`] values, initially 0, to one
/// of which each of `instructions` additions per turn adds 1.
fn straight_line(instructions: u32) -> String {
    let mut additions = String::new();
    for step in 0..instructions {
        let _ = writeln!(additions, "add.f32 %x{0}, %x{0}, 0f3F800000;", step % CHAINS);
    }
    let zeros: String = (0..CHAINS).map(|k| format!("mov.f32 %x{k}, 0f00000000;\n")).collect();
    let sums: String = (1..CHAINS).map(|k| format!("add.f32 %x0, %x0, %x{k};\n")).collect();
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n\
         .visible .entry {ENTRY}(.param .u64 out, .param .u32 turns)\n{{\n\
         .reg .pred %again;\n.reg .b32 %turns, %block, %threads, %thread;\n.reg .b64 %out, %offset;\n.reg .f32 %x<{CHAINS}>;\n\
         ld.param.u64 %out, [out];\nld.param.u32 %turns, [turns];\n{zeros}\
         TURN:\n.pragma \"nounroll\";\n{additions}\
         sub.u32 %turns, %turns, 1;\nsetp.ne.u32 %again, %turns, 0;\n@%again bra TURN;\n{sums}\
         mov.u32 %block, %ctaid.x;\nmov.u32 %threads, %ntid.x;\nmov.u32 %thread, %tid.x;\n\
         mad.lo.u32 %thread, %block, %threads, %thread;\nmul.wide.u32 %offset, %thread, 4;\n\
         cvta.to.global.u64 %out, %out;\nadd.u64 %out, %out, %offset;\nst.global.f32 [%out], %x0;\nret;\n}}\n"
    )
}

/// Loads the kernel whose body has this many instructions, and returns its version.
pub(super) fn load_straight_line(bench: &Bench<'_>, instructions: u32) -> Result<(LoadedKernel, String), Error> {
    let ptx = straight_line(instructions);
    let version = version_of(ptx.lines());
    let module = bench.device.context.load_module(Ptx::from_src(ptx));
    let module = LoadedModule::new(bench.device, ENTRY.into(), GENERATED.into(), module)?;
    let function = bench.explained("find a kernel", module.module.load_function(ENTRY))?;
    Ok((LoadedKernel { function, module }, version))
}

/// Measures the instructions of warps.
pub(super) fn code(
    bench: &Bench<'_>,
    kernel: &LoadedKernel,
    instructions: u32,
    warps: u32,
    is_once: bool,
) -> Result<Ran, Error> {
    let turns = if is_once || bench.is_emulated() { 1 } else { ADDITIONS / instructions };
    let at = bench.at(kernel, row(bench.multiprocessors(), warps * WARP_SIZE));
    let mut out = bench.outputs(&at)?.values;
    let time = bench.time(|| launch::code(&at, &mut out, turns))?;
    let sums = bench.read("run straight-line code", &out)?;
    let additions = instructions * turns;
    Ok(Ran {
        amount: f64::from(at.threads() / WARP_SIZE) * f64::from(additions),
        verified: sums.iter().all(|sum| *sum == additions as f32),
        time,
    })
}
