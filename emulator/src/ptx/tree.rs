//! The syntax tree of a PTX module.

use crate::ground::space::Space;
use std::collections::HashMap;

/// Which register file a register lives in; PTX types beyond the width mean nothing to storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Width {
    /// One bit a lane.
    Predicate,
    /// 8, 16 or 32 bits, kept in 32.
    Narrow,
    /// 64 bits.
    Wide,
    /// 128 bits: declared at times, executed by nothing.
    Quad,
}

/// Index of a register of its function.
pub(crate) type Register = u32;

/// A declared variable, or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) align: u64,
    /// Size in bytes; 0 for `extern` arrays without extent.
    pub(crate) bytes: u64,
    /// First bytes of the contents; the rest is zero. Empty when nothing is given.
    pub(crate) initial: Vec<u8>,
    /// Those of them that are addresses.
    pub(crate) addresses: Vec<InitialAddress>,
    /// Declared `.extern`.
    pub(crate) external: bool,
    /// Line of the PTX text, from 1.
    pub(crate) line: u32,
}

/// An address in the initial contents of a variable: eight bytes, which are known when the module is placed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InitialAddress {
    /// Where it stands, in bytes from the begin of the variable.
    pub(crate) place: usize,
    /// The variable or function whose address it is.
    pub(crate) name: String,
    /// Bytes that are added.
    pub(crate) offset: i64,
    /// Line of the PTX text, from 1.
    pub(crate) line: u32,
}

/// A literal, kept as its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    /// Two's complement.
    Integer(u64),
    /// `0f…`.
    Single(u32),
    /// `0d…` or a decimal fraction.
    Double(u64),
}

/// What an instruction works on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Register(Register),
    /// `!%p`.
    Negated(Register),
    /// `%p|%q`; `_` leaves one out.
    Pair(Option<Register>, Option<Register>),
    Literal(Literal),
    /// `%tid.x` and the like, without the percent sign.
    Special(String),
    /// A variable, label or function, with an offset in bytes.
    Symbol(String, i64),
    /// `[register + offset]`.
    RegisterAddress(Register, i64),
    /// `[symbol + offset]`.
    SymbolAddress(String, i64),
    /// `[number]`.
    AbsoluteAddress(u64),
    /// `{a, b}`; `_` is [`Operand::Nothing`].
    Vector(Vec<Operand>),
    /// `(a, b)` of a call.
    Arguments(Vec<Operand>),
    /// `_`.
    Nothing,
}

/// Position in the file that was compiled to PTX, from `.loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct SourceLine {
    /// Number of the `.file`; 0 when unknown.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// Register and whether it is negated.
    pub(crate) guard: Option<(Register, bool)>,
    pub(crate) opcode: String,
    pub(crate) operands: Vec<Operand>,
    /// Line of the PTX text, from 1.
    pub(crate) line: u32,
    pub(crate) source: SourceLine,
}

/// A line of a function's body.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Label(String),
    Instruction(Instruction),
}

/// A kernel or a device function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: u32,
    pub(crate) entry: bool,
    pub(crate) parameters: Vec<Variable>,
    pub(crate) results: Vec<Variable>,
    /// `.shared`, `.local` and call `.param` variables of the body, with unique names.
    pub(crate) variables: Vec<Variable>,
    /// Width of each register.
    pub(crate) registers: Vec<Width>,
    /// None for a declaration without a body.
    pub(crate) body: Option<Vec<Statement>>,
    /// Product of `.maxntid` or `.reqntid`.
    pub(crate) max_threads: Option<u32>,
}

/// A whole module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// `.version` times ten.
    pub(crate) version: u32,
    /// Number in `.target sm_NN`.
    pub(crate) target: u32,
    pub(crate) files: HashMap<u32, String>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
}
