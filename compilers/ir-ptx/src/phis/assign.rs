//! Registers for values, and copies on the edges between blocks.

use super::lives::Lives;
use crate::code::{Block, Class, Code, End, Inst, Operand, Phi, Register};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Which values share a register.
struct Sharing {
    register: Vec<Register>,
    members: HashMap<Register, Vec<Register>>,
}

impl Sharing {
    fn members(&self, register: Register) -> Vec<Register> {
        self.members.get(&register).cloned().unwrap_or_else(|| vec![register])
    }

    /// Lets a phi and one of its values share a register, unless they are needed at the same time.
    fn join(&mut self, code: &Code, lives: &Lives, phi: Register, value: Register) {
        let a = self.register[phi];
        let b = self.register[value];
        if a == b || code.classes[a] != code.classes[b] {
            return;
        }
        let of_a = self.members(a);
        let of_b = self.members(b);
        if of_a.iter().any(|&x| of_b.iter().any(|&y| lives.interfere(code, x, y))) {
            return;
        }
        of_b.iter().for_each(|&member| self.register[member] = a);
        self.members.remove(&b);
        self.members.insert(a, of_a.into_iter().chain(of_b).collect());
    }
}

/// Replaces the phis of a function, and returns the register of each value. Blocks that copies need are added.
pub(crate) fn assign(code: &mut Code) -> Vec<Register> {
    let lives = Lives::new(code);
    let mut sharing = Sharing { register: (0..code.classes.len()).collect(), members: HashMap::new() };
    // A copy in the deepest loop is the dearest.
    let mut blocks = code.flow.order.clone();
    blocks.sort_by_key(|&block| Reverse(code.flow.depth(block)));
    for &block in &blocks {
        for phi in &code.blocks[block].phis {
            let mut from: Vec<_> = phi.from.iter().collect();
            from.sort_by_key(|(at, _)| Reverse(code.flow.depth(*at)));
            for value in from.into_iter().filter_map(|(_, value)| value.as_ref()?.register()) {
                sharing.join(code, &lives, phi.result, value);
            }
        }
    }
    let phis: Vec<Vec<Phi>> = code.blocks.iter_mut().map(|block| std::mem::take(&mut block.phis)).collect();
    for block in code.flow.order.clone() {
        for next in code.flow.successors[block].clone() {
            let copies = copies(&phis[next], block, &sharing);
            if !copies.is_empty() {
                place(code, &lives, &mut sharing, &phis, (block, next), copies);
            }
        }
    }
    code.flow.successors = code.blocks.iter().map(|block| block.end.successors()).collect();
    sharing.register
}

/// A copy to a register.
type Copy = (Register, Operand);

/// Returns the copies on an edge to a block with these phis.
fn copies(phis: &[Phi], block: usize, sharing: &Sharing) -> Vec<Copy> {
    let copy = |phi: &Phi| {
        let (_, value) = phi.from.iter().find(|(from, _)| *from == block)?;
        let to = sharing.register[phi.result];
        let value = match value.as_ref()? {
            Operand::Register(register) => Operand::Register(sharing.register[*register]),
            text => text.clone(),
        };
        (value != Operand::Register(to)).then_some((to, value))
    };
    phis.iter().filter_map(copy).collect()
}

/// Puts copies at the end of a block, or on the edge in a block of their own where they would disturb another way.
fn place(
    code: &mut Code,
    lives: &Lives,
    sharing: &mut Sharing,
    phis: &[Vec<Phi>],
    edge: (usize, usize),
    copies: Vec<Copy>,
) {
    let (block, next) = edge;
    let others: Vec<usize> = code.flow.successors[block].iter().copied().filter(|&other| other != next).collect();
    let disturbs = copies.iter().any(|(to, _)| is_needed(code, lives, sharing, phis, block, *to, &others));
    let insts = in_sequence(copies, code, sharing);
    // A few copies cost less than a jump, and a loop goes round more often than out.
    let is_cheap = insts.len() <= 2 || code.flow.dominates(next, block);
    if others.is_empty() || !disturbs && is_cheap {
        code.blocks[block].body.extend(insts);
        return;
    }
    let added = code.blocks.len();
    code.blocks.push(Block { phis: Vec::new(), body: insts, end: End::Jump(next), place: None });
    match &mut code.blocks[block].end {
        End::Branch { yes, .. } if *yes == next => *yes = added,
        End::Branch { no, .. } => *no = added,
        _ => {}
    }
    let at = code.flow.order.iter().position(|&there| there == block).map_or(0, |at| at + 1);
    code.flow.order.insert(at, added);
}

/// Whether other ways from a block need what is in a register.
fn is_needed(
    code: &Code,
    lives: &Lives,
    sharing: &Sharing,
    phis: &[Vec<Phi>],
    block: usize,
    register: Register,
    others: &[usize],
) -> bool {
    if matches!(code.blocks[block].end, End::Branch { condition, .. } if sharing.register[condition] == register) {
        return true;
    }
    let members = sharing.members(register);
    others.iter().any(|&other| {
        let is_read = |phi: &Phi| {
            let value =
                phi.from.iter().find(|(from, _)| *from == block).and_then(|(_, value)| value.as_ref()?.register());
            sharing.register[phi.result] == register || value.is_some_and(|value| sharing.register[value] == register)
        };
        members.iter().any(|&member| lives.is_alive_into(member, other)) || phis[other].iter().any(is_read)
    })
}

/// Returns copies that happen at once as instructions one after the other.
fn in_sequence(mut copies: Vec<Copy>, code: &mut Code, sharing: &mut Sharing) -> Vec<Inst> {
    let mut insts = Vec::new();
    while !copies.is_empty() {
        let is_free =
            |(to, _): &Copy| !copies.iter().any(|(other, from)| other != to && *from == Operand::Register(*to));
        if let Some(at) = copies.iter().position(is_free) {
            let (to, from) = copies.remove(at);
            insts.push(copy(code.classes[to], to, from));
            continue;
        }
        // A ring: its first value waits in a register of its own.
        let first = copies[0].0;
        let spare = code.classes.len();
        code.classes.push(code.classes[first]);
        sharing.register.push(spare);
        insts.push(copy(code.classes[first], spare, Operand::Register(first)));
        for (_, from) in copies.iter_mut().filter(|(_, from)| *from == Operand::Register(first)) {
            *from = Operand::Register(spare);
        }
    }
    insts
}

fn copy(class: Class, to: Register, from: Operand) -> Inst {
    let text = match (&from, class) {
        (Operand::Text(_), Class::Predicate) => "setp.ne.b32 $0, $1, 0;".into(),
        _ => format!("mov.{} $0, $1;", class.names().0),
    };
    Inst { text, results: 1, operands: vec![Operand::Register(to), from], pure: false, early: false, place: None }
}
