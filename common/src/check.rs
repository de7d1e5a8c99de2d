//! `--check`: the kernels of a stage under the emulator's checks, at a size that takes seconds.
//!
//! Each kernel runs in a separate context, because a fault ends the context, as on hardware.

use crate::checked::Checked;
use crate::device::{Backend, DeviceChoice};
use crate::error::Error;
use crate::format::{WIDTH, plural, thousands};
use crate::kernel::FetchOffer;
use crate::options::{Languages, Options};
use crate::progress::Progress;
use crate::refusals::refuse;
use crate::report::{CheckRecord, Output};
use crate::session::Session;
use crate::stage::{Plan, Shape, Stage};
use crate::twin::left_out;
use emulator::{Side, Tool};
use std::fmt::Write;

/// The default of `--steps`: the second step starts from the results of the first.
const CHECKED_STEPS: u32 = 2;

/// The most findings printed per kernel; records have all of them.
const SHOWN: usize = 6;

/// The most columns printed of a source line.
const SOURCE_COLUMNS: usize = 84;

/// Checks the kernels that the options choose. Returns whether all are clean.
pub(crate) fn run(stage: &Stage, options: &Options, output: &mut Output) -> Result<bool, Error> {
    if options.device == DeviceChoice::Cuda {
        return Err(Error::Usage("--device cuda: --check runs on the emulator; omit --device".into()));
    }
    // Both languages by default.
    let chosen = Options { language: Some(options.language.unwrap_or(Languages::Both)), ..options.clone() };
    refuse(stage, options)?;
    let plans: Vec<Plan> = chosen
        .plans(stage, Backend::Emulator)?
        .iter()
        .map(|plan| at_checked_size(plan, options))
        .collect::<Result<_, _>>()?;
    let mut progress = Progress::start();
    let mut offer = FetchOffer::default();
    let mut all_clean = Vec::new();
    let mut has_race = false;
    output.say("Checks on the PTX emulator: memcheck, initcheck, racecheck, synccheck, and the results")?;
    let mut title = String::new();
    for (done, plan) in plans.iter().enumerate() {
        let checked = offer.retry(|| {
            progress.phase(format!("{} of {}: {}, {}", done + 1, plans.len(), plan.name(), plan.describe_size()));
            let checked = check(plan, options);
            progress.clear();
            checked
        });
        match checked {
            Ok((checked, notices)) => {
                if title != describe_problem(plan) {
                    title = describe_problem(plan);
                    output.say(&format!("\n{title}\n{}", line(&plans, "kernel", "grid x block", "result")))?;
                }
                if options.json {
                    output.json(&CheckRecord::new(stage, plan, &checked))?;
                }
                output.say(&describe(&plans, plan, &checked))?;
                notices.iter().try_for_each(|notice| output.say(&format!("Note: {notice}")))?;
                all_clean.push(checked.is_clean());
                has_race |= checked.findings.iter().any(|finding| finding.tool == Some(Tool::Racecheck));
            }
            Err(Error::NoCompiler { reason, .. }) if plan.in_rust && options.language.is_none() => {
                output.say(&left_out(plan, &reason))?;
            }
            Err(error) => return Err(error),
        }
    }
    let clean = all_clean.iter().filter(|&&clean| clean).count();
    let counted = plural(all_clean.len(), "kernel");
    let verb = if all_clean.len() == 1 { "is" } else { "are" };
    let reading = reading(clean == all_clean.len(), has_race);
    output.say(&format!("\n{clean} of {counted} {verb} clean{reading}"))?;
    Ok(clean == all_clean.len())
}

/// Checks one kernel in a new context. Returns notices about how the kernel was loaded, too.
fn check(plan: &Plan, options: &Options) -> Result<(Checked, Vec<String>), Error> {
    let mut session = Session::open(DeviceChoice::Emulator, options.compiler)?;
    session.device.set_block_budget(options.budget);
    Ok((session.check(plan)?, session.take_notices()))
}

/// Returns a line on the meaning of the findings, if there is one.
fn reading(all_clean: bool, has_race: bool) -> &'static str {
    match (all_clean, has_race) {
        (true, _) => "\nClean means that this size and these inputs reveal no mistake; try --n 1, 31 and 33 too.",
        (false, true) => {
            "\nA race may yield correct results, here and on most GPUs, as long as the timing happens to be right."
        }
        (false, false) => "",
    }
}

/// Returns the same kernel at the size for checks, unless the options choose the size.
fn at_checked_size<'a>(plan: &Plan<'a>, options: &Options) -> Result<Plan<'a>, Error> {
    let mut size = plan.size.clone();
    size.n = options.n.unwrap_or(plan.facts().checked_n);
    size.steps = size.steps.map(|_| options.steps.unwrap_or(CHECKED_STEPS));
    size.parameters = plan.facts().complete(&plan.facts().select_own(&options.parameters), true);
    let checked = Plan::new(plan.rung, size, Shape { grid: Some(plan.grid), block: plan.block })?;
    Ok(Plan { in_rust: plan.in_rust, ..checked })
}

/// `A  all-pairs forces, 1,000 bodies`
fn describe_problem(plan: &Plan) -> String {
    format!("{}  {}, {}", plan.facts().letter, plan.facts().title, plan.describe_size())
}

/// Returns a line of the table. Kernels are shown as soon as they are checked, so the widths follow from the plans.
fn line(plans: &[Plan], kernel: &str, shape: &str, result: &str) -> String {
    let kernels = plans.iter().map(|plan| plan.name().len()).max().unwrap_or(0);
    let shapes = plans.iter().map(|plan| describe_shape(plan).len()).max().unwrap_or(0).max("grid x block".len());
    format!("{kernel:<kernels$}  {shape:>shapes$}  {result}")
}

fn describe_shape(plan: &Plan) -> String {
    format!("{} x {}", thousands(plan.grid.into()), plan.block)
}

/// Describes a clean kernel in one line, and any other with its findings and their source lines.
fn describe(plans: &[Plan], plan: &Plan, checked: &Checked) -> String {
    let line = |result: &str| line(plans, &plan.name(), &describe_shape(plan), result);
    if checked.is_clean() {
        return line("clean");
    }
    let verdict = match (checked.findings.len(), &checked.report) {
        (0, _) => "WRONG RESULTS".to_owned(),
        (count, None) => format!("STOPPED, {}", plural(count, "finding")),
        (count, Some(report)) if report.passed() => plural(count, "finding"),
        (count, Some(_)) => format!("WRONG RESULTS, {}", plural(count, "finding")),
    };
    let mut text = line(&verdict);
    for finding in checked.findings.iter().take(SHOWN) {
        let tool = finding.tool.map_or("stopped".into(), |tool| tool.to_string());
        // Writing to a String does not fail.
        let title = format!("{tool}: {}", finding.title);
        let first_line = title.find('\n').unwrap_or(title.len());
        let title = if first_line + 2 > WIDTH { title.replacen("`: ", "`:\n    ", 1) } else { title };
        let _ = write!(text, "\n  {title}");
        finding.sides.iter().for_each(|side| text += &describe_side(plan, side));
    }
    if let Some(more @ 1..) = checked.findings.len().checked_sub(SHOWN) {
        let _ = write!(text, "\n  and {more} more: --json prints all");
    }
    for failure in checked.report.iter().flat_map(|report| &report.examples) {
        let _ = write!(text, "\n  results: {failure}");
    }
    text
}

/// Describes one side of a finding: thread, file, line, and the text of the line.
fn describe_side(plan: &Plan, side: &Side) -> String {
    let place = &side.place;
    let verb = if side.verb.is_empty() { String::new() } else { format!("{} ", side.verb) };
    let (file, text) = match &place.location {
        Some((file, line)) => source_line(plan, file, *line),
        None => (format!("PTX line {}", place.line), None),
    };
    let text: String = text.unwrap_or_else(|| place.instruction.clone()).chars().take(SOURCE_COLUMNS).collect();
    format!("\n    {verb}by thread {} of block {}, {file}\n      {text}", place.thread, place.block)
}

/// Returns the name and line of a file, shortened for the files of the kernel and its companion, and the text of the line.
fn source_line(plan: &Plan, file: &str, line: u32) -> (String, Option<String>) {
    let mut sources = std::iter::once(plan.source()).chain(plan.companion().map(|(source, _)| source));
    let Some(source) = sources.find(|source| file.ends_with(&source.name())) else {
        return (format!("{file}:{line}"), None);
    };
    let text = source.current_text();
    let text = text.lines().nth((line as usize).wrapping_sub(1)).map(|line| line.trim().to_owned());
    (format!("{}:{line}", source.name()), text)
}
