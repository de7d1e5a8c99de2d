//! The tests of the judge's parts. `learn` has those of the repository's exercises.

mod kernel_file;
mod parts;
mod set;
mod varied;
