//! The work of a rank from start to end: all chosen strategies at all sizes.

use crate::ranks::measure;
use crate::ranks::model::Link;
use crate::ranks::options::Options;
use crate::ranks::process::child;
use crate::ranks::process::place::Place;
use crate::ranks::process::say;
use crate::ranks::rank::Rank;
use crate::ranks::report::{self, Outcome, Verdict};
use crate::ranks::strategy::{Strategy, Work};
use crate::ranks::tape::{Parts, Tape};
use common::Error;
use common::device::Backend;
use common::problem::Size;
use common::verify::Report;
use emulator::Side;

/// Runs the chosen strategies as one of the ranks; returns whether all results of all ranks were correct.
///
/// # Errors
/// Errors that keep a rank from working at all.
pub fn run(options: &Options, place: &Place) -> Result<bool, Error> {
    let rank = Rank::open(place.clone(), options.device, options.machines, options.language.is_rust())?;
    rank.device.set_checks(options.check);
    let link =
        (rank.device.backend == Backend::Cuda && rank.place.world > 1).then(|| Link::measure(&rank)).transpose()?;
    let mut output = report::Writer::new(&rank, options, link);
    output.begin()?;
    let mut passed = true;
    for (strategy, size) in chosen(options, rank.device.backend) {
        let outcome = outcome(&rank, strategy, &size, options)?;
        passed &= matches!(outcome.verdict, Verdict::Right | Verdict::LeftOut(_));
        output.add(strategy, size, outcome)?;
    }
    output.end()?;
    drop(output);
    // cudarc destroys a communicator by aborting it, which is meant for failures, and panics if there is one; the end
    // of the process releases it as well.
    std::mem::forget(rank);
    Ok(passed)
}

/// Returns the strategies of this kind of job with their sizes, grouped by problem and size.
fn chosen(options: &Options, backend: Backend) -> Vec<(&'static dyn Strategy, Size)> {
    let is_one_process = child::devices_of_one_process().is_some();
    let mut chosen: Vec<(&dyn Strategy, Size)> = Vec::new();
    for strategy in options.strategies().filter(|strategy| strategy.is_one_process() == is_one_process) {
        let sizes = if options.n.is_empty() { vec![strategy.default_n(backend)] } else { options.n.clone() };
        chosen.extend(sizes.into_iter().map(|n| (strategy, Size { seed: options.seed, ..Size::new(n) })));
    }
    chosen.sort_by_key(|(strategy, size)| (strategy.facts().letter, size.n));
    chosen
}

/// Runs a strategy at a size. A failure to prepare on one rank counts as a failure on all, so that no rank waits for
/// another.
fn outcome(rank: &Rank, strategy: &dyn Strategy, size: &Size, options: &Options) -> Result<Outcome, Error> {
    if let Some(reason) = strategy.obstacle(rank) {
        return Ok(Outcome::new(Verdict::LeftOut(reason)));
    }
    let prepared = strategy.prepare(rank, size);
    if !rank.all_agree(prepared.is_ok())? {
        let reason = prepared.err().map_or("another rank cannot prepare it".into(), |error| error.to_string());
        return Ok(Outcome::new(Verdict::Failed(reason)));
    }
    let mut work = prepared?;
    work.alone(&mut Tape::new(rank, Parts::All, false))?;
    rank.finish()?;
    let counts = measure::count(rank, work.as_mut())?;
    let mut verdict = judge(rank, strategy, work.as_mut())?;
    // all ranks run the same strategy, so that either all or none make this collective call
    if let Some(most) = strategy.max_exposed_bytes()
        && !rank.all_agree(!exposes_too_much(strategy, rank, counts.bytes_exposed, most))?
    {
        verdict = Verdict::Wrong;
    }
    let mut outcome = Outcome { counts, ..Outcome::new(Verdict::Right) };
    if rank.device.backend == Backend::Cuda && verdict == Verdict::Right {
        outcome.times = Some(measure::times(rank, work.as_mut(), options.runs as usize)?);
        outcome.timeline = measure::timeline(rank, work.as_mut())?;
        // Again, after many consecutive steps.
        verdict = judge(rank, strategy, work.as_mut())?;
    }
    Ok(Outcome { verdict, ..outcome })
}

/// Returns the location of one side of a finding.
fn describe(side: &Side) -> String {
    let place = &side.place;
    let at =
        place.location.as_ref().map_or(format!("PTX line {}", place.line), |(file, line)| format!("{file}:{line}"));
    format!("\n    {} by thread {} of block {}, {at}", side.verb, place.thread, place.block)
}

/// Returns whether a step exposes more bytes than an exercise allows, which rank 0 reports.
fn exposes_too_much(strategy: &dyn Strategy, rank: &Rank, bytes: f64, most: f64) -> bool {
    if bytes > most && rank.place.rank == 0 {
        say(&format!(
            "{}: {bytes} bytes are exposed: no kernel can run during their transfer; at most {most} may be",
            strategy.name()
        ));
    }
    bytes > most
}

/// Returns whether the results of the last step are correct on all ranks. Each rank prints its own errors.
fn judge(rank: &Rank, strategy: &dyn Strategy, work: &mut dyn Work) -> Result<Verdict, Error> {
    let report = work.verify()?;
    let findings = rank.device.take_findings()?;
    for finding in &findings {
        let sides: String = finding.sides.iter().map(describe).collect();
        say(&format!("rank {}: {}: {}{sides}", rank.place.rank, strategy.name(), finding.title));
    }
    let Report { failed, compared, examples, .. } = report;
    for failure in &examples {
        say(&format!("rank {}: {}: {failure}", rank.place.rank, strategy.name()));
    }
    let all = rank.sum(&[(failed + findings.len()) as f64, compared as f64])?;
    Ok(if all[0] == 0.0 && all[1] > 0.0 { Verdict::Right } else { Verdict::Wrong })
}
