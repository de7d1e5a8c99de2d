//! The answer to a kernel: the first check that fails, and counts.

use super::Count;
use crate::set::Card;
use crate::worker::OnGpu;
use serde::{Deserialize, Serialize};

/// What a kernel is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// The compiler takes it.
    Compiles,
    /// It ends, without a fault.
    Runs,
    /// memcheck, initcheck, racecheck and synccheck find nothing.
    Findings,
    /// Its results are those of the solution.
    Results,
    /// A count is within this limit of the card.
    Limits(usize),
}

impl Check {
    /// As a line begins with it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Compiles => "compiles",
            Self::Runs => "runs",
            Self::Findings => "findings",
            Self::Results => "results",
            Self::Limits(_) => "limits",
        }
    }

    /// How many checks come before it.
    fn position(self) -> usize {
        match self {
            Self::Compiles => 0,
            Self::Runs => 1,
            Self::Findings => 2,
            Self::Results => 3,
            Self::Limits(index) => 4 + index,
        }
    }
}

/// The answer to a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The first check that fails.
    pub failure: Option<Failure>,
    /// Counts against limits, as far as they were taken.
    pub counts: Vec<Count>,
    /// The time on a GPU, of a kernel that passes; nothing is judged by it.
    pub gpu: Option<OnGpu>,
    checks: usize,
}

/// A check that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which.
    pub check: Check,
    /// Why, with counts, threads and lines.
    pub text: String,
    /// How many come after it.
    pub checks_after: usize,
}

impl Verdict {
    /// That of a kernel that has passed so far.
    pub(crate) fn of(card: &Card) -> Self {
        Self { failure: None, counts: Vec::new(), gpu: None, checks: 4 + card.limits.len() }
    }

    /// With the check that fails.
    pub(crate) fn fails(self, check: Check, text: String) -> Self {
        let checks_after = self.checks - check.position() - 1;
        Self { failure: Some(Failure { check, text, checks_after }), ..self }
    }

    /// Whether all checks are passed.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.failure.is_none()
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.check.word(), self.text)?;
        match self.checks_after {
            0 => Ok(()),
            1 => write!(f, "\n  1 more check after this one"),
            more => write!(f, "\n  {more} more checks after this one"),
        }
    }
}
