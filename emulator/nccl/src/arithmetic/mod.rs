//! Data types and reductions.

mod datatype;
mod element;

pub(crate) use datatype::{Datatype, Reduction};
