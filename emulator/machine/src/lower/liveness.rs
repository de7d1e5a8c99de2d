//! Liveness: the basic blocks at whose start and end each virtual register is live.

/// A register and a basic block.
type Occurrence = (usize, usize);

/// The blocks that use a register before they define it, and those that define it, both sorted.
pub(super) struct Occurrences {
    used: Vec<Occurrence>,
    defined: Vec<Occurrence>,
}

impl Occurrences {
    /// Collects the occurrences of the registers `0..registers`. `visit(block, touch)` calls `touch(register, is_result)` for
    /// each register of the block in order.
    pub(super) fn new(
        registers: usize,
        blocks: usize,
        mut visit: impl FnMut(usize, &mut dyn FnMut(usize, bool)),
    ) -> Self {
        let mut used = Vec::new();
        let mut defined = Vec::new();
        // For each register, the last block that used it and the last one that defined it, both plus 1.
        let mut last = vec![[0; 2]; registers];
        for block in 0..blocks {
            visit(block, &mut |register, is_result| {
                let last = &mut last[register];
                if is_result && last[1] != block + 1 {
                    last[1] = block + 1;
                    defined.push((register, block));
                } else if !is_result && !last.contains(&(block + 1)) {
                    last[0] = block + 1;
                    used.push((register, block));
                }
            });
        }
        used.sort_unstable();
        defined.sort_unstable();
        Self { used, defined }
    }

    /// Follows each register backward from the blocks that use it to those that define it. Calls
    /// `needed(register, block, at_end)` for each start and end of a block where the register is live. Returns `None` after
    /// `max_steps` blocks and edges, summed over all registers.
    pub(super) fn follow(
        self,
        predecessors: &[Vec<usize>],
        max_steps: usize,
        mut needed: impl FnMut(usize, usize, bool),
    ) -> Option<()> {
        let mut defined = self.defined.into_iter().peekable();
        // For each block, the last register that was found live in it and the last one that it defines, both plus 1.
        let (mut walked, mut defines) = (vec![0; predecessors.len()], vec![0; predecessors.len()]);
        let mut pending = Vec::new();
        let mut taken = 0;
        for uses in self.used.chunk_by(|left, right| left.0 == right.0) {
            let register = uses[0].0;
            while let Some((defined, block)) = defined.next_if(|occurrence| occurrence.0 <= register) {
                defines[block] = defined + 1;
            }
            pending.extend(uses.iter().map(|&(_, block)| block));
            while let Some(block) = pending.pop() {
                if std::mem::replace(&mut walked[block], register + 1) == register + 1 {
                    continue;
                }
                needed(register, block, false);
                for &before in &predecessors[block] {
                    needed(register, before, true);
                    if defines[before] != register + 1 {
                        pending.push(before);
                    }
                }
                taken += 1 + predecessors[block].len();
                if taken > max_steps {
                    return None;
                }
            }
        }
        Some(())
    }
}
