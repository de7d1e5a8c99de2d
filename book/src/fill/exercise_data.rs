//! The data of an exercise for `theme/exercise.js`: the card, the learner's first file, the skeleton and the solution.

use super::packed::pack;
use anyhow::{Context, Result};
use judge::kernel_file::Language;
use judge::set::{Exercise, Role};
use serde_json::{Value, json};
use std::fs;

/// Returns the element in which a reader solves the exercise, one of `total`.
///
/// # Errors
/// Returns an error if a file of the exercise is missing, or if the PTX of its solution is out of date.
pub fn element(exercise: &Exercise, total: usize) -> Result<String> {
    let card = fs::read_to_string(exercise.folder.join("card.toml"))
        .with_context(|| format!("cannot read the card of {}", exercise.name))?;
    let data = json!({
        "name": exercise.name,
        "title": exercise.card.title,
        "card": card,
        "files": { "cu": files(exercise)? },
        "hints": exercise.card.hints,
    });
    Ok(format!(
        "<div class=\"exercise-desk\" data-exercise=\"{}\" data-exercises=\"{total}\">\n<script type=\"text/plain\" \
         class=\"exercise-data\">{}</script>\n</div>\n",
        exercise.name,
        pack(&serde_json::to_vec(&data)?)?
    ))
}

/// Returns the texts in CUDA C++: pages have no compiler for Rust.
fn files(exercise: &Exercise) -> Result<Value> {
    let language = Language::Cuda;
    let solution = exercise.source(&Role::Solution, language)?;
    let ptx = exercise.prebuilt(&Role::Solution, language, &solution);
    let ptx = ptx.with_context(|| format!("{}: its PTX is out of date; run `cargo x ptx`", exercise.name))?;
    Ok(json!({
        "initial": exercise.initial_text(language)?,
        "skeleton": exercise.source(&Role::Skeleton, language)?,
        "solution": solution,
        "solution_ptx": ptx,
    }))
}
