//! What a kernel asks of each unit of the chip, and how near the units come to their limits.
//!
//! Limits are measured: `results/DEVICE/limits.json`, written by the program `limits`. What a kernel asks for is counted:
//! instructions of its machine code by opcode, in `results/DEVICE/opcodes.json`, or where these were not read, the
//! emulator's counts of its PTX, in `results/emulator`. Need over rate is the shortest time in which a unit could do its
//! part; the unit with the longest is the *limiter*, and this time over the measured one its share.

mod known;
mod measured;
mod needs;
mod unit;

pub use known::{CountedBy, Known, Shares};
pub use measured::{Measured, Provenance, Quantity};
pub use needs::PerUnit;
pub use unit::Unit;
