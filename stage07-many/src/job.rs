//! What a rank does from its start to its end: all chosen rungs at all sizes.

use crate::measure;
use crate::model::Link;
use crate::options::{Language, Options};
use crate::process::child;
use crate::process::place::Place;
use crate::process::say;
use crate::rank::Rank;
use crate::report::{self, Outcome, Verdict};
use crate::rung::{Rung, Size, Work};
use crate::tape::{Parts, Tape};
use common::Error;
use common::device::Backend;
use common::verify::Report;
use emulator::Side;

/// Runs the chosen rungs as one of the ranks; whether all results of all ranks were right.
///
/// # Errors
/// What keeps a rank from working at all.
pub fn run(options: &Options, place: &Place) -> Result<bool, Error> {
    let rank = Rank::open(place.clone(), options.device, options.machines, options.language == Language::Rust)?;
    rank.device.set_checks(options.check);
    let link =
        (rank.device.backend == Backend::Cuda && rank.place.world > 1).then(|| Link::measured(&rank)).transpose()?;
    let mut output = report::Writer::new(&rank, options, link);
    output.begin()?;
    let mut passed = true;
    for (rung, size) in chosen(options, rank.device.backend) {
        let outcome = outcome(&rank, rung, size, options)?;
        passed &= matches!(outcome.verdict, Verdict::Right | Verdict::LeftOut(_));
        output.add(rung, size, outcome)?;
    }
    output.end()?;
    drop(output);
    // cudarc ends a communicator by aborting it, which is for failures, and panics where it is one; the end of the process
    // ends it too.
    std::mem::forget(rank);
    Ok(passed)
}

/// The rungs of this kind of job with their sizes, those of one problem and size together.
fn chosen(options: &Options, backend: Backend) -> Vec<(&'static dyn Rung, Size)> {
    let is_one_process = child::devices_of_one_process().is_some();
    let mut chosen: Vec<(&dyn Rung, Size)> = Vec::new();
    for rung in options.rungs().filter(|rung| rung.is_one_process() == is_one_process) {
        let sizes = if options.n.is_empty() { vec![rung.default_n(backend)] } else { options.sizes() };
        chosen.extend(sizes.into_iter().map(|n| (rung, Size { n, seed: options.seed })));
    }
    chosen.sort_by_key(|(rung, size)| (rung.letter(), size.n));
    chosen
}

/// Runs a rung at a size. What fails on this rank alone fails on all, so that none waits for another.
fn outcome(rank: &Rank, rung: &dyn Rung, size: Size, options: &Options) -> Result<Outcome, Error> {
    if let Some(reason) = rung.obstacle(rank) {
        return Ok(Outcome::of(Verdict::LeftOut(reason)));
    }
    let prepared = rung.prepare(rank, size);
    if !rank.all_agree(prepared.is_ok())? {
        let reason = prepared.err().map_or("another rank cannot prepare it".into(), |error| error.to_string());
        return Ok(Outcome::of(Verdict::Failed(reason)));
    }
    let mut work = prepared?;
    work.alone(&mut Tape::new(rank, Parts::All, false))?;
    rank.finish()?;
    let counts = measure::counted(rank, work.as_mut())?;
    let mut verdict = judged(rank, rung, work.as_mut())?;
    // all ranks run the same rung, so that either all ask or none
    if let Some(most) = rung.most_exposed()
        && !rank.all_agree(!exposes_too_much(rung, rank, counts.bytes_exposed, most))?
    {
        verdict = Verdict::Wrong;
    }
    let mut outcome = Outcome { counts, ..Outcome::of(Verdict::Right) };
    if rank.device.backend == Backend::Cuda && verdict == Verdict::Right {
        outcome.times = Some(measure::times(rank, work.as_mut(), options.runs as usize)?);
        outcome.timeline = measure::timeline(rank, work.as_mut())?;
        // Once more, after many steps in a row.
        verdict = judged(rank, rung, work.as_mut())?;
    }
    Ok(Outcome { verdict, ..outcome })
}

/// Where one side of a finding is.
fn describe(side: &Side) -> String {
    let place = &side.place;
    let at =
        place.location.as_ref().map_or(format!("PTX line {}", place.line), |(file, line)| format!("{file}:{line}"));
    format!("\n    {} by thread {} of block {}, {at}", side.verb, place.thread, place.block)
}

/// Whether a step exposes more than an exercise allows, which rank 0 says.
fn exposes_too_much(rung: &dyn Rung, rank: &Rank, bytes: f64, most: f64) -> bool {
    if bytes > most && rank.place.rank == 0 {
        say(&format!("{}: {bytes} bytes travel while no kernel may run; {most} may", rung.name()));
    }
    bytes > most
}

/// Whether the last step's results are right on all ranks. Each says itself what is wrong with its own.
fn judged(rank: &Rank, rung: &dyn Rung, work: &mut dyn Work) -> Result<Verdict, Error> {
    let report = work.verify()?;
    let findings = rank.device.take_findings()?;
    for finding in &findings {
        let sides: String = finding.sides.iter().map(describe).collect();
        say(&format!("rank {}: {}: {}{sides}", rank.place.rank, rung.name(), finding.title));
    }
    let Report { failed, compared, examples, .. } = report;
    for failure in &examples {
        say(&format!("rank {}: {}: {failure}", rank.place.rank, rung.name()));
    }
    let all = rank.sum(&[(failed + findings.len()) as f64, compared as f64])?;
    Ok(if all[0] == 0.0 && all[1] > 0.0 { Verdict::Right } else { Verdict::Wrong })
}
