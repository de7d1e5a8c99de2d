//! Atomics that count: additions of 1 to shared memory whose old values nobody reads.
//!
//! ptxas compiles them to an instruction of their own, `ATOMS.POPC.INC`, whose bank conflicts are others.

use super::expand::expander::Expanded;
use super::invariant::for_each_result;
use super::step::{Action, Step, Uniform, Value};
use crate::ground::space::Space;
use crate::isa::memory::{AtomicFunction, MemoryOperation};
use crate::vector::registers::OperandKind;

/// Sets `counts` of the atomics that count.
pub(super) fn mark_counts(code: &mut Expanded) {
    let ones: Vec<usize> = (0..code.steps.len()).filter(|&index| adds_one(code, &code.steps[index])).collect();
    if ones.is_empty() {
        return;
    }
    let mut is_read = vec![false; code.registers.len()];
    for step in &code.steps {
        let guard = step.guard.map(|guard| guard.place);
        step.for_each_place(|place, is_result| {
            if let (Value::Register(register), false) = (place, is_result) {
                is_read[register as usize] = true;
            }
        });
        if let Some(Value::Register(register)) = guard {
            is_read[register as usize] = true;
        }
    }
    for index in ones {
        let step = &mut code.steps[index];
        let mut unread = true;
        for_each_result(step, |register| unread &= !is_read[register]);
        if let Action::Memory { operation: MemoryOperation::Atomic { counts, .. }, .. } = &mut step.action {
            *counts = unread;
        }
    }
}

/// Returns whether a step adds a literal 1 to a word of shared memory.
fn adds_one(code: &Expanded, step: &Step<Value>) -> bool {
    let Action::Memory { operation: MemoryOperation::Atomic { space, element, function, lanes: 1, .. }, .. } =
        step.action
    else {
        return false;
    };
    // after the results, the address and the value
    let value = step.places.get(usize::from(step.results) + 1);
    let one = code.uniforms.by_kind(OperandKind::Narrow).iter().position(|&uniform| uniform == Uniform::Literal(1));
    space == Space::Shared
        && element.bytes == 4
        && function == AtomicFunction::AddInteger
        && one.is_some_and(|one| value == Some(&Value::Uniform(one as u32)))
}
