//! The checks, in order, and the texts of their failures.

use crate::device::{Device, How, Outcome};
use crate::error::Error;
use crate::estimate::estimate;
use crate::found::Found;
use crate::kernel_file::{self, Detail, Sources};
use crate::set::{Case, Exercise, LaunchLine};
use crate::share::shares;
use crate::solution::{self, INSTRUCTION_BUDGET};
use crate::submission::Submission;
use crate::verdict::{Check, Verdict};
use crate::{required_counts, results};
use emulator::Diagnosis;

/// How many times as many instructions as the solution a learner's kernel may execute.
const BUDGET_FACTOR: u64 = 100;

/// The largest number of findings that are shown as headlines after the first.
const MAX_HEADLINES: usize = 5;

/// Judges a kernel as an answer to an exercise, in comparison with a solution in the same language.
///
/// # Errors
/// The card or the solution is invalid. Mistakes in the kernel are failures of the verdict instead.
pub fn judge(exercise: &Exercise, solution_kernel: &Submission, submission: &Submission) -> Result<Verdict, Error> {
    let verdict = Verdict::new(&exercise.card);
    let line = match submission.launch_line(exercise) {
        Ok(line) => line,
        Err(text) => return Ok(verdict.fails(Check::Runs, text)),
    };
    let mut runs = Vec::new();
    for case in &exercise.card.cases {
        let solution = solution::run(exercise, solution_kernel, case)?;
        let executed = solution.counts.get("warp_instructions").unwrap_or(&0);
        let budget = BUDGET_FACTOR * executed + INSTRUCTION_BUDGET / 1000;
        match run(exercise, submission, case, line, budget) {
            Ok(learners) => runs.push((case, learners, solution)),
            Err(text) => return Ok(verdict.fails(Check::Runs, in_case(exercise, case, text))),
        }
    }
    let fails = |check, case, text, learners: &Outcome| {
        verdict.clone().prints(&learners.printed).fails(check, in_case(exercise, case, text))
    };
    let mut sources = Sources::new(&submission.file).with(&submission.file, &submission.text);
    let texts: [(Check, FoundText); 2] = [(Check::Runs, fault_text), (Check::Findings, finding_text)];
    for (check, found_text) in texts {
        let mut launches_before = 0;
        for (case, learners, _) in &runs {
            if let Some((found, text)) = found_text(case, learners, &mut sources) {
                let found = Found { launch: launches_before + found.launch, ..found.clone() };
                return Ok(fails(check, case, text, learners).with_found(found));
            }
            launches_before += case.launches.len();
        }
    }
    for (case, learners, solution) in &runs {
        if let Some(text) = results::first_difference(case, learners, solution) {
            return Ok(fails(Check::Results, case, text, learners));
        }
    }
    let printed = runs.iter().map(|(_, learners, _)| &learners.printed).find(|printed| !printed.is_empty());
    let mut verdict = printed.map_or(verdict.clone(), |printed| verdict.prints(printed));
    // A set has no exercise without a case.
    let Some((_, learners, solution)) = runs.first() else { return Ok(verdict) };
    verdict.shares = shares(&exercise.card, &learners.counts, &solution.counts).into();
    verdict.estimate = estimate(exercise, solution_kernel, submission)?;
    required_counts::judge(exercise, submission, &learners.counts, verdict)
}

/// Runs a case under all checks. Before that, counts it without them, which ends sooner if the kernel does not end.
fn run(
    exercise: &Exercise,
    submission: &Submission,
    case: &Case,
    line: Option<LaunchLine>,
    budget: u64,
) -> Result<Outcome, String> {
    let run = |how| Device::prepare(&exercise.card, case, &submission.ptx)?.run(line, how);
    let plain = run(How::Counted(budget))?;
    match plain.fault {
        Some(fault) if fault.is_endless() => {
            let title = fault.diagnosis.title;
            Err(format!(
                "the kernel does not end, or executes over {BUDGET_FACTOR} times the solution's instructions\n  {title}"
            ))
        }
        _ => {
            let mut checked = run(How::Checked(budget))?;
            checked.counts = plain.counts;
            Ok(checked)
        }
    }
}

/// Appends the name of the case if the exercise has several.
fn in_case(exercise: &Exercise, case: &Case, text: String) -> String {
    if exercise.card.cases.len() == 1 { text } else { format!("{text}\n  case: {}", case.name) }
}

/// Returns the first fault or finding of a case with its text, if there is one.
type FoundText = for<'a> fn(&Case, &'a Outcome, &mut Sources) -> Option<(&'a Found, String)>;

fn fault_text<'a>(case: &Case, outcome: &'a Outcome, sources: &mut Sources) -> Option<(&'a Found, String)> {
    let fault = outcome.fault.as_ref()?;
    let mut text = kernel_file::text(&fault.diagnosis, sources, Detail::Source);
    if let Some(element) = fault.global_address().and_then(|address| outcome.element_near(case, address)) {
        text.push_str(&format!("\n  {element}"));
    }
    Some((fault, text))
}

/// Returns the first finding. The others, which often have the same cause, are headlines in its text.
fn finding_text<'a>(case: &Case, outcome: &'a Outcome, sources: &mut Sources) -> Option<(&'a Found, String)> {
    let (first, others) = outcome.findings.split_first()?;
    let mut text = kernel_file::text(&first.diagnosis, sources, Detail::Source);
    if let Some(element) = first.global_address().and_then(|address| outcome.element_at(case, address)) {
        text.push_str(&format!("\n  {element}"));
    }
    for other in others.iter().take(MAX_HEADLINES) {
        text.push_str(&format!("\n  also: {}", headline(&other.diagnosis)));
    }
    if let more @ 1.. = others.len().saturating_sub(MAX_HEADLINES) {
        text.push_str(&format!("\n  and {more} more finding{}", if more == 1 { "" } else { "s" }));
    }
    Some((first, text))
}

/// Returns a finding in one line, with the lines of source of its sides.
fn headline(diagnosis: &Diagnosis) -> String {
    let title = diagnosis.title.lines().next().unwrap_or_default();
    let mut lines: Vec<u32> =
        diagnosis.sides.iter().filter_map(|side| side.place.location.as_ref().map(|(_, line)| *line)).collect();
    lines.dedup();
    match lines[..] {
        [] => title.to_owned(),
        [line] => format!("{title}, line {line}"),
        _ => format!("{title}, lines {}", lines.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")),
    }
}
