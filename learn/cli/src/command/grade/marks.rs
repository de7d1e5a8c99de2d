//! The output of `grade --points`: a line per learner, as a table and as CSV.

use super::WASTEFUL;
use super::learner::Marked;
use super::points::Points;
use super::report::{escape, open, print_lines, without_control};
use crate::output::{say, say_row};
use judge::set::Set;

/// Prints a row per learner.
pub(super) fn print(learners: &[Marked<'_>], set: &Set, points: &Points) {
    let names: Vec<String> = learners.iter().map(|learner| without_control(&learner.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("learner".len());
    say(&format!("{:<width$}  points  of      solved  open", "learner"));
    for (learner, name) in learners.iter().zip(names) {
        let (sum, total) = (points.sum(learner), points.total());
        let solved = format!("{}/{}", learner.solved(), set.exercises.len());
        let note = match &learner.exercises {
            Ok(graded) => open(graded, set),
            Err(reason) => without_control(reason),
        };
        say_row(&format!("{name:<width$}  {sum:<6}  {total:<6}  {solved:<6}  "), &note);
        print_lines(learner);
    }
}

/// The columns of the CSV file.
const COLUMNS: [&str; 8] = ["learner", "id", "email", "points", "of", "solved", "wasteful", "open"];

/// Returns the table with a row per learner.
pub(super) fn to_csv(
    learners: &[Marked<'_>],
    set: &Set,
    points: &Points,
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS)?;
    for learner in learners {
        let wasteful = learner.exercises.iter().flatten().filter(|graded| graded.solved() == WASTEFUL).count();
        let note = match &learner.exercises {
            Ok(graded) => open(graded, set),
            Err(reason) => reason.clone(),
        };
        let [name, id, email, note] =
            [&learner.name, learner.id.as_deref().unwrap_or_default(), &learner.email, &note].map(escape);
        let numbers = [points.sum(learner), points.total()].map(|number| number.to_string());
        let counts = [learner.solved(), wasteful].map(|number| number.to_string());
        let [[sum, total], [solved, wasteful]] = [numbers, counts];
        table.write_record([name, id, email, sum, total, solved, wasteful, note])?;
    }
    Ok(table.into_inner()?)
}
