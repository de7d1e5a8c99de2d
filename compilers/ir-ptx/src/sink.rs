//! Instructions move down to where their results are needed, so that they are not executed on other ways, but never into a
//! loop.

use crate::code::{Code, End, Inst, Register};

/// Whether an instruction may be executed later, or not at all. What is in memory may have changed by then; addresses of
/// parameters stay at the beginning, as LLVM's back end leaves them there.
fn is_movable(inst: &Inst) -> bool {
    let text = &inst.text;
    let reads = text.starts_with("ld.") && !text.starts_with("ld.param") && !text.starts_with("ld.const");
    inst.pure && !reads && !text.starts_with("cvta")
}

/// The block that dominates all uses of each register.
struct Needs(Vec<Option<usize>>);

impl Needs {
    fn add(&mut self, code: &Code, register: Register, block: usize) {
        let needed = &mut self.0[register];
        *needed = Some(needed.map_or(block, |known| code.flow.common(known, block)));
    }
}

/// Moves the instructions of a function.
pub(crate) fn sink(code: &mut Code) {
    let mut needs = Needs(vec![None; code.classes.len()]);
    for &at in &code.flow.order {
        for (from, value) in code.blocks[at].phis.iter().flat_map(|phi| &phi.from) {
            if let Some(register) = value.as_ref().and_then(|value| value.register()) {
                needs.add(code, register, *from);
            }
        }
        if let End::Branch { condition, .. } = code.blocks[at].end {
            needs.add(code, condition, at);
        }
    }
    // From the last instruction to the first: uses are moved before what they use.
    for at in code.flow.order.clone().into_iter().rev() {
        let body = std::mem::take(&mut code.blocks[at].body);
        let mut kept = Vec::new();
        for inst in body.into_iter().rev() {
            let home = if is_movable(&inst) { home(code, &needs, &inst, at) } else { at };
            inst.used().for_each(|register| needs.add(code, register, home));
            if home == at { kept.push(inst) } else { code.blocks[home].body.insert(0, inst) }
        }
        kept.reverse();
        // What was moved here from other blocks comes first.
        let moved = std::mem::replace(&mut code.blocks[at].body, kept);
        code.blocks[at].body.splice(0..0, moved);
    }
}

/// Returns the block for an instruction: the lowest above all uses that is in no loop that the instruction is not in.
fn home(code: &Code, needs: &Needs, inst: &Inst, at: usize) -> usize {
    let mut made = inst.made().map(|register| needs.0[register]);
    let Some(Some(mut home)) = made.next().filter(|_| made.next().is_none()) else { return at };
    if !code.flow.dominates(at, home) {
        return at;
    }
    while code.flow.loops_of(home).any(|around| !around.blocks.contains(&at)) {
        home = code.flow.above(home);
    }
    if code.flow.dominates(at, home) { home } else { at }
}
