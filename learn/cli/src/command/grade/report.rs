//! The output of `grade`: the table, JSON, and CSV.

use super::learner::{Graded, Marked};
use super::points::Points;
use super::{MISSING, WASTEFUL};
use crate::output::{say, say_row};
use judge::set::{Exercise, Set};
use serde_json::{Value, json};

/// Prints a row per learner.
pub(super) fn print(learners: &[Marked<'_>], set: &Set) {
    let names: Vec<String> = learners.iter().map(|learner| without_control(&learner.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("learner".len());
    say(&format!("{:<width$}  solved  hints  revealed  open", "learner"));
    for (learner, name) in learners.iter().zip(names) {
        match &learner.exercises {
            Ok(graded) => {
                let entries = || graded.iter().filter_map(|graded| Some(&graded.file.as_ref()?.2.entry));
                let hints: usize = entries().map(|entry| entry.hints).sum();
                let revealed = entries().filter(|entry| entry.revealed).count();
                let solved = format!("{}/{}", learner.solved(), set.exercises.len());
                let start = format!("{name:<width$}  {solved:<6}  {hints:<5}  {revealed:<8}  ");
                say_row(&start, &open(graded, set));
            }
            Err(reason) => say_row(&format!("{name:<width$}  "), &without_control(reason)),
        }
        print_lines(learner);
    }
}

/// Prints a line for each file that is refused or ignored.
pub(super) fn print_lines(learner: &Marked<'_>) {
    let refused = learner.exercises.iter().flatten().flat_map(|graded| &graded.refused);
    refused.chain(&learner.ignored).for_each(|line| say(&without_control(line)));
}

/// Returns the names of the open exercises by the check that they fail, and then of the wasteful ones: `results: 12, 15;
/// results at other sizes: 33; missing: 64; wasteful: 16`.
pub(super) fn open(graded: &[Graded<'_>], set: &Set) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for one in graded {
        let Some(word) = one.failing().or((one.solved() == WASTEFUL).then_some(WASTEFUL)) else { continue };
        let word = if one.fails_elsewhere() { format!("{word} at other sizes") } else { word.to_owned() };
        let name = short_name(one.exercise, set);
        match groups.iter_mut().find(|(other, _)| *other == word) {
            Some((_, names)) => names.push(name),
            None => groups.push((word, vec![name])),
        }
    }
    groups.sort_by_key(|(word, _)| word == WASTEFUL);
    let groups: Vec<String> = groups.iter().map(|(word, names)| format!("{word}: {}", names.join(", "))).collect();
    groups.join("; ")
}

/// Returns the beginning of an exercise's name up to the first `_`, if no other name begins with it.
fn short_name<'a>(exercise: &'a Exercise, set: &Set) -> &'a str {
    let (first, _) = exercise.name.split_once('_').unwrap_or((&exercise.name, ""));
    if set.find(first).is_ok() { first } else { &exercise.name }
}

/// Replaces control characters, which could change what a terminal shows, in a learner's text.
pub(super) fn without_control(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

/// Returns an object per learner.
pub(super) fn to_json(learners: &[Marked<'_>], seed: Option<u64>, points: Option<&Points>) -> Value {
    let rows = learners.iter().map(|learner| {
        let mut row = json!({"learner": learner.name, "seed": seed});
        match &learner.exercises {
            Err(reason) => row["error"] = reason.clone().into(),
            Ok(graded) => {
                row["exercises"] = graded.iter().map(json_of).collect();
            }
        }
        if let Some(points) = points {
            row["points"] = points.sum(learner).into();
            row["of"] = points.total().into();
        }
        if let Some(id) = &learner.id {
            row["id"] = id.clone().into();
        }
        if !learner.ignored.is_empty() {
            row["ignored"] = learner.ignored.clone().into();
        }
        row
    });
    Value::Array(rows.collect())
}

/// The columns of the CSV file.
const COLUMNS: [&str; 10] = [
    "learner",
    "exercise",
    "language",
    "solved",
    "failing",
    "hints",
    "revealed",
    "counts",
    "warp instructions / solution's",
    "sectors / solution's",
];

/// Returns the table with a row per learner and exercise.
pub(super) fn to_csv(learners: &[Marked<'_>], set: &Set) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS)?;
    for learner in learners {
        let rows: Vec<Vec<String>> = match &learner.exercises {
            Err(reason) => set.exercises.iter().map(|exercise| open_row(exercise, reason)).collect(),
            Ok(graded) => graded.iter().map(row).collect(),
        };
        for row in rows {
            let mut cells = vec![learner.name.clone()];
            cells.extend(row);
            cells.resize(COLUMNS.len(), String::new());
            table.write_record(cells.iter().map(|cell| escape(cell)))?;
        }
    }
    Ok(table.into_inner()?)
}

/// Returns the cells after the learner's name of an exercise without a verdict.
fn open_row(exercise: &Exercise, reason: &str) -> Vec<String> {
    [&exercise.name, "", "no", reason].map(str::to_owned).into()
}

/// Returns the cells after the learner's name.
fn row(graded: &Graded<'_>) -> Vec<String> {
    let Some((language, _, judged)) = &graded.file else { return open_row(graded.exercise, MISSING) };
    let revealed = if judged.entry.revealed { "yes" } else { "no" };
    let counts = graded.verdict().into_iter().flat_map(|verdict| &verdict.counts).map(ToString::to_string);
    let counts = counts.collect::<Vec<_>>().join("; ");
    let failing = graded.failing().unwrap_or("");
    let mut cells = [&graded.exercise.name, language.extension(), graded.solved(), failing].map(str::to_owned).to_vec();
    cells.extend([judged.entry.hints.to_string(), revealed.to_owned(), counts]);
    let passed = graded.verdict().filter(|verdict| verdict.is_passed());
    cells.extend(passed.iter().flat_map(|verdict| &verdict.shares).map(|share| format!("{:.2}", share.value)));
    cells
}

/// Returns a cell that a spreadsheet takes as text: an apostrophe before the characters that begin a formula.
pub(super) fn escape(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { format!("'{cell}") } else { cell.to_owned() }
}

/// Returns the verdict on an exercise as JSON.
fn json_of(graded: &Graded<'_>) -> Value {
    match &graded.file {
        Some((language, _, judged)) => judged.json(graded.exercise, *language),
        None => json!({"exercise": graded.exercise.name, "solved": false, "failure": {"check": MISSING}}),
    }
}
