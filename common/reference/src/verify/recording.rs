//! A record of the values that a comparison compares, from which others can repeat it.

use super::bound::Expected;
use std::cell::RefCell;

/// A value with its expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The name of the output.
    pub output: String,
    /// The bits of the value: a float, or an integer that must be equal.
    pub bits: u32,
    /// Whether it is an integer.
    pub is_integer: bool,
    /// The expectation.
    pub expected: Expected,
}

thread_local! {
    /// The values compared in this thread since the record began; none if there is no record.
    static RECORD: RefCell<Option<Vec<Compared>>> = const { RefCell::new(None) };
}

/// Returns the result of `compare`, and the values that it compared in this thread, in their order.
pub fn recorded<T>(compare: impl FnOnce() -> T) -> (T, Vec<Compared>) {
    RECORD.set(Some(Vec::new()));
    let result = compare();
    (result, RECORD.take().unwrap_or_default())
}

/// Returns whether the values that this thread compares are recorded.
pub(super) fn is_recording() -> bool {
    RECORD.with_borrow(Option::is_some)
}

/// Adds a value to the record, if there is one.
pub(super) fn record(output: &str, bits: u32, is_integer: bool, expected: Expected) {
    RECORD.with_borrow_mut(|record| {
        if let Some(values) = record {
            values.push(Compared { output: output.to_owned(), bits, is_integer, expected });
        }
    });
}
