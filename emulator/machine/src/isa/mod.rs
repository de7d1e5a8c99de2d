//! The instruction set. One row of a table defines the spelling, class, equation, operands and execution of an instruction.
//!
//! Arithmetic rows ([`integer`], [`packed`], [`logic`], [`compare`], [`float`], [`convert`] and others) contain their semantics as a function
//! of one lane. Rows of [`memory`], [`asynchronous`], [`mbarrier`], [`flow`], [`barrier`], [`cluster`], [`exchange`], [`matrix`], [`texture`]
//! and [`warpgroup`] build an operation that the machine executes for a whole warp.

pub(crate) mod asynchronous;
pub(crate) mod barrier;
pub(crate) mod carry;
pub mod channel;
pub(crate) mod class;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod convert;
mod direction;
pub(crate) mod dot;
pub(crate) mod eighths;
mod exact;
pub(crate) mod exchange;
mod family;
pub(crate) mod float;
pub(crate) mod flow;
pub(crate) mod form;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod logic;
pub(crate) mod matrix;
pub(crate) mod matrix_descriptor;
pub(crate) mod mbarrier;
pub(crate) mod mbarrier_state;
pub(crate) mod memory;
pub(crate) mod operation;
pub(crate) mod packed;
pub(crate) mod rounding;
pub(crate) mod swizzle;
pub(crate) mod table;
pub mod tensor_map;
pub mod texel;
pub(crate) mod texture;
pub(crate) mod warpgroup;
