//! `cargo learn check`.

use crate::actions::{check, verdict_text};
use crate::compiler::compiler_name;
use crate::learner::Folder;
use crate::output::say;
use crate::worker::Worker;
use judge::Error;
use judge::set::Set;
use serde_json::Value;

/// Checks the named exercises, or all of them. Returns whether they are solved.
pub fn run(worker: &Worker, folder: &Folder, set: &Set, names: &[String], as_json: bool) -> Result<bool, Error> {
    let named = names.iter().map(|name| folder.find_file(set, name)).collect::<Result<Vec<_>, _>>()?;
    let language = folder.progress()?.language();
    let all = || set.exercises.iter().map(|exercise| (exercise, language)).collect();
    let exercises = if names.is_empty() { all() } else { named };
    let mut solved = 0;
    let mut rows = Vec::new();
    let mut compiled = None;
    let mut compiler = None;
    for &(exercise, language) in &exercises {
        if compiled != Some(language) {
            // A check of what has not changed needs no compiler.
            (compiled, compiler) = (Some(language), compiler_name(language, worker.compiler).ok());
            if let (Some(name), false) = (&compiler, as_json) {
                say(&format!("compiled by {name}"));
            }
        }
        let judged = check(worker, folder, exercise, language)?;
        solved += usize::from(judged.failure().is_none());
        if as_json {
            let mut row = judged.json(exercise, language);
            row["compiler"] = compiler.clone().into();
            rows.push(row);
        } else {
            say(&verdict_text(exercise, &judged));
        }
    }
    if as_json {
        say(&format!("{:#}", Value::Array(rows)));
    } else if exercises.len() > 1 {
        say(&format!("{solved} of {} solved", exercises.len()));
    }
    Ok(solved == exercises.len())
}
