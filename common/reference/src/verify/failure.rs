//! Wrong results, in words.

use std::fmt;

/// One wrong result of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// An output with too few or too many values.
    Length {
        /// The output.
        output: String,
        /// The expected number of values.
        expected: usize,
        /// The number of values.
        got: usize,
    },
    /// A sample of the blocks wrote too few or too many values of an output.
    Part {
        /// The output.
        output: String,
        /// The expected number of values.
        expected: usize,
        /// The number of values.
        got: usize,
    },
    /// A value that the kernel did not write.
    Unwritten {
        /// The output.
        output: String,
        /// The index of the value.
        index: usize,
    },
    /// NaN or infinity.
    NotFinite {
        /// The output.
        output: String,
        /// The index of the value.
        index: usize,
        /// The value.
        got: f64,
    },
    /// A value further from the reference than rounding explains.
    TooFar {
        /// The output.
        output: String,
        /// The index of the value.
        index: usize,
        /// The reference.
        expected: f64,
        /// The value.
        got: f64,
        /// Largest difference accepted.
        tolerance: f64,
    },
    /// A law that the results as a whole break.
    Law {
        /// The law, in words.
        law: String,
        /// The deviation, with its bound.
        found: String,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { output, expected, got } => write!(f, "{output} has {got} values instead of {expected}"),
            Self::Part { output, expected, got } => {
                write!(
                    f,
                    "{output}: the blocks that ran wrote {got} values instead of {expected} (--all-blocks runs all)"
                )
            }
            Self::Unwritten { output, index } => write!(f, "{output}[{index}] was not written"),
            Self::NotFinite { output, index, got } => write!(f, "{output}[{index}] is {got}"),
            Self::TooFar { output, index, expected, got, tolerance } => write!(
                f,
                "{output}[{index}] is {got:e}, expected {expected:e}: the difference {:.3e} is above the tolerance \
                 {tolerance:.3e}",
                (got - expected).abs()
            ),
            Self::Law { law, found } => write!(f, "{law}: {found}"),
        }
    }
}
