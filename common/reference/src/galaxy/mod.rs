//! Problem D: a galaxy, and one step of it.

mod disc;
mod energy;
mod state;

pub use disc::Disc;
pub use energy::{Energy, energy};
pub use state::{EPSILON_SQUARED, ExpectedState, Float4, State, TIME_STEP};
