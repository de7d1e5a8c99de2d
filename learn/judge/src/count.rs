//! A count of a kernel with its limits.

use crate::counters::group_digits;
use crate::set::{Limit, Medal, Score};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A count of a learner's kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// The name: `global load sectors / global load requests`.
    pub what: String,
    /// The value.
    pub value: f64,
    /// The largest value allowed.
    pub most: Option<f64>,
    /// The smallest value allowed.
    pub least: Option<f64>,
    /// The medal that the value earns.
    pub medal: Option<Medal>,
}

impl Count {
    /// Returns the count that a limit applies to.
    pub(crate) fn from_limit(limit: &Limit, value: f64) -> Self {
        let what = name(&limit.count, limit.per.as_deref());
        Self { what, value, most: limit.most, least: limit.least, medal: None }
    }

    /// Returns the count that earns medals.
    pub(crate) fn from_score(score: &Score, value: f64) -> Self {
        let what = name(&score.count, score.per.as_deref());
        Self { what, value, most: None, least: None, medal: score.medal(value) }
    }

    /// Returns whether the value is within its limits.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.most.is_none_or(|most| self.value <= most) && self.least.is_none_or(|least| self.value >= least)
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, group_digits(self.value))?;
        if let Some(most) = self.most {
            write!(f, " (at most {})", group_digits(most))?;
        }
        if let Some(least) = self.least {
            write!(f, " (at least {})", group_digits(least))?;
        }
        match self.medal {
            Some(medal) => write!(f, ": {}", format!("{medal:?}").to_lowercase()),
            None => Ok(()),
        }
    }
}

/// Returns the name of a count or a quotient of counts: `global load sectors / global load requests`.
fn name(count: &str, per: Option<&str>) -> String {
    let name = |count: &str| match count.strip_prefix("ptx ") {
        Some(word) => format!("PTX instructions with {word}"),
        None => count.replace('_', " ").replace("classes.", "warp instructions of class "),
    };
    per.map_or_else(|| name(count), |per| format!("{} / {}", name(count), name(per)))
}
