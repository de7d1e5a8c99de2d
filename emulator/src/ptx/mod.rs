//! The front end: PTX text to a syntax tree. It knows the grammar and no instruction.
//!
//! Hostile input is refused by limits beside what they limit: registers that a module declares, braces, parameters,
//! statements after inlining (calls multiply), slots, walks through the flow graph. `emulator/tests/hostile*.rs` try
//! them with an allocator that counts; the same functions are targets of `emulator/fuzz`. What an NVIDIA driver answers
//! to calls that no program should make is in `emulator-driver/tests/data/hostile_calls.json`, and so is where it
//! crashes.

mod lexer;
pub(crate) mod parser;
pub(crate) mod tree;
