//! The skeletons of a stage's exercises as scenes, with their faults and with what the checks say about them.

use super::data::{KernelFile, Scenes, Take, language};
use anyhow::Result;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role};
use judge::{CaseScene, Submission};
use loading::workspace_root;

/// Returns the launches of the skeletons in both languages.
///
/// # Errors
/// Returns an error if a skeleton cannot be run with the launch on its card.
pub fn record(exercises: &[&Exercise]) -> Result<Scenes> {
    let mut scenes = Scenes::default();
    for exercise in exercises {
        for in_what in Language::ALL {
            let file = format!("exercises/{}/kernels/skeleton.{}", exercise.name, in_what.extension());
            let skeleton = Submission::prebuilt(exercise, &Role::Skeleton, in_what)?;
            let finding = finding(exercise, &skeleton)?;
            for launch in judge::scenes(exercise, &skeleton)? {
                let take = Take { finding: finding.clone(), ..take(&mut scenes, exercise, in_what, launch)? };
                scenes.scenes.push(take);
            }
            let name = exercise.name.clone();
            let source = skeleton.text;
            scenes.kernels.push(KernelFile { name, language: language(in_what == Language::Rust), file, source });
        }
    }
    Ok(scenes)
}

/// Returns the first failure of a skeleton, as `cargo learn check` prints it in the root of the workspace; none if it passes all
/// checks.
fn finding(exercise: &Exercise, skeleton: &Submission) -> Result<Option<String>> {
    let solution = Submission::prebuilt(exercise, &Role::Solution, skeleton.language)?;
    let verdict = judge::judge(exercise, &solution, skeleton)?;
    // A reader's checkout is in another folder than the one that the book is built in.
    let root = format!("{}/", workspace_root().display());
    Ok(verdict.failure.map(|failure| format!("{}: {}", failure.check.word(), failure.text.replace(&root, ""))))
}

fn take(scenes: &mut Scenes, exercise: &Exercise, in_what: Language, launch: CaseScene) -> Result<Take> {
    let CaseScene { name, scene } = launch;
    let blocks = scene.grid.iter().product();
    let block = scene.block.iter().product();
    let bytes: usize = scene.memory.iter().map(|place| place.contents.len()).sum();
    Ok(Take {
        kernel: exercise.name.clone(),
        language: language(in_what == Language::Rust),
        size: name,
        n: blocks as usize * block as usize,
        block,
        blocks,
        reference: "the skeleton of an exercise, which no reference was compared with".to_owned(),
        finding: None,
        needed_bytes: bytes as f64,
        scene: scenes.shelve(scene)?,
    })
}
