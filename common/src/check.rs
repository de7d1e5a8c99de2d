//! `--check`: the kernels of a stage under the emulator's checks, at a size that takes seconds.
//!
//! Each kernel has a context of its own, since a fault ends it, as on hardware.

use crate::device::{Backend, DeviceChoice};
use crate::error::Error;
use crate::options::{Languages, Options};
use crate::plan::{Plan, plan};
use crate::progress::Progress;
use crate::report::{CheckRecord, Output, WIDTH, plural};
use crate::session::{Checked, Session};
use crate::stage::{Shape, Stage};
use emulator::Side;
use std::fmt::Write;

/// n where `--n` does not say: no multiple of a warp or a block, so that there are tails.
const CHECKED_N: usize = 1000;

/// Time steps where `--steps` does not say: the second begins with what the first left.
const CHECKED_STEPS: u32 = 2;

/// Findings shown of a kernel; records have all of them.
const SHOWN: usize = 6;

/// Columns of a line of source that are shown.
const SOURCE_COLUMNS: usize = 84;

/// Warp instructions after which a kernel at these sizes does not end: thousands of times what the slowest takes.
const ENDLESS: u64 = 1 << 32;

/// Checks every kernel that the options choose; whether all are clean.
pub(crate) fn run(stage: &Stage, options: &Options, output: &mut Output) -> Result<bool, Error> {
    if options.device == DeviceChoice::Cuda {
        return Err(Error::Usage("--check runs on the emulator: leave --device cuda out".into()));
    }
    // Both languages where none is asked for.
    let chosen = Options { language: Some(options.language.unwrap_or(Languages::Both)), ..options.clone() };
    let plans: Vec<Plan> = plan(stage, &chosen, Backend::Emulator)?
        .iter()
        .map(|plan| at_checked_size(plan, options))
        .collect::<Result<_, _>>()?;
    let mut progress = Progress::start();
    let mut all_clean = Vec::new();
    for (done, plan) in plans.iter().enumerate() {
        if done == 0 {
            output.say("Checks on the PTX emulator: memcheck, initcheck, racecheck, synccheck, and the results\n")?;
        }
        progress.phase(format!("{} of {}: {}, {}", done + 1, plans.len(), plan.name(), plan.describe_size()));
        let checked = check(plan, options);
        progress.clear();
        match checked {
            Ok((checked, notices)) => {
                say(stage, options, output, plan, &checked)?;
                notices.iter().try_for_each(|notice| output.say(&format!("Note: {notice}")))?;
                all_clean.push(checked.is_clean());
            }
            Err(Error::NoCompiler { reason, .. }) if plan.in_rust && options.language.is_none() => {
                output.say(&plan.left_out(&reason))?;
            }
            Err(error) => return Err(error),
        }
    }
    let clean = all_clean.iter().filter(|&&clean| clean).count();
    let counted = plural(all_clean.len(), "kernel");
    output.say(&format!("\n{clean} of {counted} clean\n{}", reading(clean == all_clean.len())))?;
    Ok(clean == all_clean.len())
}

/// Checks one kernel, in a context of its own: a fault ends it for good. Beside it, what a learner should know of how the
/// kernel was loaded.
fn check(plan: &Plan, options: &Options) -> Result<(Checked, Vec<String>), Error> {
    let mut session = Session::open(DeviceChoice::Emulator, options.nvrtc)?;
    session.device.set_instruction_budget(ENDLESS);
    let checked = session.check(plan);
    session.device.set_instruction_budget(0);
    Ok((checked?, session.take_notices()))
}

fn say(stage: &Stage, options: &Options, output: &mut Output, plan: &Plan, checked: &Checked) -> Result<(), Error> {
    if options.json {
        output.json(&CheckRecord::new(stage, plan, checked))?;
    }
    output.say(&describe(plan, checked))
}

fn reading(all_clean: bool) -> &'static str {
    if all_clean {
        "A clean run says that this size and these inputs show no mistake; try --n 1, 31, 33 too."
    } else {
        "A race may give correct results, here and on most GPUs: lockstep and luck keep the order, nothing else does."
    }
}

/// The same kernel at a size for checks, as far as the options leave the size open.
fn at_checked_size<'a>(plan: &Plan<'a>, options: &Options) -> Result<Plan<'a>, Error> {
    let mut size = plan.size.clone();
    size.n = options.n_usize()?.unwrap_or(CHECKED_N);
    size.steps = size.steps.map(|_| options.steps.unwrap_or(CHECKED_STEPS));
    size.parameters = plan.facts().complete(&plan.facts().heeded(&options.parameters), true);
    let checked = Plan::new(plan.rung, size, Shape { grid: Some(plan.grid), block: plan.block })?;
    Ok(Plan { in_rust: plan.in_rust, ..checked })
}

/// One line for a clean kernel; else what it does wrong, with the lines of its source.
fn describe(plan: &Plan, checked: &Checked) -> String {
    let shape = format!("{}x{}", plan.grid, plan.block);
    let mut text = format!("{:<28} {shape:<10} {:<24} ", plan.name(), plan.describe_size());
    if checked.is_clean() {
        return text + "clean";
    }
    let verdict = match (checked.findings.len(), &checked.report) {
        (0, _) => "WRONG RESULTS".to_owned(),
        (count, None) => format!("STOPPED, {}", plural(count, "finding")),
        (count, Some(report)) if report.passed() => plural(count, "finding"),
        (count, Some(_)) => format!("WRONG RESULTS, {}", plural(count, "finding")),
    };
    text += &verdict;
    for finding in checked.findings.iter().take(SHOWN) {
        let tool = finding.tool.map_or("stopped".into(), |tool| tool.to_string());
        // Writing to a String does not fail.
        let title = format!("{tool}: {}", finding.title);
        let title = if title.len() + 2 > WIDTH { title.replacen("`: ", "`:\n    ", 1) } else { title };
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

/// Where one side of a finding is: file, line, its text, and the thread.
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

/// Name and line of a file, short for the kernel's own and its companion's, and the text of the line.
fn source_line(plan: &Plan, file: &str, line: u32) -> (String, Option<String>) {
    let mut sources = std::iter::once(plan.source()).chain(plan.companion().map(|(source, _)| source));
    let Some(source) = sources.find(|source| file.ends_with(&source.name())) else {
        return (format!("{file}:{line}"), None);
    };
    let text = source.current_text();
    let text = text.lines().nth((line as usize).wrapping_sub(1)).map(|line| line.trim().to_owned());
    (format!("{}:{line}", source.name()), text)
}
