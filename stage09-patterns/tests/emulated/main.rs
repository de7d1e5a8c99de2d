//! Tests that count instructions or change a kernel. They need the emulator, and a process has one driver: on a machine with a GPU
//! the tests in `tests/all` run there.

mod convolution;
mod heat;
mod histogram;
mod languages;
mod mutants;
mod sampled;
mod scan;
mod scan_mutants;
mod sort;
mod sort_mutants;
mod sparse;
mod sparse_mutants;
mod stencil_mutants;
