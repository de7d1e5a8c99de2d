//! PTX with virtual registers, each assigned once, and phis.

use crate::flow::Flow;
use crate::ir::tree::Place;

/// The number of a virtual register.
pub(crate) type Register = usize;

/// The kind of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Predicate,
    /// A number of 16 bits.
    B16,
    /// Integers of at most 32 bits: what is above an integer's width is arbitrary.
    B32,
    B64,
    F32,
    F64,
}

impl Class {
    pub(crate) const ALL: [Self; 6] = [Self::Predicate, Self::B16, Self::B32, Self::B64, Self::F32, Self::F64];

    /// Returns the type in declarations and moves, and the prefix of names.
    pub(crate) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Predicate => ("pred", "p"),
            Self::B16 => ("b16", "h"),
            Self::B32 => ("b32", "r"),
            Self::B64 => ("b64", "rd"),
            Self::F32 => ("f32", "f"),
            Self::F64 => ("f64", "fd"),
        }
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Register(Register),
    /// A number or a symbol.
    Text(String),
}

impl Operand {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn register(&self) -> Option<Register> {
        match self {
            Self::Register(register) => Some(*register),
            Self::Text(_) => None,
        }
    }
}

/// An instruction. `$0`, `$1` … in the text are the operands, results first.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub(crate) text: String,
    pub(crate) results: usize,
    pub(crate) operands: Vec<Operand>,
    /// Whether it does nothing but make its results.
    pub(crate) pure: bool,
    /// Whether it may write a result before it has read all operands.
    pub(crate) early: bool,
    pub(crate) place: Option<Place>,
}

impl Inst {
    pub(crate) fn made(&self) -> impl Iterator<Item = Register> {
        self.operands[..self.results].iter().filter_map(Operand::register)
    }

    pub(crate) fn used(&self) -> impl Iterator<Item = Register> {
        self.operands[self.results..].iter().filter_map(Operand::register)
    }
}

/// The end of a block.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Jump(usize),
    Branch { condition: Register, negated: bool, yes: usize, no: usize },
    Return,
    Trap,
}

impl End {
    pub(crate) fn successors(&self) -> Vec<usize> {
        match self {
            Self::Jump(to) => vec![*to],
            Self::Branch { yes, no, .. } => vec![*yes, *no],
            Self::Return | Self::Trap => Vec::new(),
        }
    }
}

/// A choice by the block that control came from.
#[derive(Clone, Debug)]
pub(crate) struct Phi {
    pub(crate) result: Register,
    /// The value of each block before; none for an arbitrary one.
    pub(crate) from: Vec<(usize, Option<Operand>)>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) phis: Vec<Phi>,
    pub(crate) body: Vec<Inst>,
    pub(crate) end: End,
    pub(crate) place: Option<Place>,
}

impl Block {
    pub(crate) fn empty() -> Self {
        Self { phis: Vec::new(), body: Vec::new(), end: End::Return, place: None }
    }
}

/// A local variable.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
}

/// The code of a function.
pub(crate) struct Code {
    pub(crate) locals: Vec<Local>,
    pub(crate) blocks: Vec<Block>,
    /// The class of each register.
    pub(crate) classes: Vec<Class>,
    pub(crate) flow: Flow,
}

impl Code {
    /// Removes instructions and phis whose results nobody needs.
    pub(crate) fn sweep(&mut self) {
        let mut open = Vec::new();
        let mut makers: Vec<Vec<Register>> = vec![Vec::new(); self.classes.len()];
        for block in &self.blocks {
            for inst in &block.body {
                if inst.pure {
                    inst.made().for_each(|made| makers[made].extend(inst.used()));
                } else {
                    open.extend(inst.used());
                }
            }
            for phi in &block.phis {
                let values = phi.from.iter().filter_map(|(_, value)| value.as_ref()?.register());
                makers[phi.result].extend(values);
            }
            if let End::Branch { condition, .. } = block.end {
                open.push(condition);
            }
        }
        let mut needed = vec![false; self.classes.len()];
        while let Some(register) = open.pop() {
            if !std::mem::replace(&mut needed[register], true) {
                open.extend(&makers[register]);
            }
        }
        for block in &mut self.blocks {
            block.phis.retain(|phi| needed[phi.result]);
            block.body.retain(|inst| !inst.pure || inst.made().any(|made| needed[made]));
        }
    }

    /// Lets branches go on past blocks that only jump, and removes these.
    pub(crate) fn skip_empty_blocks(&mut self) {
        let next = |blocks: &[Block], mut to: usize| {
            // A loop may have nothing but jumps.
            for _ in 0..blocks.len() {
                match blocks[to].end {
                    End::Jump(on) if blocks[to].body.is_empty() => to = on,
                    _ => break,
                }
            }
            to
        };
        for block in 0..self.blocks.len() {
            let mut end = self.blocks[block].end.clone();
            match &mut end {
                End::Jump(to) => *to = next(&self.blocks, *to),
                End::Branch { yes, no, .. } => (*yes, *no) = (next(&self.blocks, *yes), next(&self.blocks, *no)),
                End::Return | End::Trap => {}
            }
            if let End::Branch { yes, no, .. } = end
                && yes == no
            {
                end = End::Jump(yes);
            }
            self.blocks[block].end = end;
        }
        let mut reached = vec![false; self.blocks.len()];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block], true) {
                open.extend(self.blocks[block].end.successors());
            }
        }
        self.flow.order.retain(|&block| reached[block]);
    }
}
