//! Launches without an estimate, each with its reason, and neighbors that have one.

use crate::support::{Argument, kernel, scene};
use predict::{Estimate, H200, Refusal, predict};

fn estimate(body: &str) -> Result<Estimate, Refusal> {
    predict(&H200, &scene(&kernel(body), "k", (4, 64), 1 << 20, &[Argument::Pointer(0)]), None)
}

#[test]
fn instructions_that_are_not_modeled_are_named() {
    let refusal = estimate("mov.f64 %d1, 0d3FF0000000000000;\nsqrt.rn.f64 %d2, %d1;").unwrap_err();
    assert_eq!(refusal.to_string(), "`sqrt.rn.f64` is not modeled");
    assert!(estimate("add.f32 %f2, %f1, %f1;").is_ok());
    let never = "setp.gt.u32 %p1, %r1, 5000;\n@!%p1 bra END;\nsqrt.rn.f64 %d2, %d1;\nEND:";
    assert!(estimate(never).is_ok());
}

#[test]
fn a_block_that_waits_for_another_is_refused() {
    let spin = "AGAIN:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra AGAIN;";
    assert_eq!(estimate(spin).unwrap_err(), Refusal::WaitsForBlocks);
    // Each thread takes a number. The estimate runs blocks alone and again, so that there are more numbers than threads.
    let ticket = "atom.global.add.u32 %r2, [%rd1], 1;\nmul.wide.u32 %rd2, %r2, 65536;\nadd.s64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r1;";
    assert_eq!(estimate(ticket).unwrap_err(), Refusal::WaitsForBlocks);
}

#[test]
fn code_that_does_not_fit_the_instruction_cache_is_refused() {
    let code = |count: usize| "add.f32 %f2, %f2, %f1;\n".repeat(count);
    assert!(matches!(estimate(&code(2100)).unwrap_err(), Refusal::LongCode(2100..2200)));
    assert!(estimate(&code(1500)).is_ok());
}

#[test]
fn a_fault_is_reported_as_such() {
    let refusal = estimate("st.global.u32 [%rd1+16777216], %r1;").unwrap_err();
    assert!(matches!(&refusal, Refusal::Launch(text) if text.contains("st.global")), "{refusal}");
}
