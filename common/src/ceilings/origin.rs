//! The origin of a GPU's rates: a record, this run, or an earlier one.

use serde::{Deserialize, Serialize};
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

/// The GPU on which rates were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RatesBy {
    /// One of the same name, whose record is in `results`.
    #[default]
    Record,
    /// The GPU of the run itself, in about a second.
    Measured,
}

impl RatesBy {
    /// Returns whether the rates are those of the record.
    #[must_use]
    pub fn is_record(&self) -> bool {
        *self == Self::Record
    }
}

impl Origin {
    /// Returns the GPU on which the rates were measured.
    #[must_use]
    pub fn rates_by(&self) -> RatesBy {
        if matches!(self, Self::Record(_)) { RatesBy::Record } else { RatesBy::Measured }
    }
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
