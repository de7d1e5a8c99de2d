//! The whole run of a stage's program: options, plans, session, outcomes, report.

mod limits;

use crate::check;
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::kernel::FetchOffer;
use crate::list;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::recorded;
use crate::refusals::{admit, no_room, refuse};
use crate::report::{Output, Record, Recording, counts, help, preview, table};
use crate::session::Session;
use crate::stage::{Plan, Stage};
use crate::twin;
use cuda_cpp::Compiler;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

/// Runs a stage's program: parses the arguments, runs the kernels, and reports. The exit status is 0 if all results are
/// right, 1 if a result is wrong or something failed, and 2 for wrong options.
#[must_use]
pub fn run(stage: &Stage) -> ExitCode {
    run_with(stage, std::env::args_os())
}

fn run_with(stage: &Stage, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let options = match Options::parse_for(stage, arguments) {
        Ok(options) => options,
        Err(error) => {
            // If even this cannot be written, the exit status is all that is left.
            let _ = help::print(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match execute(stage, &options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // A reader that closes the pipe early, as `head` does, is not a failure.
        Err(Error::Write(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}{}", error.advice());
            ExitCode::from(error.exit_status())
        }
    }
}

/// Does what the options ask for. Returns whether all results were right.
fn execute(stage: &Stage, options: &Options) -> Result<bool, Error> {
    let mut output = Output::new(options.json);
    if options.list {
        list::run(stage, options.json, &mut output)?;
        return Ok(true);
    }
    if options.check {
        return check::run(stage, options, &mut output);
    }
    // Wrong options are refused before a device is opened; only default sizes depend on the device.
    refuse(stage, options)?;
    options.plans(stage, Backend::Cuda)?;
    let recording = options.compare.as_deref().map(|what| Recording::open(stage, what)).transpose()?;
    let mut session = open(stage, options, recording.is_some(), &mut output)?;
    let mut outcomes = Vec::new();
    let ended = run_plans(stage, options, &mut session, &mut output, &mut outcomes);
    output.report(stage, options, &mut session, &outcomes, recording.as_ref())?;
    ended?;
    if outcomes.is_empty() {
        return Err(Error::Open("no kernel ran: each of the chosen ones is left out".into()));
    }
    Ok(outcomes.iter().all(Outcome::passed))
}

/// Opens the device, and prints its line and notices.
fn open(stage: &Stage, options: &Options, is_compared: bool, output: &mut Output) -> Result<Session, Error> {
    let mut session = Session::open(options.device, options.compiler)?;
    session.device.set_block_budget(options.budget);
    session.estimated_gpu = (!options.no_estimate).then_some(options.on);
    let gpu = session.estimated_gpu.filter(|_| session.device.backend == Backend::Emulator);
    session.estimates_all = is_compared && gpu.is_some();
    session.recorded = recorded::of_the_other(stage, session.device.backend, gpu);
    output.say(&first_line(&session.device, options))?;
    limits::find_ceilings(stage, options, gpu, &mut session, output)?;
    Ok(session)
}

/// Returns the line that names the device, and the compiler if one was chosen.
fn first_line(device: &Device, options: &Options) -> String {
    // If it is missing, the first kernel says so.
    let compiler = options.compiler.and_then(|choice| Compiler::find(Some(choice)).ok());
    let compiler = compiler.map_or_else(String::new, |compiler| format!("; CUDA C++ by {}", compiler.describe()));
    device.banner() + &compiler
}

/// Runs the plans in order and adds their outcomes to `outcomes`, which has those before the first error.
fn run_plans<'a>(
    stage: &'a Stage,
    options: &Options,
    session: &mut Session,
    output: &mut Output,
    outcomes: &mut Vec<Outcome<'a>>,
) -> Result<(), Error> {
    let (plans, lines) = admit(stage, options, &session.device)?;
    output.say_all(&lines)?;
    session.load_ahead(&plans, options.has_twins_beside());
    let mut progress = Progress::start();
    let mut offer = FetchOffer::default();
    for (done, plan) in plans.iter().enumerate() {
        let phase = format!("{} of {}: {}, {}", done + 1, plans.len(), plan.name(), plan.describe_size());
        let measured = offer.retry(|| {
            progress.phase(phase.clone());
            let measured = Outcome::measure(session, plan, options.max_runs());
            progress.clear();
            measured
        });
        let mut outcome = match measured {
            Err(Error::OutOfMemory { .. }) => {
                output.say(&no_room(plan, &session.device))?;
                continue;
            }
            measured => measured?,
        };
        write_files(options, session, &mut outcome, outcomes)?;
        if options.counters && outcome.run.counters.is_none() {
            progress.phase(format!("counting {} on the emulator, {}", plan.rung.kernel, plan.describe_size()));
            let program = std::env::current_exe().map_err(|error| Error::Counters(error.to_string()))?;
            outcome.run.counters = Some(counts::count(&program, plan, options)?);
            progress.clear();
        }
        if options.json {
            output.json(&Record::new(stage, session, &outcome, outcomes))?;
        }
        if options.has_twins_beside() {
            progress.phase(format!("{phase}, in CUDA C++ and in Rust"));
            let left_out = twin::compare(options, session, &mut outcome)?;
            progress.clear();
            left_out.map_or(Ok(()), |line| output.say(&line))?;
        }
        twin::pair(outcomes, &outcome);
        outcomes.push(outcome);
        let problem = |plan: &Plan| (plan.facts().letter, plan.size.clone());
        if plans.get(done + 1).is_some_and(|next| problem(next) != problem(plan)) {
            table::show(output, stage, options, session, outcomes)?;
        }
        progress.show_above(|| preview(output, stage, options, session, outcomes));
    }
    Ok(())
}

/// Writes the files that the options name, each by the first kernel of its problem, outside of the timed runs.
fn write_files(
    options: &Options,
    session: &mut Session,
    outcome: &mut Outcome,
    earlier: &[Outcome],
) -> Result<(), Error> {
    let facts = outcome.run.plan.facts();
    if earlier.iter().any(|other| other.run.plan.facts() == facts) {
        return Ok(());
    }
    for (file, path) in options.files.iter().filter(|(file, _)| facts.has_file(file.name)) {
        let mut written = session.write(&outcome.run.plan, file.name, path)?;
        outcome.run.report.add(std::mem::take(&mut written.report));
        outcome.written.push(written);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
