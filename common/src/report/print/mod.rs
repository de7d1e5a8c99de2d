//! Text: tables, the lines of names, and where they are printed.

mod drawing;
pub mod help;
mod output;

pub use drawing::{Table, name_lines};
pub use output::Output;
