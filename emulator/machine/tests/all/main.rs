//! All tests of the emulator, in one program, which is linked once.

mod accesses;
mod approximate;
mod asynchronous_copies;
mod checks;
mod compiled_arithmetic;
mod compiler_output;
mod counters;
mod coverage;
mod determinism;
mod divergence;
mod doubles;
mod hardware;
mod heap;
#[path = "../hostile/mod.rs"]
mod hostile;
mod hostile_input;
mod hostile_sizes;
mod instruction_page;
mod instructions;
mod matrices;
mod occupancy;
mod opcodes;
/// The formatting of printed text with its tests, which the library hides: its own tests would compile it once more.
#[path = "../../src/machine/print"]
mod print {
    mod conversion;
    mod float;
    mod format;
}
mod printing;
mod programs;
mod refusals;
mod same_bits;
mod stream;
mod support;
mod tensor_copies;
mod textbook;
mod textures;
mod trace;
mod turns;
mod warp;
mod warpgroup;
mod wmma;
