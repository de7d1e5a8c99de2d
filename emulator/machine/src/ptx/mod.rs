//! The front end, which parses PTX into a syntax tree. It implements the grammar, but no instruction.
//!
//! Limits protect the emulator from hostile input: of declared registers, nested braces, parameters, statements after
//! inlining, register slots, and steps through the flow graph. Each limit is a constant next to the code that enforces it.
//! `tests/all/hostile_sizes.rs` tests the limits with an allocator that counts bytes, and `tests/all/hostile_input.rs` runs
//! damaged modules with the functions that `fuzz/` also calls.

mod lexer;
pub(crate) mod parser;
pub(crate) mod tree;
