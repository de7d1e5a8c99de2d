//! `cargo learn grade`: tables and files for many learners.

mod archive;
mod files;
mod formats;
mod handed_in;
mod inputs;
mod learner;
mod marks;
mod names;
mod options;
mod points;
mod report;
mod roster;
mod verdicts;

use crate::learner::write_whole;
use crate::output::say;
use crate::worker::Worker;
use archive::Unpacked;
use files::FileNames;
use inputs::submissions;
use judge::Error;
use judge::set::Set;
use learner::{found, judged};
pub use options::{EXAMPLES, Options};
use points::Points;
use report::without_control;
use std::time::{SystemTime, UNIX_EPOCH};
use verdicts::Verdicts;

/// The word for an exercise without a file.
const MISSING: &str = "missing";

/// The word for an exercise that is solved with much more work than the solution's.
const WASTEFUL: &str = "wasteful";

/// The number of seeds that the clock chooses from: small enough to be typed again.
const SEEDS: u128 = 1_000_000;

/// Returns a seed that learners cannot know when they hand in.
pub fn seed_of_clock() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (time.as_micros() % SEEDS) as u64
}

/// Grades what learners handed in. What cannot be read has a row with the reason. Returns whether all learners have solved
/// everything.
pub fn run(worker: &Worker, set: Set, options: &Options) -> Result<bool, Error> {
    let names = FileNames::new(&set);
    let set = &set.only(&options.only)?;
    // All that can be wrong with the command line is said before minutes of judging.
    let points = Points::parse(options.points.as_deref().unwrap_or_default(), set)?;
    let roster = options.roster.as_deref().map(roster::read).transpose()?;
    let (mut unpacked, mut notes) = (Unpacked::new()?, Vec::new());
    let submitted = submissions(&options.paths, &names, &mut unpacked, &mut notes)?;
    let mut learners: Vec<_> = submitted.into_iter().map(|one| found(one, set, &names, &mut unpacked)).collect();
    if let Some(roster) = roster {
        learners = roster::arranged(learners, roster, &mut notes);
    }
    let names: Vec<&str> = learners.iter().map(|learner| learner.name.as_str()).collect();
    let files = match (options.format, &options.output) {
        (Some(format), Some(output)) => Some((format, formats::files(format, output, &names)?)),
        _ => None,
    };
    notes.iter().for_each(|note| eprintln!("{}", without_control(note)));
    let learners = judged(&Verdicts::new(worker), learners, &unpacked, set);
    // The table is printed even if a file cannot be written.
    let points_of_row = options.points.is_some().then_some(&points);
    if options.json {
        say(&format!("{:#}", report::to_json(&learners, worker.seed, points_of_row)));
    } else {
        match points_of_row {
            Some(points) => marks::print(&learners, set, points),
            None => report::print(&learners, set),
        }
        if let Some(seed) = worker.seed {
            say(&format!("Each kernel was also run with other sizes and inputs: --seed {seed} repeats them."));
        }
    }
    if let Some(file) = &options.csv {
        let text = match points_of_row {
            Some(points) => marks::to_csv(&learners, set, points),
            None => report::to_csv(&learners, set),
        };
        write_whole(file, text.map_err(|error| Error::System(error.to_string()))?)?;
    }
    if let Some((format, files)) = files {
        formats::write(format, &files, &learners, (set, &points, worker.seed))?;
    }
    Ok(learners.iter().all(|learner| learner.solved() == set.exercises.len()))
}
