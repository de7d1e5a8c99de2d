//! Kernels that are compiled by the rustc of this machine. Without one these tests are skipped, and say so.

mod chapter;
mod device;
mod panics;
mod refusals;

use rust_ptx::{CompileError, Compiler};

/// What the text of a kernel's file gives for a compute capability; `None` without a compiler.
fn compile(text: &str, architecture: i32) -> Option<Result<String, CompileError>> {
    match Compiler::find() {
        Ok(compiler) => Some(compiler.compile("kernels/probe.rs", text, architecture)),
        Err(missing) => {
            println!("skipped: {missing}");
            None
        }
    }
}

/// A file with one kernel, `probe`, of this body; its first line is line 5.
fn kernel(body: &str) -> String {
    format!(
        "#![no_std]\n#![feature(abi_ptx)]\nuse device::*;\n#[unsafe(no_mangle)] pub unsafe extern \"ptx-kernel\" fn \
         probe(words: *mut u32, floats: *mut f32, vectors: *mut Float4, n: u32, f: f32) {{\n{body}\n}}\n"
    )
}
