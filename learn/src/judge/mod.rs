//! What a learner's kernel is judged by, in this order: it compiles, it runs, checks find nothing, its results are the
//! solution's, its counts are within the limits.
//!
//! What the checks find comes before wrong results: a race or a read of uninitialized memory is the reason of
//! a wrong value, and names a line. Whoever sees the value first looks for a mistake in the arithmetic.

mod counts;
mod device;
mod limits;
mod results;
mod show;
mod submission;
mod verdict;

pub use limits::Count;
pub use show::{Shown, counted, shown};
pub use submission::{Submission, compile, ready};
pub use verdict::{Check, Failure, Verdict};

use crate::error::Error;
use crate::set::{Case, Exercise, LaunchLine, Role};
use device::{Device, How, Outcome};
use emulator::Diagnosis;
use kernel_file::{Detail, Language, Sources};
use std::collections::BTreeMap;

/// Warp instructions that a solution may execute in one case.
const SOLUTION_BUDGET: u64 = 1_000_000_000;

/// How many times as many as the solution a learner's kernel may execute.
const BUDGET_FACTOR: u64 = 100;

/// About how many characters of those who wait for each other are shown.
const FIRST_WAITERS: usize = 80;

/// Judges a kernel of an exercise.
///
/// # Errors
/// The set is not what it should be, or there is no compiler: nothing that the learner could change in the kernel.
pub fn judge(exercise: &Exercise, submission: &Submission) -> Result<Verdict, Error> {
    let verdict = Verdict::of(&exercise.card);
    let line = match exercise.card.launch_line.then(|| LaunchLine::of(&submission.text)).transpose() {
        Ok(line) => line,
        Err(text) => return Ok(verdict.fails(Check::Runs, text)),
    };
    let mut runs = Vec::new();
    for case in &exercise.card.cases {
        let solution = solution_of(exercise, submission.language, case)?;
        let budget = BUDGET_FACTOR * solution.counts.get("warp_instructions").unwrap_or(&0) + SOLUTION_BUDGET / 1000;
        match run(exercise, submission, case, line, budget) {
            Ok(learners) => runs.push((case, learners, solution)),
            Err(text) => return Ok(verdict.fails(Check::Runs, in_case(exercise, case, text))),
        }
    }
    let fails = |check, case, text| Ok(verdict.clone().fails(check, in_case(exercise, case, text)));
    let mut sources = Sources::of(&submission.file);
    for (case, learners, _) in &runs {
        if let Some(text) = fault_text(case, learners, &mut sources) {
            return fails(Check::Runs, case, text);
        }
    }
    for (case, learners, _) in &runs {
        if let Some(text) = finding_text(case, learners, &mut sources) {
            return fails(Check::Findings, case, text);
        }
    }
    for (case, learners, solution) in &runs {
        if let Some(text) = results::difference(case, learners, solution) {
            return fails(Check::Results, case, text);
        }
    }
    limits::judge(exercise, submission, line, verdict)
}

/// Runs a case without checks first, which is over soon where the kernel never ends, and then under checks.
fn run(
    exercise: &Exercise,
    submission: &Submission,
    case: &Case,
    line: Option<LaunchLine>,
    budget: u64,
) -> Result<Outcome, String> {
    let run = |how| Device::prepare(&exercise.card, case, &submission.ptx)?.run(line, how);
    let plain = run(How::Counted { budget })?;
    match plain.fault {
        Some(fault) if fault.title.starts_with("instruction budget") => {
            let title = fault.title;
            Err(format!("the kernel does not end, or does {BUDGET_FACTOR} times the work of the solution\n  {title}"))
        }
        _ => run(How::Checked { budget }),
    }
}

/// What the solution leaves in the buffers that a case compares, as numbers.
///
/// # Errors
/// The set is not what it should be, or there is no compiler.
pub fn solve(exercise: &Exercise, language: Language, case: &Case) -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let outcome = solution_of(exercise, language, case)?;
    let numbers = |(name, bytes): (String, Vec<u8>)| {
        let values = case.buffers.get(&name).map_or_else(Vec::new, |buffer| buffer.0.numbers(&bytes));
        (name, values)
    };
    Ok(outcome.results.into_iter().map(numbers).collect())
}

/// What the solution makes of a case's inputs.
fn solution_of(exercise: &Exercise, language: Language, case: &Case) -> Result<Outcome, Error> {
    let file = exercise.source_file(&Role::Solution, language);
    let text = exercise.source(&Role::Solution, language)?;
    let wrong = |reason: String| Error::Set { path: file.clone(), reason };
    let ptx = match exercise.prebuilt(&Role::Solution, language, &text) {
        Some(ptx) => ptx,
        None => compile(&file, language, &text)?.map_err(wrong)?,
    };
    let line = exercise.card.launch_line.then(|| LaunchLine::of(&text)).transpose().map_err(wrong)?;
    let device = Device::prepare(&exercise.card, case, &ptx).map_err(wrong)?;
    let outcome = device.run(line, How::Counted { budget: SOLUTION_BUDGET }).map_err(wrong)?;
    match outcome.fault {
        Some(fault) => Err(wrong(fault.title)),
        None => Ok(outcome),
    }
}

/// A text, with the case that it is about where there are several.
fn in_case(exercise: &Exercise, case: &Case, text: String) -> String {
    if exercise.card.cases.len() == 1 { text } else { format!("{text}\n  case: {}", case.name) }
}

fn fault_text(case: &Case, outcome: &Outcome, sources: &mut Sources) -> Option<String> {
    let fault = outcome.fault.as_ref()?;
    let shortened = Diagnosis { title: shortened(&fault.title), ..fault.clone() };
    let mut text = kernel_file::text(&shortened, sources, Detail::Source);
    if let Some(element) = address_in(&fault.title).and_then(|address| outcome.element_near(case, address)) {
        text.push_str(&format!("\n  {element}"));
    }
    Some(text)
}

/// A deadlock names all who wait: the first few are enough for a learner.
fn shortened(title: &str) -> String {
    let Some((first, rest)) = title.split_once(": block ") else { return title.to_owned() };
    match rest.match_indices(", ").map(|(place, _)| place).find(|place| *place > FIRST_WAITERS) {
        Some(place) => format!("{first}: block {} …", &rest[..place]),
        None => title.to_owned(),
    }
}

/// The address in a fault's words, which say it in hexadecimal.
fn address_in(title: &str) -> Option<u64> {
    let (_, rest) = title.split_once("global memory at 0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

/// The first finding alone: others are often of the same mistake.
fn finding_text(case: &Case, outcome: &Outcome, sources: &mut Sources) -> Option<String> {
    let (diagnosis, address) = outcome.findings.first()?;
    let mut text = kernel_file::text(diagnosis, sources, Detail::Source);
    if let Some(element) = address.and_then(|address| outcome.element_at(case, address)) {
        text.push_str(&format!("\n  {element}"));
    }
    if let more @ 1.. = outcome.findings.len() - 1 {
        text.push_str(&format!("\n  and {more} more finding{}", if more == 1 { "" } else { "s" }));
    }
    Some(text)
}
