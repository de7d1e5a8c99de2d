//! Tests of the translation: files of IR, and kernels whose PTX is compared with that of LLVM's own back end.

mod clang;
mod comparison;
mod course;
mod files;
mod fuzz;
mod program;

use clang::Clang;
use std::io::Write;

/// Finds clang, or prints why a test is skipped.
fn clang_for(test: &str) -> Option<Clang> {
    Clang::find().inspect_err(|missing| drop(writeln!(std::io::stderr(), "skipped: {test}: {missing}"))).ok()
}
