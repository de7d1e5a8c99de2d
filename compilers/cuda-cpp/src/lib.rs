//! A compiler for CUDA C++: NVIDIA's NVRTC where there is one, and otherwise clang with the course's own header.
//!
//! Everything that compiles CUDA C++ does it here: the kernel loader of `common`, the judge of `learn`, and `cargo learn check`.
//! The choice of a compiler, the advice if there is none, and the explanation of a missing header are the same for all of
//! them. This is a crate of its own and not a part of `nvrtc`, which binds one library, because clang is a program with a
//! header of ours, and not a part of `common` or `learn`, because neither uses the other.
//!
//! `COUNTS.md` compares the instructions of both compilers' PTX, and `compilers/ir-ptx/TIMES.md` the times on a GPU.

mod architecture;
pub mod assembler;
pub mod clang;
mod compiler;
pub mod header;
mod includes;
mod missing;
pub mod source;
pub mod toolkit_headers;

pub use architecture::{architecture, is_specific, nvrtc_options, requirement};
pub use assembler::Assembler;
pub use clang::Clang;
pub use compiler::{Choice, CompileError, Compiled, Compiler};
pub use missing::Missing;
