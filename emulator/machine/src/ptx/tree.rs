//! The syntax tree of a PTX module.

use crate::ground::space::Space;
use std::collections::HashMap;

/// The width of a register. Its PTX type has no other effect on how it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Width {
    /// One bit per lane.
    Predicate,
    /// 8, 16 or 32 bits, stored in 32.
    Narrow,
    /// 64 bits.
    Wide,
    /// 128 bits, which are replaced by two of 64 bits (`lower/quads.rs`).
    Quad,
}

/// The index of a register in its function.
pub(crate) type Register = u32;

/// A declared variable, or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) align: u64,
    /// The size in bytes: 0 for `extern` arrays without an extent.
    pub(crate) bytes: u64,
    /// The first bytes of the initial value. All others are zero.
    pub(crate) initial: Vec<u8>,
    /// The addresses in the initial value.
    pub(crate) addresses: Vec<InitialAddress>,
    /// Whether it has the attribute `.managed`: the host accesses it, too.
    pub(crate) managed: bool,
    /// Whether it is declared `.extern`.
    pub(crate) external: bool,
    /// The line in the PTX, counted from 1.
    pub(crate) line: u32,
}

/// An address in the initial value of a variable: eight bytes, which are filled in when the module is loaded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InitialAddress {
    /// The offset in the variable in bytes.
    pub(crate) place: usize,
    /// The name of the variable or function.
    pub(crate) name: String,
    /// The number of bytes that are added to the address.
    pub(crate) offset: i64,
    /// The line in the PTX, counted from 1.
    pub(crate) line: u32,
}

/// A literal, as bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    /// An integer in two's complement.
    Integer(u64),
    /// `0f…`.
    Single(u32),
    /// `0d…` or a decimal fraction.
    Double(u64),
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Register(Register),
    /// `!%p`.
    Negated(Register),
    /// `%p|%q`, where `_` stands for no register.
    Pair(Option<Register>, Option<Register>),
    Literal(Literal),
    /// A special register such as `%tid.x`, without the percent sign.
    Special(String),
    /// A variable, label or function, with an offset in bytes.
    Symbol(String, i64),
    /// `[register + offset]`.
    RegisterAddress(Register, i64),
    /// `[symbol + offset]`.
    SymbolAddress(String, i64),
    /// `[number]`.
    AbsoluteAddress(u64),
    /// `[address, {a, b}]`: a tensor map with coordinates.
    TensorAddress(Box<Operand>, Box<Operand>),
    /// `{a, b}`, where `_` is [`Operand::Nothing`].
    Vector(Vec<Operand>),
    /// `(a, b)` in a call.
    Arguments(Vec<Operand>),
    /// `_`.
    Nothing,
}

/// A line of the file that was compiled to PTX, from `.loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct SourceLine {
    /// The number of the `.file`, or 0 if it is unknown.
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// The number of the place in the module, from 1: function, column and calls through which it was inlined included. What a
    /// compiler writes twice has one site. 0 if it is unknown.
    pub(crate) site: u32,
    /// The site of the call through which it was inlined, 0 if it is none.
    pub(crate) caller: u32,
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// The predicate register of `@%p`, and whether it is negated.
    pub(crate) guard: Option<(Register, bool)>,
    pub(crate) opcode: String,
    pub(crate) operands: Vec<Operand>,
    /// The line in the PTX, counted from 1.
    pub(crate) line: u32,
    pub(crate) source: SourceLine,
}

/// A statement of a function's body.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Label(String),
    Instruction(Instruction),
}

impl Statement {
    /// Returns the instruction, unless it is a label.
    pub(crate) fn instruction(&self) -> Option<&Instruction> {
        match self {
            Self::Instruction(instruction) => Some(instruction),
            Self::Label(_) => None,
        }
    }
}

/// A kernel or a device function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: u32,
    pub(crate) entry: bool,
    pub(crate) parameters: Vec<Variable>,
    pub(crate) results: Vec<Variable>,
    /// The `.shared`, `.local` and `.param` variables of the body, with unique names.
    pub(crate) variables: Vec<Variable>,
    /// The width of each register.
    pub(crate) registers: Vec<Width>,
    /// The lists of labels of jump tables, by name.
    pub(crate) branch_targets: HashMap<String, Vec<String>>,
    /// The body, or `None` for a declaration.
    pub(crate) body: Option<Vec<Statement>>,
    /// The product of the extents in `.maxntid` or `.reqntid`.
    pub(crate) max_threads: Option<u32>,
    /// The extents in `.reqnctapercluster`.
    pub(crate) cluster: Option<[u32; 3]>,
    /// Whether `.explicitcluster` requires launches in clusters.
    pub(crate) explicit_cluster: bool,
    /// The number of blocks in `.maxclusterrank`.
    pub(crate) max_cluster: Option<u32>,
    /// The number of registers in `.maxnreg`.
    pub(crate) max_registers: Option<u32>,
    /// The number of blocks in `.minnctapersm`.
    pub(crate) min_blocks: Option<u32>,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The `.version` times ten.
    pub(crate) version: u32,
    /// The number in `.target sm_NN`.
    pub(crate) target: u32,
    pub(crate) files: HashMap<u32, String>,
    /// The lines of source, by site.
    pub(crate) sites: Vec<SourceLine>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
}
