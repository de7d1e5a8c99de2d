//! Calls that no program should make, and how a driver is called that way.

pub mod cases;
pub mod driver;
