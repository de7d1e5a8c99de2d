//! The vector unit: registers of 32 lanes, the loop over them, and the vector instructions that it is compiled for.
//!
//! Lane loops are safe Rust that the compiler vectorizes; `pulp` runs them in a context where AVX2 and FMA are enabled,
//! found at run time, without `unsafe` here. NEON is in the base of aarch64, where compilation suffices: in its
//! disassembly the loop of `fma.f32` has `fmla` of four lanes, and the loops of the bench take 2.0 to 10.3 of
//! the processor's instructions for one of a thread, as they take 2.1 to 11.3 with AVX2 (counted under qemu). Every instruction is a function of its own, chosen when a
//! launch begins: one function with all lane loops inlined was beyond the compiler (over ten minutes). Eight lanes at
//! a time keep operands in vector registers: 2.7 ns per warp instruction, where rows of 32 by value took 43. Without
//! FMA, `fma.f32` is computed in doubles rounded to odd, which is exact; a library call would be ten times slower.

pub(crate) mod apply;
pub(crate) mod masked;
pub(crate) mod registers;
pub(crate) mod simd;
