//! Problem B: bodies in a periodic box.

mod departure;
mod inputs;
mod step;

pub use departure::{Departure, Exact};
pub use inputs::{BodiesInABox, TIME_STEP};
pub use step::{Body, Found, RECORD, check_step, column, found};
