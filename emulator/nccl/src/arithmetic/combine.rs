//! Element-wise operations on buffers of values.

use super::datatype::{Datatype, Reduction};
use super::element::Element;
use half::{bf16, f16};

/// Calls a function that is generic over [`Element`] with the type of a [`Datatype`].
macro_rules! with_type {
    ($datatype:expr, $function:ident($($argument:expr),*)) => {
        match $datatype {
            Datatype::I8 => $function::<i8>($($argument),*),
            Datatype::U8 => $function::<u8>($($argument),*),
            Datatype::I32 => $function::<i32>($($argument),*),
            Datatype::U32 => $function::<u32>($($argument),*),
            Datatype::I64 => $function::<i64>($($argument),*),
            Datatype::U64 => $function::<u64>($($argument),*),
            Datatype::F16 => $function::<f16>($($argument),*),
            Datatype::F32 => $function::<f32>($($argument),*),
            Datatype::F64 => $function::<f64>($($argument),*),
            Datatype::Bf16 => $function::<bf16>($($argument),*),
        }
    };
}

fn pairs<T: Element>(into: &mut [u8], from: &[u8], function: impl Fn(T, T) -> T) {
    for (place, other) in into.chunks_exact_mut(T::BYTES).zip(from.chunks_exact(T::BYTES)) {
        function(T::load(place), T::load(other)).store(place);
    }
}

fn combine_as<T: Element>(reduction: Reduction, into: &mut [u8], from: &[u8]) {
    match reduction {
        Reduction::Sum | Reduction::Average => pairs(into, from, T::sum),
        Reduction::Product => pairs(into, from, T::product),
        Reduction::Max => pairs(into, from, T::larger),
        Reduction::Min => pairs(into, from, T::smaller),
    }
}

fn divide_as<T: Element>(values: &mut [u8], ranks: usize) {
    for place in values.chunks_exact_mut(T::BYTES) {
        T::divide(T::load(place), ranks).store(place);
    }
}

/// Reduces `from` into `into`.
pub(crate) fn combine(datatype: Datatype, reduction: Reduction, into: &mut [u8], from: &[u8]) {
    with_type!(datatype, combine_as(reduction, into, from));
}

/// Divides each value by the number of ranks.
pub(crate) fn divide(datatype: Datatype, values: &mut [u8], ranks: usize) {
    with_type!(datatype, divide_as(values, ranks));
}
