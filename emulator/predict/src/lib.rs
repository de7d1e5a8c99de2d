//! Estimates how long a launch would take on a GPU, and what its warps would wait for, without a GPU.
//!
//! [`predict`] follows some blocks of a launch, those of one multiprocessor, and records the basic blocks and the accesses to
//! memory of each warp. There are two ways to them ([`Way`]). With the kernel's machine code, its integer part is executed, and its
//! instructions, in the order and with the stall counts of ptxas, are the operations (`machine_code`). With the PTX alone, the
//! emulator runs it, and a small stand-in for ptxas turns it to operations (`code`). A simulator of one multiprocessor replays
//! the streams (`simulate`). Grids of many waves and long loops are extrapolated from their beginning.
//!
//! The result is an estimate, and PTX does not determine the registers, the order and the unrolling that ptxas chooses, so that it
//! is a band and never one number ([`RunEstimate::band`]). What was not validated is refused, with the reason
//! ([`Refusal`]). The arithmetic is in integers, so that an estimate is the same on every machine.

mod code;
mod estimate;
mod gpu;
mod machine_code;
mod refusal;
mod run;
mod share;
mod simulate;
mod source;
mod together;
mod work;

pub use estimate::{Estimate, Floors, Limiter, predict};
pub use gpu::{GPUS, Gpu, H100, H200, Intervals, Latencies, Memory, Products, Queues, Residency};
pub use machine_code::MachineCode;
pub use refusal::Refusal;
pub use run::{Prediction, RunEstimate, run, two_digits};
pub use simulate::Stalls;
pub use source::Way;

/// Returns the instructions of PTX that decide what a kernel does, one per line: without comments, source line tables and lines that
/// contain `of_panics`, which are those with line numbers of panics. A changed comment in the kernel file changes nothing here.
pub fn instructions<'a>(ptx: &'a str, of_panics: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = ptx.lines().map(str::trim).take_while(|line| !line.starts_with(".section"));
    let is_of_lines = |line: &str| [".loc", ".file", "//"].iter().any(|word| line.starts_with(word));
    lines.filter(move |line| !line.is_empty() && !is_of_lines(line) && !line.contains(of_panics))
}
