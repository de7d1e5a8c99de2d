//! Tests that count instructions, look into a launch or change a kernel. They need the emulator, and a process has one driver:
//! on a machine with a GPU the tests in `tests/all` run there.

mod counters;
mod counters_beside_times;
mod languages;
mod mutants;
mod sampled;
