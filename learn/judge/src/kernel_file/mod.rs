//! Kernel files: their language, arguments written as text, and diagnoses with source lines.
//!
//! Shared by `cargo learn check`, `cargo x ptx` and `cargo learn`.

mod argument;
mod diagnosis;
mod language;
mod parameters;
#[cfg(feature = "clap")]
mod request;
mod source;

pub use argument::{Argument, Buffer};
pub use diagnosis::{Detail, Sources, text};
pub use language::Language;
pub use parameters::parameter_block;
#[cfg(feature = "clap")]
pub use request::Request;
pub use source::{MAX_BYTES, excess, oversize, read};
