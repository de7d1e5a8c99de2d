//! What the stages of the course share.
//!
//! A stage is a table of kernels, [`stage::Stage`]; [`stage::run`] is its whole `main`. On the way:
//! [`options`] are parsed, [`device`] opens the NVIDIA driver or the emulator, [`kernel`] finds and loads the code,
//! a [`workload`] makes seeded inputs and launches through the stage's own function, [`verify`] compares with an f64
//! reference, [`timing`] measures with device events, [`table`] and [`record`] report. This crate knows no stage.

#[cfg(feature = "bench")]
pub mod bench;
pub mod compare;
pub mod counting;
pub mod device;
pub mod error;
pub mod film;
pub mod kernel;
pub mod options;
pub mod progress;
pub mod record;
pub mod rungs;
pub mod stage;
pub mod table;
pub mod timing;
pub mod verify;
pub mod workload;

pub use error::Error;
