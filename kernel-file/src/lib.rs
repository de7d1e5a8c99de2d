//! A kernel's file on the emulator: how it is compiled, arguments that are written as text, and findings with lines of
//! the file. What `cargo x check`, `cargo x ptx` and `cargo x learn` share.

mod argument;
mod language;
mod parameters;
mod report;

pub use argument::{Argument, Buffer};
pub use language::{Language, architecture, nvrtc_options};
pub use parameters::parameter_block;
pub use report::{Detail, Sources, text};
