//! NCCL's data types and reductions.

use crate::result::{NcclResult, Outcome};
use serde::{Deserialize, Serialize};
use std::ffi::c_int;
use std::fmt::{Display, Formatter, Result};

/// `ncclDataType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Datatype {
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    Bf16,
}

impl Datatype {
    /// All data types, in the order of their numbers.
    const ALL: [Self; 10] =
        [Self::I8, Self::U8, Self::I32, Self::U32, Self::I64, Self::U64, Self::F16, Self::F32, Self::F64, Self::Bf16];

    /// Returns the data type with a number. Fails for an unknown number.
    pub(crate) fn from_number(number: c_int) -> Outcome<Self> {
        let found = usize::try_from(number).ok().and_then(|number| Self::ALL.get(number));
        let unknown = || NcclResult::INVALID_ARGUMENT.because(format!("data type {number}: must be 0 to 9"));
        found.copied().ok_or_else(unknown)
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

impl Display for Datatype {
    fn fmt(&self, to: &mut Formatter) -> Result {
        to.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// `ncclRedOp_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reduction {
    Sum,
    Product,
    Max,
    Min,
    /// The sum divided by the number of ranks.
    Average,
}

impl Reduction {
    /// Returns the reduction with a number. Fails for an unknown number.
    pub(crate) fn from_number(number: c_int) -> Outcome<Self> {
        let all = [Self::Sum, Self::Product, Self::Max, Self::Min, Self::Average];
        let found = usize::try_from(number).ok().and_then(|number| all.get(number));
        let unknown = || NcclResult::INVALID_ARGUMENT.because(format!("reduction {number}: must be 0 to 4"));
        found.copied().ok_or_else(unknown)
    }
}

impl Display for Reduction {
    fn fmt(&self, to: &mut Formatter) -> Result {
        to.write_str(match self {
            Self::Sum => "sum",
            Self::Product => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::Average => "avg",
        })
    }
}
