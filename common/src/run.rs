//! The whole run of a stage's program: options, plans, session, outcomes, report, in this order.

use crate::check;
use crate::device::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::plan::{Plan, left_out, plan};
use crate::progress::Progress;
use crate::report::{Output, Record, Recording, counts, known_limits};
use crate::session::{Outcome, Session};
use crate::stage::Stage;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

/// The `main` of a stage: parses the program's arguments, runs, reports. The exit status is 0 if all results are
/// right, 1 if one is wrong or something failed, 2 for wrong options.
#[must_use]
pub fn run(stage: &Stage) -> ExitCode {
    run_with(stage, std::env::args_os())
}

fn run_with(stage: &Stage, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let options = match Options::parse_for(stage, arguments) {
        Ok(options) => options,
        Err(error) => {
            // Nothing is left to do where even this cannot be written.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    finish(stage, &options)
}

/// Runs what the options ask for, once more where a compiler was missing and has been fetched.
fn finish(stage: &Stage, options: &Options) -> ExitCode {
    match execute(stage, options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // A reader that has seen enough, as `head` does, is no failure.
        Err(Error::Write(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if error.is_overcome() {
                return finish(stage, options);
            }
            ExitCode::from(error.exit_status())
        }
    }
}

/// Runs what the options ask for; whether all results were right.
fn execute(stage: &Stage, options: &Options) -> Result<bool, Error> {
    let mut output = Output::new(options.json);
    if options.list {
        output.list(stage)?;
        return Ok(true);
    }
    if options.check {
        return check::run(stage, options, &mut output);
    }
    // Options are judged before a device is looked for; default sizes alone depend on the device.
    plan(stage, options, Backend::Cuda)?;
    let recording = options.compare.as_deref().map(|what| Recording::open(stage, what)).transpose()?;
    let mut session = Session::open(options.device, options.nvrtc)?;
    session.known = known_limits(stage, &session.device);
    output.say(&session.device.banner())?;
    let (plans, too_new) = runnable(plan(stage, options, session.device.backend)?, &session);
    for line in left_out(stage, options).into_iter().chain(too_new) {
        output.say(&line)?;
    }
    let mut outcomes = Vec::new();
    let ended = run_plans(stage, options, &plans, &mut session, &mut output, &mut outcomes);
    output.report(stage, options, &mut session, &outcomes, recording.as_ref())?;
    ended?;
    Ok(outcomes.iter().all(|outcome| outcome.report.passed()))
}

/// The plans that the device can run, and a line for each rung that it is too old for.
fn runnable<'a>(plans: Vec<Plan<'a>>, session: &Session) -> (Vec<Plan<'a>>, Vec<String>) {
    let ((major, minor), mut lines) = (session.device.compute_capability, Vec::new());
    let is_runnable = |plan: &Plan| {
        let (needed, needed_minor) = plan.rung.compute_capability();
        let runs = (needed, needed_minor) <= (major, minor);
        if !runs {
            let needs = format!("compute capability {needed}.{needed_minor}, and this GPU has {major}.{minor}");
            lines.push(format!("{} is left out: it needs {needs}.", plan.rung.kernel));
        }
        runs
    };
    let plans = plans.into_iter().filter(is_runnable).collect();
    lines.dedup();
    (plans, lines)
}

fn run_plans<'a>(
    stage: &Stage,
    options: &Options,
    plans: &[Plan<'a>],
    session: &mut Session,
    output: &mut Output,
    outcomes: &mut Vec<Outcome<'a>>,
) -> Result<(), Error> {
    let mut progress = Progress::start();
    for (done, plan) in plans.iter().enumerate() {
        progress.phase(phase(done, plans, plan));
        let mut outcome = session.run(plan, options.runs as usize)?;
        progress.clear();
        write_files(options, session, &mut outcome, outcomes)?;
        if options.counters && outcome.counters.is_none() {
            progress.phase(format!("counting {} on the emulator, {}", plan.rung.kernel, plan.describe_size()));
            let program = std::env::current_exe().map_err(|error| Error::Counters(error.to_string()))?;
            outcome.counters = Some(counts::count(&program, plan, options)?);
            progress.clear();
        }
        if options.json {
            output.json(&Record::new(stage, session, &outcome, outcomes))?;
        }
        outcomes.push(outcome);
        if options.has_twins_beside() {
            progress.phase(format!("{}, in CUDA C++ and in Rust", phase(done, plans, plan)));
            let left_out = run_beside(options, session, outcomes)?;
            progress.clear();
            left_out.into_iter().try_for_each(|line| output.say(&line))?;
        }
    }
    progress.clear();
    Ok(())
}

fn phase(done: usize, plans: &[Plan], plan: &Plan) -> String {
    format!("{} of {}: {}, {}", done + 1, plans.len(), plan.name(), plan.describe_size())
}

/// Runs what the table compares the last kernel with. A twin that cannot be compiled here is left out, which a line says.
fn run_beside(
    options: &Options,
    session: &mut Session,
    outcomes: &mut Vec<Outcome<'_>>,
) -> Result<Option<String>, Error> {
    let Some(Outcome { plan, cpu, .. }) = outcomes.last().cloned() else { return Ok(None) };
    for plan in plan.beside(options, session.device.backend)? {
        match session.run_beside(&plan, options.runs as usize, cpu.clone()) {
            Ok(outcome) => outcomes.push(Outcome { is_beside: true, ..outcome }),
            Err(Error::NoCompiler { reason, .. }) if plan.in_rust => return Ok(Some(plan.left_out(&reason))),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Writes the files that the options name, each by the first kernel of its problem, outside of the timed runs.
fn write_files(
    options: &Options,
    session: &mut Session,
    outcome: &mut Outcome,
    earlier: &[Outcome],
) -> Result<(), Error> {
    let facts = outcome.plan.facts();
    if earlier.iter().any(|other| other.plan.facts() == facts) {
        return Ok(());
    }
    for (file, path) in options.files.iter().filter(|(file, _)| facts.has_file(file.name)) {
        let mut written = session.write(&outcome.plan, file.name, path)?;
        outcome.report.add(std::mem::take(&mut written.report));
        outcome.written.push(written);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
