//! The tests of the judge's parts. `learn` has those of the repository's exercises.

mod estimate;
mod kernel_file;
mod parts;
mod set;
mod structures;
mod varied;
