//! The highest rates that the units of a GPU reach, and how close a kernel comes to them.
//!
//! The rates are measured by the kernels of [`bench`] and stored in `results/DEVICE/limits.json`. The work of a kernel is
//! counted: Nsight Compute's machine instructions by opcode, in `results/DEVICE/opcodes.json`, or, for a kernel without
//! such a record, the emulator's counts of its PTX, in `results/emulator`. Work divided by rate is the shortest time in
//! which a unit could do its part; divided by the measured time, it is the *share* of that unit. [`Limiter`] is the rule
//! that concludes from shares and launch shape what limits the run.

pub mod bench;
mod demand;
mod kept;
mod limiter;
mod local;
mod measured;
mod origin;
mod peaks;
mod recorded;
mod unit;

pub use demand::PerUnit;
pub use limiter::{Busiest, Limiter, Residency};
pub use measured::{Measured, Provenance, Quantity};
pub use origin::{Origin, RatesBy};
pub use peaks::complete;
pub use recorded::{Ceilings, CountedBy, RecordError, Shares, TimedRun, rates};
pub(crate) use recorded::{READINGS, read_json};
pub use unit::{BUSY, Unit};
