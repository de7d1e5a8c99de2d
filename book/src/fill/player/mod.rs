//! `{{player STAGE}}`: the launches that a reader runs and steps through in the page, each with all that it reads and
//! with what it leaves, taken from runs that were compared with the reference.
//!
//! A page replays launches instead of making them. The problems and their references need a GPU's driver, threads and
//! half of the dependencies of `common`; in a page they would be written twice. A replay must leave the same bits as
//! the run that was compared with the reference, which is stronger than a tolerance and needs no reference.

mod entry;
mod scenes;

pub use scenes::one as scene;

use super::notation::escape;
use super::packed::packed;
use super::remembered::remembered;
use anyhow::Result;
use common::stage::Stage;

/// The player of a stage: its scenes, and in their place what a browser without WebAssembly shows.
///
/// # Errors
/// When a kernel of the stage cannot be run, or does not pass its comparison.
pub fn render(stage: &'static Stage) -> Result<String> {
    remembered(format!("player {}", stage.name), || make(stage))
}

fn make(stage: &'static Stage) -> Result<String> {
    let scenes = serde_json::to_vec(&scenes::of(stage)?)?;
    Ok(format!(
        "<div class=\"player\" data-stage=\"{name}\">\n<script type=\"text/plain\" class=\"player-scenes\">{scenes}</script>\n\
         <p>Here the kernels of this stage run in the page, step by step, in a browser with WebAssembly. Without it, \
         <code>cargo run -p {name}</code> prints the same counters.</p>\n</div>\n",
        name = escape(stage.name),
        scenes = packed(&scenes)?,
    ))
}
