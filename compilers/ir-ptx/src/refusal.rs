//! Refusals: unsupported constructs, with their lines.

use std::fmt;

/// A construct of the IR that has no translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The line in the IR, from 1.
    pub line: usize,
    /// The name of the construct: an instruction, an intrinsic function or a type, with what is special about it.
    pub construct: String,
    /// The file and line of the kernel that it comes from, if the IR says so.
    pub source: Option<(String, u32)>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {} of the IR", self.line)?;
        if let Some((file, line)) = &self.source {
            write!(formatter, " ({file}:{line})")?;
        }
        write!(formatter, ": {} is not supported", self.construct)
    }
}

/// Everything in a module that has no translation, in the order of its lines; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusals(pub Vec<Refusal>);

impl fmt::Display for Refusals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Refusal::to_string).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Refusals {}
