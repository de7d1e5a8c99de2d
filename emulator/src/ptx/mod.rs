//! The front end: PTX text to a syntax tree. It knows the grammar and no instruction.

mod lexer;
pub(crate) mod parser;
pub(crate) mod tree;
