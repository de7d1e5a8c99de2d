//! `{{player STAGE}}`: launches that a reader runs and steps through in the page, with the memory before and after each launch,
//! from runs that were compared with the reference.
//!
//! A page replays recorded launches. The problems and their references need a driver, threads and half of `common`'s
//! dependencies, and would have to be written again for a page. A replay must produce the same bits as the run that was compared
//! with the reference, which is stricter than a tolerance and needs no reference.

mod data;
mod entry;
mod exercises;
mod scenes;

pub use scenes::one as scene;

use super::notation::escape;
use super::packed::packed;
use super::records::Readings;
use super::remembered::remembered;
use anyhow::Result;
use common::stage::Stage;
use data::Scenes;
use judge::set::Exercise;
use std::collections::BTreeMap;

/// Returns the player of a stage: its scenes, and the content for browsers without WebAssembly.
///
/// # Errors
/// Returns an error if a kernel of the stage cannot be run or has wrong results.
pub fn render(stage: &'static Stage, readings: &Readings) -> Result<String> {
    let differences: BTreeMap<&str, _> =
        stage.rungs.iter().map(|rung| (rung.kernel, readings.differences(rung.kernel))).collect();
    let differences = serde_json::to_string(&differences)?;
    remembered(format!("player {} {differences}", stage.name), || {
        element(stage.name, &scenes::of(stage)?, &differences, &format!("cargo run -p {}", stage.name))
    })
}

/// Returns the player of a stage's exercises.
///
/// # Errors
/// Returns an error if a skeleton cannot be run.
pub fn of_exercises(stage: &str, exercises: &[&Exercise]) -> Result<String> {
    remembered(format!("player of the exercises of {stage}"), || {
        element(stage, &exercises::of(exercises)?, "{}", "cargo x learn")
    })
}

/// Returns the element of a player. `differences` are the counters that ptxas changes, with reasons, as JSON.
fn element(stage: &str, scenes: &Scenes, differences: &str, command: &str) -> Result<String> {
    let scenes = serde_json::to_vec(scenes)?;
    Ok(format!(
        "<div class=\"player\" data-stage=\"{stage}\" data-differs=\"{differs}\">\n<script type=\"text/plain\" class=\"player-scenes\">{scenes}</script>\n\
         <p>Here the kernels run in the page, step by step, in a browser with WebAssembly. Without it, \
         <code>{command}</code> prints the same counters.</p>\n</div>\n",
        stage = escape(stage),
        differs = escape(differences),
        scenes = packed(&scenes)?,
    ))
}
