//! The operations of all tables, without their operands.

use super::asynchronous::Asynchronous;
use super::barrier::Barrier;
use super::carry::{Carry, CarryStep};
use super::cluster::Cluster;
use super::compare::{Compare, Test};
use super::convert::{Conversion, Convert};
use super::eighths::EighthPair;
use super::exchange::Exchange;
use super::float::{Float, FusedByDoubles};
use super::flow::Flow;
use super::half::{Half, HalfCompare, HalfPair, HalfSet};
use super::integer::Integer;
use super::logic::{Logic, Move, Select};
use super::matrix::Matrix;
use super::mbarrier::Mbarrier;
use super::memory::{Address, MemoryOperation};
use super::packed::Packed;
use super::rounding::Rounded;
use super::texture::Texture;
use super::warpgroup::Warpgroup;
use crate::vector::apply::{Handler, lanes2, lanes3};
use crate::vector::simd::Simd;

/// The operation of an instruction. The variants differ in how operands are resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    /// One result, and the sources of the row.
    Arithmetic(Arithmetic),
    /// One or two predicates as results, and an optional predicate as last source.
    Comparison(Arithmetic),
    /// A move, also between a register and a vector of its parts.
    Move(Move),
    /// A conversion, whose registers may be wider than its types.
    Conversion(Arithmetic),
    /// Arithmetic with the condition code as an implicit operand.
    Carry(Carry),
    Memory(MemoryOperation),
    Flow(Flow),
    Barrier(Barrier),
    Cluster(Cluster),
    Exchange(Exchange),
    Asynchronous(Asynchronous),
    Mbarrier(Mbarrier),
    Matrix(Matrix),
    Texture(Texture),
    Warpgroup(Warpgroup),
}

/// An instruction that processes each lane independently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Arithmetic {
    Integer(Integer),
    Logic(Logic),
    Move(Move),
    Select(Select),
    Compare(Compare),
    Test(Test),
    Float(Float),
    Rounded(Rounded),
    Convert(Convert),
    Conversion(Conversion),
    Carry(CarryStep),
    Half(Half),
    HalfCompare(HalfCompare),
    HalfSet(HalfSet),
    HalfPair(HalfPair),
    EighthPair(EighthPair),
    Packed(Packed),
    Address(Address),
}

impl Arithmetic {
    /// Returns the function that executes this instruction on this processor.
    pub(crate) fn handler(self, simd: Simd) -> Handler {
        match self {
            Self::Integer(operation) => operation.handler(simd),
            Self::Logic(operation) => operation.handler(simd),
            Self::Move(operation) => operation.handler(simd),
            Self::Select(operation) => operation.handler(simd),
            Self::Compare(operation) => operation.handler(simd),
            Self::Test(operation) => operation.handler(simd),
            Self::Float(Float::Fma32 | Float::Mad32) if !simd.has_fma() => Box::new(FusedByDoubles),
            Self::Float(operation) => operation.handler(simd),
            Self::Convert(operation) => operation.handler(simd),
            Self::Address(operation) => operation.handler(simd),
            Self::Rounded(operation) => operation.handler(),
            Self::Conversion(operation) => operation.handler(),
            Self::Carry(operation) => operation.handler(),
            Self::Half(operation) => operation.handler(),
            Self::HalfCompare(operation) => lanes2(move |a, b| operation.apply(a, b)),
            Self::HalfSet(operation) => lanes2(move |a, b| operation.apply(a, b)),
            Self::HalfPair(operation) => lanes2(move |a, b| operation.apply(a, b)),
            Self::EighthPair(operation) => lanes2(move |a, b| operation.apply(a, b)),
            Self::Packed(operation) => lanes3(move |a, b, c| operation.apply(a, b, c)),
        }
    }
}

/// Converts the operations of each table to [`Operation`].
macro_rules! operations {
    ($($table:ident => $($operation:ident)::+),+ $(,)?) => {
        $(impl From<$table> for Operation {
            fn from(operation: $table) -> Self {
                operations!(operation, $table, $($operation)::+)
            }
        })+
    };
    ($value:ident, $table:ident, Direct::$operation:ident) => { Self::$operation($value) };
    ($value:ident, $table:ident, $operation:ident) => { Self::$operation(Arithmetic::$table($value)) };
}

operations! {
    Integer => Arithmetic,
    Logic => Arithmetic,
    Select => Arithmetic,
    Compare => Comparison,
    Test => Arithmetic,
    Float => Arithmetic,
    Rounded => Arithmetic,
    Convert => Conversion,
    Conversion => Conversion,
    Half => Arithmetic,
    HalfCompare => Comparison,
    HalfSet => Arithmetic,
    HalfPair => Arithmetic,
    EighthPair => Arithmetic,
    Packed => Arithmetic,
    Address => Arithmetic,
    Move => Direct::Move,
    Carry => Direct::Carry,
    MemoryOperation => Direct::Memory,
    Flow => Direct::Flow,
    Barrier => Direct::Barrier,
    Cluster => Direct::Cluster,
    Exchange => Direct::Exchange,
    Asynchronous => Direct::Asynchronous,
    Mbarrier => Direct::Mbarrier,
    Matrix => Direct::Matrix,
    Texture => Direct::Texture,
    Warpgroup => Direct::Warpgroup,
}
