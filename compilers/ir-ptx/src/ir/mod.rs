//! LLVM's IR: from text to a tree of scalars. Vectors and structures are taken apart on the way.

pub(crate) mod call;
pub(crate) mod classes;
pub(crate) mod constant;
pub(crate) mod cursor;
pub(crate) mod function;
pub(crate) mod global;
pub(crate) mod instruction;
pub(crate) mod memory;
pub(crate) mod metadata;
pub(crate) mod module;
pub(crate) mod products;
pub(crate) mod reader;
pub(crate) mod tree;
pub(crate) mod types;
pub(crate) mod vectors;
