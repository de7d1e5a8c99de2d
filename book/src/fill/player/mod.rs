//! `{{player STAGE KERNEL}}`: launches that a reader runs and steps through in the page, with the memory before and after each
//! launch, from runs that were compared with the reference.
//!
//! A page replays recorded launches. The problems and their references need a driver, threads and half of `common`'s
//! dependencies, and would have to be written again for a page. A replay must produce the same bits as the run that was compared
//! with the reference, which is stricter than a tolerance and needs no reference. An edited kernel may round differently, so
//! that scenes also have the tolerance of each value that was compared.

mod comparison;
mod data;
mod exercises;
mod scenes;

pub use scenes::one as scene;

use super::cache::get_or_make;
use super::kernels::chosen;
use super::notation::escape;
use super::packed::pack;
use super::records::Readings;
use anyhow::Result;
use common::stage::Stage;
use judge::set::Exercise;
use std::collections::BTreeMap;

/// Returns the player of a stage, which begins with `kernel`, or else with the first one: its scenes, and the content for
/// browsers without WebAssembly.
///
/// # Errors
/// Returns an error if the stage has no such kernel, or if one of its kernels cannot be run or has wrong results.
pub fn render(stage: &'static Stage, kernel: Option<&str>, readings: &Readings) -> Result<String> {
    chosen(stage, kernel.as_slice())?;
    let differences: BTreeMap<&str, _> =
        stage.rungs.iter().map(|rung| (rung.kernel, readings.differences(rung.kernel))).collect();
    let differences = serde_json::to_string(&differences)?;
    get_or_make(format!("player {} {kernel:?} {differences}", stage.name), || {
        Ok(element(stage.name, kernel, &pack_scenes(stage)?, &differences, &format!("cargo run -p {}", stage.name)))
    })
}

/// Returns the scenes of a stage alone, for pages with editable listings and without the stage's player.
///
/// # Errors
/// As [`render`].
pub fn scenes_alone(stage: &'static Stage) -> Result<String> {
    get_or_make(format!("scenes of {} alone", stage.name), || {
        let scenes = pack_scenes(stage)?;
        Ok(format!(
            "<script type=\"text/plain\" class=\"player-scenes\" data-stage=\"{}\">{scenes}</script>\n",
            stage.name
        ))
    })
}

fn pack_scenes(stage: &'static Stage) -> Result<String> {
    get_or_make(format!("scenes of {}", stage.name), || pack(&serde_json::to_vec(&scenes::record(stage)?)?))
}

/// Returns the player of a stage's exercises.
///
/// # Errors
/// Returns an error if a skeleton cannot be run.
pub fn render_exercises(stage: &str, exercises: &[&Exercise]) -> Result<String> {
    get_or_make(format!("player of the exercises of {stage}"), || {
        let scenes = pack(&serde_json::to_vec(&exercises::record(exercises)?)?)?;
        Ok(element(stage, None, &scenes, "{}", "cargo learn"))
    })
}

/// Returns the element of a player with packed scenes, which begins with `kernel`, or else with the first one. `differences` are
/// the counters that ptxas changes, with reasons, as JSON.
fn element(stage: &str, kernel: Option<&str>, scenes: &str, differences: &str, command: &str) -> String {
    let kernel = kernel.map(|kernel| format!(" data-kernel=\"{kernel}\"")).unwrap_or_default();
    format!(
        "<div class=\"player\" data-stage=\"{stage}\"{kernel} data-differs=\"{differs}\">\n<script type=\"text/plain\" class=\"player-scenes\">{scenes}</script>\n\
         <p>Here the kernels run in the page, step by step, in a browser with WebAssembly. Without it, \
         <code>{command}</code> prints the same counters.</p>\n</div>\n",
        stage = escape(stage),
        differs = escape(differences),
    )
}
