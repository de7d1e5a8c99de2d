//! The errors for invalid kernels, with their lines or names.

use crate::{compile, kernel};
use rust_ptx::CompileError;

/// Returns the error for a file; none without a compiler.
fn refusal(text: &str) -> Option<CompileError> {
    compile(text, 75).map(|result| result.expect_err("it cannot be compiled"))
}

#[test]
fn a_wrong_type_is_reported_by_rustc_with_the_line_of_the_file() {
    let Some(error) = refusal(&kernel("let x = unsafe { Global::new(words, 9) };\nx.set(f, 1);")) else { return };
    let error = error.to_string();
    assert!(
        error.contains("the trait bound `f32: ArrayIndex` is not satisfied") && error.contains("kernels/probe.rs:6:7"),
        "{error}"
    );
}

#[test]
fn a_variable_for_all_blocks_is_refused_by_name() {
    let body = kernel("unsafe { TILE[n as usize % 8] = n; *words = TILE[1]; }");
    let text = body + "static mut TILE: [u32; 8] = [0; 8];\n";
    let Some(error) = refusal(&text) else { return };
    let error = error.to_string();
    assert!(
        error.starts_with("kernels/probe.rs:7: `TILE` would lie in global memory, which all blocks share"),
        "{error}"
    );
}

#[test]
fn unroll_outside_of_a_loop_is_refused() {
    let Some(error) = refusal(&kernel("unroll(4);\n*words = n;")) else { return };
    assert_eq!(error.to_string(), "kernels/probe.rs:5: probe: unroll() is not in the body of a loop");
}
