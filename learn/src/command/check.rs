//! `cargo x learn check`.

use crate::actions::{check, verdict_text};
use crate::error::Error;
use crate::judge::compiler_name;
use crate::learner::Folder;
use crate::output::say;
use crate::set::Set;
use crate::worker::Worker;
use serde_json::Value;

/// Checks the named exercises, or all of them. Returns whether they are solved.
pub fn run(worker: &Worker, folder: &Folder, set: &Set, names: &[String], as_json: bool) -> Result<bool, Error> {
    let named = names.iter().map(|name| set.find(name)).collect::<Result<Vec<_>, _>>()?;
    let exercises = if names.is_empty() { set.exercises.iter().collect() } else { named };
    let language = folder.progress()?.language();
    let (mut solved, mut rows) = (0, Vec::new());
    // A check of what has not changed needs no compiler.
    let compiler = compiler_name(language, worker.compiler).ok();
    if let (Some(compiler), false) = (&compiler, as_json) {
        say(&format!("compiled by {compiler}"));
    }
    for exercise in &exercises {
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
