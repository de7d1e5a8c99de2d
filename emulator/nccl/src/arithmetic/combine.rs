//! Element-wise operations on buffers of values.

use super::datatype::{Datatype, Reduction};
use super::element::{Element, Small};
use super::small_float::{Brain, E4M3, E5M2, Half};

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
            Datatype::F16 => $function::<Small<Half>>($($argument),*),
            Datatype::F32 => $function::<f32>($($argument),*),
            Datatype::F64 => $function::<f64>($($argument),*),
            Datatype::Bf16 => $function::<Small<Brain>>($($argument),*),
            Datatype::F8E4M3 => $function::<Small<E4M3>>($($argument),*),
            Datatype::F8E5M2 => $function::<Small<E5M2>>($($argument),*),
        }
    };
}

fn each<T: Element>(into: &mut [u8], function: impl Fn(T) -> T) {
    for place in into.chunks_exact_mut(T::BYTES) {
        function(T::load(place)).store(place);
    }
}

fn pairs<T: Element>(into: &mut [u8], from: &[u8], function: impl Fn(T, T) -> T) {
    for (place, other) in into.chunks_exact_mut(T::BYTES).zip(from.chunks_exact(T::BYTES)) {
        function(T::load(place), T::load(other)).store(place);
    }
}

fn combine_as<T: Element>(reduction: Reduction, into: &mut [u8], from: &[u8]) {
    match reduction {
        Reduction::Sum | Reduction::Average | Reduction::ScaledSum => pairs(into, from, T::sum),
        Reduction::Product => pairs(into, from, T::product),
        Reduction::Max => pairs(into, from, T::larger),
        Reduction::Min => pairs(into, from, T::smaller),
    }
}

fn scale_as<T: Element>(factor: [u8; 8], values: &mut [u8]) {
    let factor = T::load(&factor[..T::BYTES]);
    each(values, |value: T| value.product(factor));
}

fn divide_as<T: Element>(values: &mut [u8], ranks: usize) {
    each(values, |value: T| value.divided(ranks));
}

/// Reduces `from` into `into`.
pub(crate) fn combine(datatype: Datatype, reduction: Reduction, into: &mut [u8], from: &[u8]) {
    with_type!(datatype, combine_as(reduction, into, from));
}

/// Multiplies each value by a factor, which is the first bytes of `factor`.
pub(crate) fn scale(datatype: Datatype, factor: [u8; 8], values: &mut [u8]) {
    with_type!(datatype, scale_as(factor, values));
}

/// Divides each value by the number of ranks.
pub(crate) fn divide(datatype: Datatype, values: &mut [u8], ranks: usize) {
    with_type!(datatype, divide_as(values, ranks));
}
