//! Problem B: bodies in a periodic box.

mod body;
mod departure;
mod inputs;
mod step;

pub use body::{Body, Found, RECORD, found};
pub use departure::{Departure, Exact};
pub use inputs::{BodiesInABox, TIME_STEP};
pub use step::{check_step, column};
