//! Kernel files: their language, arguments written as text, and diagnoses with source lines.
//!
//! Shared by `cargo learn check`, `cargo x ptx` and `cargo learn`.

mod argument;
mod buffer;
mod diagnosis;
mod element;
mod language;
mod parameters;
#[cfg(feature = "clap")]
mod request;
mod setting;
mod shared;
mod source;

pub use argument::{Argument, Part};
pub use buffer::Buffer;
pub use diagnosis::{Detail, Sources, shown, text};
pub use language::Language;
pub use parameters::parameter_block;
#[cfg(feature = "clap")]
pub use request::Request;
pub use setting::Setting;
pub(crate) use shared::element_in_source;
pub use shared::{element_of_variable, variable_in_source};
pub use source::{MAX_BYTES, excess, oversize, read};
