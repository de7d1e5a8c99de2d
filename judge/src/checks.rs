//! The checks, in order, and the texts of their failures.

use crate::device::{Device, How, Outcome};
use crate::error::Error;
use crate::kernel_file::{self, Detail, Sources};
use crate::set::{Case, Exercise, LaunchLine};
use crate::solution::{self, INSTRUCTION_BUDGET};
use crate::submission::Submission;
use crate::verdict::{Check, Verdict};
use crate::{required_counts, results};

/// How many times as many instructions as the solution a learner's kernel may execute.
const BUDGET_FACTOR: u64 = 100;

/// Judges a kernel as an answer to an exercise, in comparison with a solution in the same language.
///
/// # Errors
/// The card or the solution is invalid. Mistakes in the kernel are failures of the verdict instead.
pub fn judge(exercise: &Exercise, solution: &Submission, submission: &Submission) -> Result<Verdict, Error> {
    let verdict = Verdict::of(&exercise.card);
    let line = match submission.launch_line(exercise) {
        Ok(line) => line,
        Err(text) => return Ok(verdict.fails(Check::Runs, text)),
    };
    let mut runs = Vec::new();
    for case in &exercise.card.cases {
        let solution = solution::run(exercise, solution, case)?;
        let executed = solution.counts.get("warp_instructions").unwrap_or(&0);
        let budget = BUDGET_FACTOR * executed + INSTRUCTION_BUDGET / 1000;
        match run(exercise, submission, case, line, budget) {
            Ok(learners) => runs.push((case, learners, solution)),
            Err(text) => return Ok(verdict.fails(Check::Runs, in_case(exercise, case, text))),
        }
    }
    let fails = |check, case, text, learners: &Outcome| {
        let verdict = verdict.clone().prints(&learners.printed);
        Ok(verdict.fails(check, in_case(exercise, case, text)))
    };
    let mut sources = Sources::of(&submission.file).with(&submission.file, &submission.text);
    for (case, learners, _) in &runs {
        if let Some(text) = fault_text(case, learners, &mut sources) {
            return fails(Check::Runs, case, text, learners);
        }
    }
    for (case, learners, _) in &runs {
        if let Some(text) = finding_text(case, learners, &mut sources) {
            return fails(Check::Findings, case, text, learners);
        }
    }
    for (case, learners, solution) in &runs {
        if let Some(text) = results::first_difference(case, learners, solution) {
            return fails(Check::Results, case, text, learners);
        }
    }
    let printed = runs.iter().map(|(_, learners, _)| &learners.printed).find(|printed| !printed.is_empty());
    let verdict = printed.map_or(verdict.clone(), |printed| verdict.prints(printed));
    required_counts::judge(exercise, submission, line, verdict)
}

/// Runs a case under all checks. Before that, runs it without them, which ends sooner if the kernel does not end.
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
            Err(format!(
                "the kernel does not end, or executes over {BUDGET_FACTOR} times the solution's instructions\n  {title}"
            ))
        }
        _ => run(How::Checked { budget }),
    }
}

/// Appends the name of the case if the exercise has several.
fn in_case(exercise: &Exercise, case: &Case, text: String) -> String {
    if exercise.card.cases.len() == 1 { text } else { format!("{text}\n  case: {}", case.name) }
}

fn fault_text(case: &Case, outcome: &Outcome, sources: &mut Sources) -> Option<String> {
    let fault = outcome.fault.as_ref()?;
    let mut text = kernel_file::text(fault, sources, Detail::Source);
    if let Some(element) = address_in(&fault.title).and_then(|address| outcome.element_near(case, address)) {
        text.push_str(&format!("\n  {element}"));
    }
    Some(text)
}

/// Returns the address in the title of a fault.
fn address_in(title: &str) -> Option<u64> {
    let (_, rest) = title.split_once("global memory at 0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

/// Returns the text of the first finding. The others are only counted, because they often have the same cause.
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
