//! Liveness: the blocks in which values are needed.

use crate::code::{Code, End, Register};
use std::collections::{HashMap, HashSet};

/// The lives of the registers of a function. Places in a block are counted in halves of instructions: an instruction reads at
/// an even place and writes there too, or reads at the next if it may write before it has read everything.
pub(crate) struct Lives {
    /// Block and place where a register is made; 0 for phis.
    made: HashMap<Register, (usize, usize)>,
    /// The last place of use in a block.
    used: HashMap<(Register, usize), usize>,
    /// The values needed at the beginning of a block, apart from its phis.
    into: Vec<HashSet<Register>>,
    out_of: Vec<HashSet<Register>>,
}

impl Lives {
    pub(crate) fn new(code: &Code) -> Self {
        let none = vec![HashSet::new(); code.blocks.len()];
        let mut lives = Self { made: HashMap::new(), used: HashMap::new(), into: none.clone(), out_of: none };
        for &at in &code.flow.order {
            lives.note(code, at);
        }
        let mut open: Vec<(Register, usize)> =
            lives.used.keys().copied().filter(|key| lives.comes_into(*key)).collect();
        for &at in &code.flow.order {
            for (from, value) in code.blocks[at].phis.iter().flat_map(|phi| &phi.from) {
                let Some(register) = value.as_ref().and_then(|value| value.register()) else { continue };
                lives.out_of[*from].insert(register);
                open.extend(Some((register, *from)).filter(|key| lives.comes_into(*key)));
            }
        }
        // From each use upwards to where the value is made.
        while let Some((register, block)) = open.pop() {
            if lives.into[block].insert(register) {
                for &before in &code.flow.predecessors[block] {
                    lives.out_of[before].insert(register);
                    open.extend(Some((register, before)).filter(|key| lives.comes_into(*key)));
                }
            }
        }
        lives
    }

    fn note(&mut self, code: &Code, at: usize) {
        let block = &code.blocks[at];
        self.made.extend(block.phis.iter().map(|phi| (phi.result, (at, 0))));
        for (index, inst) in block.body.iter().enumerate() {
            let place = 2 * index + 2;
            self.used.extend(inst.used().map(|register| ((register, at), place + usize::from(inst.early))));
            self.made.extend(inst.made().map(|register| (register, (at, place))));
        }
        if let End::Branch { condition, .. } = block.end {
            self.used.insert((condition, at), 2 * block.body.len() + 2);
        }
    }

    fn comes_into(&self, (register, block): (Register, usize)) -> bool {
        self.made.get(&register).is_some_and(|made| made.0 != block)
    }

    /// Whether a register is needed at the beginning of a block, apart from its phis.
    pub(crate) fn is_alive_into(&self, register: Register, block: usize) -> bool {
        self.into[block].contains(&register)
    }

    /// Whether `a` is needed behind the place where `b` is made.
    fn is_alive_at(&self, a: Register, b: Register) -> bool {
        let (block, place) = self.made[&b];
        self.out_of[block].contains(&a) || self.used.get(&(a, block)).is_some_and(|&last| last > place)
    }

    /// Whether two values are needed at the same time.
    pub(crate) fn interfere(&self, code: &Code, a: Register, b: Register) -> bool {
        let (Some(&(block_a, at_a)), Some(&(block_b, at_b))) = (self.made.get(&a), self.made.get(&b)) else {
            return true;
        };
        if block_a == block_b && at_a == at_b {
            return true;
        }
        let (a_first, b_first) = if block_a == block_b {
            (at_a < at_b, at_b < at_a)
        } else {
            (code.flow.dominates(block_a, block_b), code.flow.dominates(block_b, block_a))
        };
        a_first && self.is_alive_at(a, b) || b_first && self.is_alive_at(b, a)
    }
}
