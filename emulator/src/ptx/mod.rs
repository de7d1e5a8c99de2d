//! The front end: PTX text to a syntax tree. It knows the grammar and no instruction.

mod lexer;
mod parser;
pub(crate) mod tree;

pub(crate) use parser::parse;
