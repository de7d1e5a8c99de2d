//! The highest rates that the units of a GPU reach, and how close a kernel comes to them.
//!
//! The rates are measured by the kernels of [`mod@bench`]. Those of some GPUs are recorded in `results/DEVICE/limits.json`; of any
//! other, the first run of a stage measures them, and the user's cache folder keeps them. The work of a kernel is
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
mod rates;
mod recorded;
mod shares;
mod unit;

pub use demand::PerUnit;
pub use limiter::{Busiest, Limiter, Residency};
pub use measured::{Measured, Provenance, Quantity};
pub use origin::{Origin, RatesBy};
pub use rates::{complete, rates};
pub use recorded::{Ceilings, RecordError};
pub(crate) use recorded::{READINGS, read_json};
pub use shares::{CountedBy, Shares, TimedRun};
pub use unit::{BUSY, Unit};
