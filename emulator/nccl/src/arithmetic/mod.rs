//! Data types and reductions.

mod combine;
mod datatype;
mod element;
pub mod small_float;

pub(crate) use combine::{combine, divide, scale};
pub(crate) use datatype::{Datatype, Reduction, Scale};
