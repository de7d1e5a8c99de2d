//! Problem E: the potential of point charges on a plane.

mod atoms;
mod points;

pub use atoms::{Atom, Atoms, NO_POTENTIAL};
pub use points::Points;
