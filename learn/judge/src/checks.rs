//! The checks, in order, and the texts of their failures.

use crate::device::{How, Outcome};
use crate::error::Error;
use crate::estimate::estimate;
use crate::found::Found;
use crate::kernel_file::{self, Detail, Sources};
use crate::names::Names;
use crate::set::{Case, Exercise};
use crate::share::shares;
use crate::solution::{self, INSTRUCTION_BUDGET};
use crate::submission::Submission;
use crate::verdict::{Check, Verdict};
use crate::{required_counts, results, unset};
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
    let mut runs = Vec::new();
    for case in &exercise.card.cases {
        let solution = solution::run(exercise, solution_kernel, case)?;
        match run(exercise, submission, case, budget(&solution)) {
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
            let names = Names::of(exercise, submission, case);
            if let Some((found, text)) = found_text(case, &names, learners, &mut sources) {
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
    if let Some(unset) = unset::poisoned(&submission.ptx) {
        let other = Submission { ptx: unset.ptx, ..submission.clone() };
        for (case, learners, solution) in &runs {
            let again = run_counted(exercise, &other, case, budget(learners));
            if again.is_none_or(|again| results::first_difference(case, &again, solution).is_some()) {
                return Ok(fails(Check::Findings, case, unset_text(submission, unset.line), learners));
            }
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

/// Returns the number of warp instructions that a kernel may execute in comparison with another.
fn budget(other: &Outcome) -> u64 {
    BUDGET_FACTOR * other.counts.get("warp_instructions").unwrap_or(&0) + INSTRUCTION_BUDGET / 1000
}

/// Runs a case without checks; `None` if it does not run to its end.
fn run_counted(exercise: &Exercise, submission: &Submission, case: &Case, budget: u64) -> Option<Outcome> {
    let ran = submission.try_run(exercise, case, How::Counted(budget));
    ran.ok().filter(|outcome| outcome.fault.is_none())
}

/// Returns the text about a variable without a value that is read in a line.
fn unset_text(submission: &Submission, line: Option<usize>) -> String {
    let text = "a variable is read before it has a value, and the results depend on it: they are right by accident";
    let source = line.and_then(|line| Some((line, submission.text.lines().nth(line.checked_sub(1)?)?.trim())));
    let place = source.map(|(line, source)| format!("\n    {}:{line}: {source}", submission.file.display()));
    format!("{text}{}", place.unwrap_or_default())
}

/// Runs a case under all checks. Before that, counts it without them, which ends sooner if the kernel does not end.
fn run(exercise: &Exercise, submission: &Submission, case: &Case, budget: u64) -> Result<Outcome, String> {
    let run = |how| submission.try_run(exercise, case, how);
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
type FoundText = for<'a> fn(&Case, &Names<'_>, &'a Outcome, &mut Sources) -> Option<(&'a Found, String)>;

fn fault_text<'a>(
    case: &Case,
    names: &Names<'_>,
    outcome: &'a Outcome,
    sources: &mut Sources,
) -> Option<(&'a Found, String)> {
    let fault = outcome.fault.as_ref()?;
    let mut text = kernel_file::text(&fault.diagnosis, sources, Detail::Source);
    if let Some((name, element)) = fault.global_address().and_then(|address| outcome.element_near(case, address)) {
        let count = case.buffers.get(name).map_or(0, |buffer| buffer.0.count);
        let past = if (0..count as i64).contains(&element) { String::new() } else { format!(", which has {count}") };
        text.push_str(&format!("\n  element {element} of {}{past}", names.own(name)));
    }
    Some((fault, text))
}

/// Returns the first finding. The others, which often have the same cause, are headlines in its text, each once.
fn finding_text<'a>(
    case: &Case,
    names: &Names<'_>,
    outcome: &'a Outcome,
    sources: &mut Sources,
) -> Option<(&'a Found, String)> {
    let (first, others) = outcome.findings.split_first()?;
    let mut text = kernel_file::text(&first.diagnosis, sources, Detail::Source);
    if let Some((name, element)) = first.global_address().and_then(|address| outcome.element_near(case, address))
        && case.buffers.get(name).is_some_and(|buffer| (0..buffer.0.count as i64).contains(&element))
    {
        text.push_str(&format!("\n  element {element} of {}", names.own(name)));
    }
    if let Some(element) = first.shared_address().and_then(|address| {
        let (name, byte) = outcome.shared_at(address)?;
        kernel_file::element_in_source(names.text, name, byte)
    }) {
        text.push_str(&format!("\n  element {element}"));
    }
    let mut headlines = vec![headline(&first.diagnosis)];
    for other in others {
        let headline = headline(&other.diagnosis);
        if !headlines.contains(&headline) {
            headlines.push(headline);
        }
    }
    for headline in &headlines[1..headlines.len().min(1 + MAX_HEADLINES)] {
        text.push_str(&format!("\n  also: {headline}"));
    }
    if let more @ 1.. = headlines.len().saturating_sub(1 + MAX_HEADLINES) {
        text.push_str(&format!("\n  and {more} more finding{}", if more == 1 { "" } else { "s" }));
    }
    Some((first, text))
}

/// Returns a finding in one line, with the lines of source of its sides.
fn headline(diagnosis: &Diagnosis) -> String {
    let title = diagnosis.title.lines().next().unwrap_or_default();
    let mut lines: Vec<u32> =
        diagnosis.sides.iter().filter_map(|side| side.place.location.as_ref().map(|(_, line)| *line)).collect();
    // Line 0 is what a compiler gives to instructions that come from several lines.
    lines.retain(|&line| line != 0);
    lines.dedup();
    match lines[..] {
        [] => title.to_owned(),
        [line] => format!("{title}, line {line}"),
        _ => format!("{title}, lines {}", lines.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")),
    }
}
