//! Data types and reductions.

mod combine;
mod datatype;
mod element;

pub(crate) use combine::{combine, divide};
pub(crate) use datatype::{Datatype, Reduction};
