//! The tests of the emulator that can share a process: one program is linked once.

mod accesses;
mod approximate;
mod checks;
mod compiled_arithmetic;
mod compiler_output;
mod counters;
mod coverage;
mod determinism;
mod divergence;
mod hardware;
mod instruction_page;
mod instructions;
mod matrices;
mod programs;
mod refusals;
mod same_bits;
mod support;
mod textbook;
mod trace;
mod turns;
