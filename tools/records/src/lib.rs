//! A GPU's record in one file, which anybody can send: what it contains, how it is made, and what a file must fulfill.
//!
//! [`make`] runs the stages at the tutorials' sizes, [`mod@file`] is what it writes, and [`check`] compares a file with the kernels and
//! launches of the repository, with the rates that it states, and with itself. `cargo x record` and `cargo x check-content` call them.

pub mod check;
pub mod expected;
pub mod file;
pub mod make;
mod tables;

use common::stage::Stage;

/// The stages whose kernels run on one GPU, in the order of the course.
pub static STAGES: [&Stage; 8] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
    &stage06_limit::STAGE,
    &stage08_matmul::STAGE,
    &stage09_patterns::STAGE,
];
