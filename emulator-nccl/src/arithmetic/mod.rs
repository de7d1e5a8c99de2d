//! Data types, and how the values of ranks are combined.

mod combine;
mod datatype;
mod element;
mod small_float;

pub(crate) use combine::{combine, divide, scale};
pub(crate) use datatype::{Datatype, Reduction, Scale};
