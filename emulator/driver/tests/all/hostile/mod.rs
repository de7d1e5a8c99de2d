//! Hostile calls: invalid calls that a driver must survive.

mod calls;
mod cases;
mod driver;
mod random;
