//! The amount of work of a run, and the files that it writes.

use crate::verify::Report;

/// The amount of work of a run, from which its rate follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The units of a whole run that the [`Rate`](super::Rate) counts.
    pub amount: f64,
    /// Pair interactions of a whole run, of a body with itself too; `None` if there are no pairs.
    pub interactions: Option<f64>,
    /// Bytes that one launch of the kernel must move: each input read once, each output written once.
    pub bytes_needed_by_a_launch: f64,
}

impl Cost {
    /// Returns the amount of work of this many times as many steps.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let Self { amount, interactions, .. } = self;
        Self { amount: amount * factor, interactions: interactions.map(|all| all * factor), ..self }
    }
}

/// A file written by one of the problem's own options.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// The lines to print about it.
    pub lines: Vec<String>,
    /// The check of its contents.
    pub report: Report,
    /// Numbers for the record, by name.
    pub measured: Vec<(&'static str, f64)>,
}
