//! Where the rates of a GPU are from.

use std::fmt;

/// The source of a GPU's rates.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The record of a GPU of the same name, in this folder of `results`.
    Record(String),
    /// This run, which took so many seconds for it.
    Measured(f64),
    /// An earlier run on this GPU, at this time.
    Kept(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Peak rates of its units: ")?;
        match self {
            Self::Record(folder) => write!(f, "recorded, results/{folder} (--measure-limits measures them here)"),
            Self::Measured(seconds) => write!(f, "measured now, in {seconds:.1} s"),
            Self::Kept(date) => {
                let day = date.split('T').next().unwrap_or_default();
                write!(f, "measured on {day} (--measure-limits measures again)")
            }
        }
    }
}
