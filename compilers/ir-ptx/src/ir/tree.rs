//! The tree of a module. All values are scalars.

use super::types::Type;
use crate::space::Space;
use crate::table::row::Row;

/// The number of a value in its function.
pub(crate) type Id = usize;
/// The number of a block in its function; the entry is 0.
pub(crate) type BlockId = usize;

/// An operand.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Local(Id),
    /// An integer, sign-extended, or a null pointer.
    Integer(i64),
    Real(f64),
    Global(Symbol),
    /// Undefined, or poison: any bits.
    Undefined,
}

/// The address of a variable of the module or a function, plus bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) offset: i64,
    /// Whether an integer made of it is the generic address, and not the one in the variable's own space.
    pub(crate) generic: bool,
}

/// A value of 128 bits while a function is read.
#[derive(Clone, Debug)]
pub(crate) enum Long {
    Extended {
        of: Value,
        signed: bool,
    },
    Product {
        a: Value,
        b: Value,
        signed: bool,
    },
    /// A product, shifted to its high half.
    High {
        a: Value,
        b: Value,
        signed: bool,
    },
}

/// The optimizer's facts about an instruction.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Flags {
    /// No signed overflow.
    pub(crate) nsw: bool,
    /// No unsigned overflow.
    pub(crate) nuw: bool,
    /// The operand of an extension is not negative.
    pub(crate) nneg: bool,
    /// The operands of an `or` have no bit in common, so it is a sum.
    pub(crate) disjoint: bool,
    /// May be fused with another operation.
    pub(crate) contract: bool,
    /// May be approximated.
    pub(crate) afn: bool,
}

/// An access to memory.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Access {
    /// The type of the scalar.
    pub(crate) ty: Type,
    pub(crate) address: Value,
    /// Bytes to add to the address.
    pub(crate) offset: i64,
    /// Known alignment in bytes.
    pub(crate) align: u64,
    pub(crate) volatile: bool,
    /// The order and scope of an atomic access as modifiers, `.relaxed.gpu`; empty for another.
    pub(crate) order: String,
}

/// An instruction without its result.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Operation {
    /// The operation of a row of the table, with the type of the first result.
    Row {
        row: &'static Row,
        flags: Flags,
        ty: Type,
        operands: Vec<(Type, Value)>,
    },
    /// Base plus offset plus the sum of scale times index.
    Element {
        base: Value,
        offset: i64,
        terms: Vec<(i64, Value, Type)>,
    },
    Load(Access),
    Store(Access, Value),
    /// An atomic operation with its name in the IR; its order and scope are in the access.
    Atomic {
        name: String,
        access: Access,
        value: Value,
    },
    /// Compare and exchange: the old value and whether it was as expected.
    Exchange {
        access: Access,
        expected: Value,
        new: Value,
    },
    Fence {
        text: &'static str,
    },
    Phi {
        ty: Type,
        from: Vec<(Value, BlockId)>,
    },
    /// Words to one value of 32 or 64 bits: the low one first.
    Pack {
        ty: Type,
        parts: Vec<(Type, Value)>,
    },
    /// The reverse: the results are the parts.
    Unpack {
        ty: Type,
        of: (Type, Value),
    },
    Call {
        function: String,
        ty: Vec<Type>,
        operands: Vec<(Type, Value)>,
    },
    /// Inline PTX.
    Assembly {
        text: String,
        constraints: String,
        effects: bool,
        ty: Vec<Type>,
        operands: Vec<(Type, Value)>,
    },
    Variable {
        bytes: u64,
        align: u64,
    },
    /// Copies bytes, or sets them if `from` is none.
    Copy {
        to: Access,
        from: Option<Access>,
        bytes: i64,
        value: i64,
    },
}

/// File number from 1, line, column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) file: usize,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) results: Vec<Id>,
    pub(crate) operation: Operation,
    /// The line in the IR.
    pub(crate) line: usize,
    pub(crate) place: Option<Place>,
}

/// The end of a block.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum End {
    Jump(BlockId),
    Branch(Value, BlockId, BlockId),
    Switch { ty: Type, value: Value, default: BlockId, cases: Vec<(i64, BlockId)> },
    Return(Vec<(Type, Value)>),
    Unreachable,
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) body: Vec<Instruction>,
    pub(crate) end: End,
    pub(crate) line: usize,
    pub(crate) place: Option<Place>,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) id: Id,
    pub(crate) ty: Type,
    /// Points to memory that no other pointer reaches.
    pub(crate) noalias: bool,
    /// Is only read through.
    pub(crate) readonly: bool,
    /// Size and alignment of a structure that is passed itself.
    pub(crate) by_value: Option<(u64, u64)>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) kernel: bool,
    /// The scalars of the result.
    pub(crate) results: Vec<Type>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) blocks: Vec<Block>,
    /// Launch bounds as PTX directives: `.maxntid 128`.
    pub(crate) bounds: Vec<String>,
    /// The number of ids in use.
    pub(crate) ids: usize,
    /// The line in the IR.
    pub(crate) line: usize,
}

/// A function without a body.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) results: Vec<Type>,
    pub(crate) parameters: Vec<Type>,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) external: bool,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
    /// The initial bytes, unless all are zero.
    pub(crate) initial: Option<Vec<u8>>,
    /// Addresses within the initial bytes: the offset, and what is there.
    pub(crate) pointers: Vec<(usize, Symbol)>,
}

/// A module.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) globals: Vec<Global>,
    pub(crate) functions: Vec<Function>,
    pub(crate) declarations: Vec<Declaration>,
    /// Paths of source files; a place has their number from 1.
    pub(crate) files: Vec<String>,
    /// `sm_75`; empty if the IR does not say.
    pub(crate) target: String,
    /// `75` for PTX 7.5, 0 if the IR does not say.
    pub(crate) ptx: u32,
}
