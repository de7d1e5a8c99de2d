//! NCCL's data types and reductions.

use super::element::Element;
use crate::result::{NcclResult, Outcome};
use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use std::ffi::c_int;
use std::fmt::{Display, Formatter, Result};

/// Defines [`Datatype`] by the names of its types, in the order of their numbers, and by their elements.
macro_rules! datatypes {
    ($($name:ident: $element:ty,)*) => {
        /// `ncclDataType_t`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub(crate) enum Datatype {
            $($name,)*
        }

        impl Datatype {
            const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the size of an element in bytes.
            pub(crate) fn bytes(self) -> u64 {
                match self {
                    $(Self::$name => size_of::<$element>() as u64,)*
                }
            }

            /// Reduces `from` into `into`.
            pub(crate) fn combine(self, reduction: Reduction, into: &mut [u8], from: &[u8]) {
                match self {
                    $(Self::$name => combine::<$element>(reduction, into, from),)*
                }
            }

            /// Divides each value by the number of ranks.
            pub(crate) fn divide(self, values: &mut [u8], ranks: usize) {
                match self {
                    $(Self::$name => divide::<$element>(values, ranks),)*
                }
            }
        }
    };
}

datatypes! {
    I8: i8,
    U8: u8,
    I32: i32,
    U32: u32,
    I64: i64,
    U64: u64,
    F16: f16,
    F32: f32,
    F64: f64,
    Bf16: bf16,
}

impl Datatype {
    /// Returns the data type with a number. Fails for an unknown number.
    pub(crate) fn from_number(number: c_int) -> Outcome<Self> {
        let found = usize::try_from(number).ok().and_then(|number| Self::ALL.get(number));
        let unknown = || NcclResult::INVALID_ARGUMENT.because(format!("data type {number}: must be 0 to 9"));
        found.copied().ok_or_else(unknown)
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

fn combine<T: Element>(reduction: Reduction, into: &mut [u8], from: &[u8]) {
    match reduction {
        Reduction::Sum | Reduction::Average => pairs(into, from, T::sum),
        Reduction::Product => pairs(into, from, T::product),
        Reduction::Max => pairs(into, from, T::larger),
        Reduction::Min => pairs(into, from, T::smaller),
    }
}

fn pairs<T: Element>(into: &mut [u8], from: &[u8], function: impl Fn(T, T) -> T) {
    for (place, other) in into.chunks_exact_mut(T::BYTES).zip(from.chunks_exact(T::BYTES)) {
        function(T::load(place), T::load(other)).store(place);
    }
}

fn divide<T: Element>(values: &mut [u8], ranks: usize) {
    for place in values.chunks_exact_mut(T::BYTES) {
        T::divide(T::load(place), ranks).store(place);
    }
}
