//! Kernels that the installed rustc compiles. Without a suitable one these tests are skipped.

mod chapter;
mod device;
mod panics;
mod refusals;

use rust_ptx::{CompileError, Compiler};
use std::io::Write;

/// Compiles the text of a kernel's file for a compute capability; `None` without a compiler, which skips the calling test.
fn compile(text: &str, architecture: i32) -> Option<Result<String, CompileError>> {
    compile_as("kernels/probe.rs", text, architecture)
}

/// Compiles a text as the file `name`.
fn compile_as(name: &str, text: &str, architecture: i32) -> Option<Result<String, CompileError>> {
    match Compiler::find() {
        Ok(compiler) => Some(compiler.compile(name, text, architecture)),
        Err(missing) => {
            // The line goes around the capture of the test harness, so that it is shown for a passing test.
            let test = std::thread::current();
            let _ = writeln!(std::io::stderr(), "skipped: {}: {missing}", test.name().unwrap_or("a test"));
            None
        }
    }
}

/// Returns a file with one kernel, `probe`, whose body begins in line 5.
fn kernel(body: &str) -> String {
    format!(
        "#![no_std]\n#![feature(abi_ptx)]\nuse device::*;\n#[unsafe(no_mangle)] pub unsafe extern \"ptx-kernel\" fn \
         probe(words: *mut u32, floats: *mut f32, vectors: *mut Float4, n: u32, f: f32) {{\n{body}\n}}\n"
    )
}
