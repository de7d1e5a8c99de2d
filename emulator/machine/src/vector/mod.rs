//! The vector unit: registers of 32 lanes, loops over the lanes, and the SIMD instructions for which they are compiled.
//!
//! Lane loops are safe Rust that the compiler vectorizes. The crate `simd` detects AVX2 and FMA at run time and runs the loops with
//! them enabled, without `unsafe` in this crate. NEON is part of every aarch64 processor and needs no detection: the loop of
//! `fma.f32` is compiled to `fmla` of four lanes. The loops of the benchmark take 2.0 to 10.3 processor instructions per thread
//! instruction with NEON, and 2.1 to 11.3 with AVX2 (counted under qemu).
//!
//! Every frequent PTX instruction has its own function, which is selected when a launch starts: a single function with all lane
//! loops took the compiler more than ten minutes. Rare instructions share a loop that calls a function for each lane. Loops process eight lanes at a time, so that operands stay in vector registers: a
//! warp instruction takes 2.7 ns, compared with 43 ns for rows of 32 lanes by value. Without FMA, `fma.f32` is computed
//! with doubles, whose sum is rounded to odd if its second rounding is in doubt. A library call would be ten times slower.

pub(crate) mod apply;
pub(crate) mod lanes;
pub(crate) mod masked;
pub(crate) mod registers;
pub(crate) mod simd;
