//! Verdicts: the first check that a kernel fails, its counts, and its time on a GPU.

use crate::count::Count;
use crate::estimate::Estimated;
use crate::found::Found;
use crate::set::Card;
use crate::share::Share;
use emulator::Printed;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt;

/// The largest number of lines of printed text in a verdict.
const MAX_PRINTED_LINES: usize = 32;

/// A check of a kernel. Checks are made in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// The file is the skeleton except between the markers, and reads no other file. Only `grade` makes this check, before the
    /// others.
    Refused,
    /// The kernel compiles.
    Compiles,
    /// It ends, without a fault.
    Runs,
    /// memcheck, initcheck, racecheck and synccheck find nothing.
    Findings,
    /// Its results are the solution's.
    Results,
    /// A count is within the card's limit with this index.
    Limits(usize),
}

impl Check {
    /// Returns the word that the text of a failure begins with.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Compiles => "compiles",
            Self::Runs => "runs",
            Self::Findings => "findings",
            Self::Results => "results",
            Self::Limits(_) => "limits",
        }
    }

    /// Returns the number of checks before this one.
    fn position(self) -> usize {
        match self {
            Self::Refused | Self::Compiles => 0,
            Self::Runs => 1,
            Self::Findings => 2,
            Self::Results => 3,
            Self::Limits(index) => 4 + index,
        }
    }
}

/// The verdict on a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The first check that fails, if any.
    pub failure: Option<Failure>,
    /// The counts that have limits or earn medals, if the earlier checks passed.
    pub counts: Vec<Count>,
    /// The work of a kernel that passes, as multiples of the solution's. It does not affect whether the kernel passes.
    pub shares: Vec<Share>,
    /// The estimated time of a kernel with the right results, if the card has a size for it. It does not affect the verdict.
    pub estimate: Option<Estimated>,
    /// The time on a GPU of a kernel that passes. It does not affect the verdict.
    pub gpu: Option<OnGpu>,
    /// The compiler's warnings. They do not affect the verdict.
    pub warnings: String,
    /// The reason why `grade` would refuse the file, if there is one. It does not affect this verdict.
    pub refusal: Option<String>,
    /// The text that the kernel printed in the case that fails, or in the first that prints. It does not affect the verdict.
    pub printed: String,
    checks: usize,
}

/// A failed check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The check.
    pub check: Check,
    /// The reason, with counts, threads and source lines.
    pub text: String,
    /// The number of checks that were not made because of this failure.
    pub checks_after: usize,
    /// The fault or the finding, if it is one.
    pub found: Option<Found>,
}

impl Verdict {
    /// Returns the verdict on a kernel that has passed all checks so far.
    #[must_use]
    pub fn new(card: &Card) -> Self {
        Self {
            failure: None,
            counts: Vec::new(),
            shares: Vec::new(),
            estimate: None,
            gpu: None,
            warnings: String::new(),
            refusal: None,
            printed: String::new(),
            checks: 4 + card.limits.len(),
        }
    }

    /// Returns the verdict on a file that is too large, for a reason from [`excess`](crate::kernel_file::excess).
    #[must_use]
    pub fn too_large(card: &Card, reason: &str) -> Self {
        Self::new(card).fails(Check::Compiles, format!("the file is too large: {reason}"))
    }

    /// Returns the verdict with a failed check.
    #[must_use]
    pub fn fails(self, check: Check, text: String) -> Self {
        let checks_after = self.checks - check.position() - 1;
        Self { failure: Some(Failure { check, text, checks_after, found: None }), ..self }
    }

    /// Returns the verdict with the fault or the finding that the failure is.
    pub(crate) fn with_found(mut self, found: Found) -> Self {
        self.failure.iter_mut().for_each(|failure| failure.found = Some(found.clone()));
        self
    }

    /// Returns the verdict with the text that the kernel printed, of which it keeps the first lines.
    #[must_use]
    pub(crate) fn prints(mut self, printed: &Printed) -> Self {
        let mut lines: Vec<String> = printed.loss().into_iter().collect();
        lines.extend(printed.text.lines().take(MAX_PRINTED_LINES).map(str::to_owned));
        if let more @ 1.. = printed.text.lines().count().saturating_sub(MAX_PRINTED_LINES) {
            lines.push(format!("and {more} more line{}", if more == 1 { "" } else { "s" }));
        }
        self.printed = lines.join("\n");
        self
    }

    /// Returns whether all checks passed.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.failure.is_none()
    }

    /// Returns that `grade` would refuse a file that passes, with the reason; `None` if it would not.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let reason = self.refusal.as_ref().filter(|_| self.is_passed())?;
        Some(format!("Solved, but `cargo learn grade` would refuse this file: {reason}"))
    }

    /// Returns whether the kernel passes with much more work than the solution.
    #[must_use]
    pub fn is_wasteful(&self) -> bool {
        self.is_passed() && self.shares.iter().any(Share::is_wasteful)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            Some(failure) => failure.fmt(f)?,
            None => {
                write!(f, "solved: it compiles, runs, is clean, and its results are correct")?;
                self.remark().iter().try_for_each(|remark| write!(f, "\n  {remark}"))?;
                self.counts.iter().try_for_each(|count| write!(f, "\n  {count}"))?;
                let mut wasteful = self.shares.iter().filter(|share| share.is_wasteful());
                wasteful.try_for_each(|share| write!(f, "\n  wasteful: {share}"))?;
                self.gpu.iter().try_for_each(|gpu| write!(f, "\n  {gpu}"))?;
            }
        }
        self.estimate.iter().try_for_each(|estimate| write!(f, "\n  {estimate}"))?;
        let texts = [("the compiler warns", &self.warnings), ("printed", &self.printed)];
        for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            write!(f, "\n{name}:")?;
            text.lines().try_for_each(|line| write!(f, "\n  {line}"))?;
        }
        Ok(())
    }
}

impl Failure {
    /// Returns the failure as JSON, with the word for its check.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        json!({"check": self.check.word(), "text": self.text, "checks_after": self.checks_after})
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check.word(), self.text)?;
        match self.checks_after {
            0 => Ok(()),
            1 => write!(f, "\n  1 more check after this one"),
            more => write!(f, "\n  {more} more checks after this one"),
        }
    }
}

/// The time on a GPU of a kernel that passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OnGpu {
    /// The kernel was timed.
    Timed {
        /// The name of the GPU.
        device: String,
        /// The median time of the launches of the first case, without copies.
        milliseconds: f64,
        /// The number of timed runs.
        runs: usize,
    },
    /// The kernel was not timed, for this reason.
    Not(String),
}

impl OnGpu {
    /// Returns the time, or the reason why there is none, as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::Timed { device, milliseconds, runs } => {
                json!({"device": device, "milliseconds": milliseconds, "runs": runs})
            }
            Self::Not(reason) => json!({"not_timed": reason}),
        }
    }
}

impl fmt::Display for OnGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timed { device, milliseconds, runs } => {
                let microseconds = 1e3 * milliseconds;
                write!(f, "{microseconds:.1} µs on {device} (median of {runs} runs; not part of the verdict)")
            }
            Self::Not(reason) => write!(f, "not timed on the GPU: {reason}"),
        }
    }
}
