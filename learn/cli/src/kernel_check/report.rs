//! The findings of a check, for programs.

use super::Check;
use super::causes::Cause;
use super::costs::Costs;
use super::output::Output;
use emulator::Diagnosis;
use judge::kernel_file::{Buffer, Part, shown};
use predict::{Limiter, RunEstimate};
use serde::Serialize;

/// The version of the document. A new field does not change it; a changed or removed one does.
pub const VERSION: u32 = 1;

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing could be run.
    #[default]
    Error,
    /// The kernel has findings, or a fault.
    Findings,
    /// It has none.
    Clean,
}

/// One run of a kernel.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub file: String,
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub status: Status,
    /// Why nothing could be run.
    pub error: Option<String>,
    /// The compiler's messages in the error.
    pub messages: Vec<Message>,
    /// The compiler; `None` for PTX.
    pub compiler: Option<String>,
    /// The parts of the file that were left out, as the host's.
    pub left_out: Vec<String>,
    pub warnings: Vec<String>,
    /// The output of the kernel's `printf`.
    pub printed: String,
    pub findings: Vec<Found>,
    /// The number of blocks that were checked for races and uninitialized memory, and that are counted, if not all were.
    pub checked_blocks: Option<u64>,
    pub estimate: Option<Estimated>,
    /// Why there is no estimate, if it was to be made.
    pub no_estimate_because: Option<String>,
    /// Lines that cost more than they must, the most expensive first.
    pub causes: Vec<Cause>,
    pub counts: Option<Costs>,
    /// The variables that `--print` names, after the launch.
    pub outputs: Vec<Output>,
    /// The buffers after the launch, each with its part, to compare them.
    #[serde(skip)]
    pub results: Vec<(Part, Buffer, Vec<u8>)>,
}

/// A message of a compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    pub file: String,
    pub line: u32,
    pub severity: String,
    pub text: String,
}

/// A finding or a fault.
#[derive(Debug, Serialize)]
pub struct Found {
    /// The line in the kernel's own file, from which a function of a header is called.
    pub file: Option<String>,
    pub line: u32,
    /// The element of an argument or of a variable in shared memory.
    pub element: Option<String>,
    #[serde(flatten)]
    pub diagnosis: Diagnosis,
}

/// An estimate, with the name of what it was made from.
#[derive(Debug, Serialize)]
pub struct Estimated {
    /// The range in nanoseconds.
    pub nanoseconds: (u64, u64),
    pub limited_by: &'static str,
    /// The unit that works longest.
    pub busiest_unit: &'static str,
    /// `62-110 µs`.
    pub text: String,
    #[serde(rename = "ESTIMATED_not_measured")]
    pub run: RunEstimate,
}

impl Estimated {
    pub fn new(run: RunEstimate) -> Self {
        let busiest_unit = run.launches.first().map_or("", |launch| launch.floors.busiest());
        Self { nanoseconds: run.band, limited_by: run.limited_by(), busiest_unit, text: run.band_text(), run }
    }

    /// Returns the limiter, with the busiest unit if warps wait for units: `issue (shared memory)`.
    pub fn limiter(&self) -> String {
        let is_of_units = [Limiter::Issue, Limiter::Memory].iter().any(|limiter| limiter.name() == self.limited_by);
        let unit = if is_of_units { format!(" ({})", self.busiest_unit) } else { String::new() };
        format!("{}{unit}", self.limited_by)
    }

    /// Returns whether instructions limit the kernel.
    pub fn is_limited_by_instructions(&self) -> bool {
        let is_of_pipes = ["issue slots", "arithmetic", "integers", "special functions"].contains(&self.busiest_unit);
        self.limited_by == Limiter::Issue.name() && is_of_pipes
    }
}

impl Report {
    /// Returns the report of a check that has not run.
    pub fn new(check: &Check) -> Self {
        let request = &check.request;
        let (file, kernel) = (request.file.display().to_string(), request.kernel.clone());
        Self { file, kernel, grid: request.grid, block: request.block, ..Self::default() }
    }

    /// Adds a finding. The line is that of its first place.
    pub fn add_finding(&mut self, diagnosis: &Diagnosis, element: Option<String>) {
        let (file, line) = diagnosis.sides.first().map_or((None, 0), |side| {
            let source = side.place.location.as_ref();
            source.map_or((None, side.place.line), |(file, line)| (Some(shown(file)), *line))
        });
        self.findings.push(Found { file, line, element, diagnosis: diagnosis.clone() });
    }

    /// Returns the causes that tell what could be saved.
    pub fn savings(&self) -> impl Iterator<Item = &Cause> {
        self.causes.iter().filter(|cause| cause.saves_percent > 0.0)
    }

    /// Notes why nothing could be run.
    pub fn fail(&mut self, error: &anyhow::Error) {
        let text = format!("{error:#}");
        self.messages = text.lines().filter_map(message).collect();
        self.error = Some(text);
    }
}

/// Parses a compiler's message: `kernel.cu(12): error: …` of NVRTC, `kernel.cu:12:3: error: …` of clang.
fn message(line: &str) -> Option<Message> {
    let (severity, at) = ["error", "warning"].into_iter().find_map(|severity| {
        let at = [format!(": {severity}: "), format!(": {severity} #"), format!(": fatal {severity}: ")];
        at.iter().find_map(|mark| line.find(mark.as_str())).map(|at| (severity, at))
    })?;
    let (place, text) = (&line[..at], line[at + 2..].split_once(": ")?.1);
    let (file, line) = match place.strip_suffix(')').and_then(|place| place.rsplit_once('(')) {
        Some((file, line)) => (file, line.parse().ok()?),
        None => {
            let (rest, last) = place.rsplit_once(':')?;
            let of_two = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
            of_two.or_else(|| Some((rest, last.parse().ok()?)))?
        }
    };
    // A context may stand before the first message: `kernel.cu: does not compile: kernel.cu(12)`.
    let file = file.rsplit(": ").next().unwrap_or(file);
    Some(Message { file: file.to_owned(), line, severity: severity.to_owned(), text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{Message, message};

    #[test]
    fn messages_of_both_compilers_have_file_and_line() {
        let of = |line| message(line).map(|Message { file, line, severity, text }| (file, line, severity, text));
        let expected =
            |file: &str, line, severity: &str, text: &str| Some((file.into(), line, severity.into(), text.into()));
        assert_eq!(of("a.cu(12): error: `x` is undefined"), expected("a.cu", 12, "error", "`x` is undefined"));
        assert_eq!(of("a.cu(12): error #20: x"), expected("a.cu", 12, "error", "x"));
        assert_eq!(of("./a b.cu:7:3: warning: unused: x"), expected("./a b.cu", 7, "warning", "unused: x"));
        assert_eq!(
            of("a.cu, compiled by clang: does not compile: a.cu:1:2: fatal error: 'y.h'"),
            expected("a.cu", 1, "error", "'y.h'")
        );
        assert_eq!(of("1 error detected in the compilation of \"a.cu\"."), None);
    }
}
