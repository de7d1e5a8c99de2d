//! What a chip reaches at most, unit by unit, as measured: `results/DEVICE/limits.json`, written by the program `limits`.

mod measured;

pub use measured::{Measured, Quantity};
