//! Invariant steps: arithmetic without a guard whose results do not depend on when, or for which lanes, it is executed.
//!
//! The machine executes these steps before all others, and skips them where they stand. Steps that do not depend on the block are
//! executed once for all blocks that a worker runs: the addresses of a tile, the predicates of a tree. Steps that depend on the
//! block, but not on the warp, are executed once for all warps of a block: the start of a block's data.
//!
//! With the fast paths of words (`machine/access/words.rs`) and of divergence (`machine/block.rs`), sums in shared memory take 54 %
//! of the processor's instructions, and sums by shuffles 59 % (callgrind).

use super::flow::Blocks;
use super::step::{Action, Step, Uniform, Value};
use crate::vector::registers::OperandKind;

/// The maximum number of invariant steps, so that unrolled code does not keep thousands of rows.
const MAX_INVARIANTS: usize = 128;

/// The inputs of a value, besides literals and parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependence {
    pub(super) on_warp: bool,
    /// Apart from addresses in shared memory, which differ between the blocks of a cluster.
    pub(super) on_block: bool,
}

/// Returns the indices of the invariant steps, each after those whose results it uses, and what their results depend on: at most
/// one of the warp and the block. `entry` has the registers that are live at the kernel's entry.
///
/// The result of an invariant step has no other definition, and nothing that can precede the step reads it.
pub(super) fn invariants(code: &Blocks, entry: &[usize]) -> Vec<(usize, Dependence)> {
    // A subroutine keeps the registers of its callers.
    if !code.subroutines.is_empty() {
        return Vec::new();
    }
    let mut registers = Registers::new(code, entry);
    let mut found = Vec::new();
    let mut candidates: Vec<usize> =
        (0..code.steps.len()).filter(|&index| registers.are_defined_by(&code.steps[index])).collect();
    loop {
        let before = found.len();
        candidates.retain(|&index| {
            let step = &code.steps[index];
            let dependence = registers.combine_sources(code, step).filter(|of| !(of.on_warp && of.on_block));
            let Some(dependence) = dependence.filter(|_| found.len() < MAX_INVARIANTS) else { return true };
            for_each_result(step, |register| registers.dependences[register] = Some(dependence));
            found.push((index, dependence));
            false
        });
        if found.len() == before {
            return found;
        }
    }
}

/// The facts known of each virtual register.
struct Registers {
    /// Whether it has one definition, which precedes all of its uses.
    defined_once: Vec<bool>,
    /// The inputs of its value, if it is invariant.
    dependences: Vec<Option<Dependence>>,
}

impl Registers {
    fn new(code: &Blocks, entry: &[usize]) -> Self {
        let mut definitions = vec![0_u32; code.registers.len()];
        code.steps.iter().for_each(|step| for_each_result(step, |register| definitions[register] += 1));
        let mut defined_once: Vec<bool> = definitions.into_iter().map(|count| count == 1).collect();
        entry.iter().for_each(|&register| defined_once[register] = false);
        let mut dependences = vec![None; code.registers.len()];
        for &(_, register) in &code.specials {
            dependences[register as usize] = Some(Dependence { on_warp: true, on_block: false });
        }
        Self { defined_once, dependences }
    }

    /// Returns whether a step is arithmetic without a guard, and the only definition of its results.
    fn are_defined_by(&self, step: &Step<Value>) -> bool {
        let mut alone = step.guard.is_none() && matches!(step.action, Action::Arithmetic(_));
        for_each_result(step, |register| alone &= self.defined_once[register]);
        alone
    }

    /// Returns what the sources of a step depend on, if all are invariant.
    fn combine_sources(&self, code: &Blocks, step: &Step<Value>) -> Option<Dependence> {
        let mut all = Dependence::default();
        for index in usize::from(step.results)..step.places.len() {
            let Some(kind) = step.kinds[index] else { continue };
            let of = match step.places[index] {
                Value::Register(register) => self.dependences[register as usize]?,
                Value::Uniform(number) => Dependence { on_warp: false, on_block: differs_by_block(code, kind, number) },
            };
            all = Dependence { on_warp: all.on_warp | of.on_warp, on_block: all.on_block | of.on_block };
        }
        Some(all)
    }
}

/// Calls `visit` for each register that a step writes.
pub(super) fn for_each_result(step: &Step<Value>, mut visit: impl FnMut(usize)) {
    step.for_each_place(|place, is_result| {
        if let (Value::Register(register), true) = (place, is_result) {
            visit(register as usize);
        }
    });
}

/// Returns whether a value that all warps share differs between blocks.
fn differs_by_block(code: &Blocks, kind: OperandKind, number: u32) -> bool {
    matches!(code.uniforms.by_kind(kind).get(number as usize), Some(Uniform::Special(special)) if special.differs_by_block())
}
