//! Estimates how long a launch would take on a GPU, and what its warps would wait for, without a GPU.
//!
//! [`predict`] runs some blocks of a launch on the emulator, those of one multiprocessor, and records the basic blocks and
//! the accesses to memory of each warp. A small stand-in for ptxas turns the PTX to operations (`code`). A
//! simulator of one multiprocessor replays the streams (`simulate`). Grids of many waves and long loops are
//! extrapolated from their beginning.
//!
//! The result is an estimate. PTX does not determine the registers, the order and the unrolling that ptxas chooses, so that an
//! estimate is a band and never one number ([`RunEstimate::band`]). What was not validated is refused, with the reason
//! ([`Refusal`]). The arithmetic is in integers, so that an estimate is the same on every machine.

mod code;
mod estimate;
mod gpu;
mod refusal;
mod run;
mod share;
mod simulate;

pub use estimate::{Estimate, Floors, Limiter, predict};
pub use gpu::{Gpu, H200, Intervals, Latencies, Memory, Queues};
pub use refusal::Refusal;
pub use run::{Prediction, RunEstimate, run, two_digits};
pub use simulate::Stalls;
