//! The skeletons of a stage's exercises as scenes, including their faults.

use super::data::{KernelFile, Scenes, Take, language};
use anyhow::Result;
use learn::judge::{self, CaseScene};
use learn::kernel_file::Language;
use learn::set::{Exercise, Role};

/// Returns the launches of the skeletons in both languages.
///
/// # Errors
/// Returns an error if a skeleton cannot be run with the launch on its card.
pub fn of(exercises: &[&Exercise]) -> Result<Scenes> {
    let mut scenes = Scenes::default();
    for exercise in exercises {
        for in_what in Language::ALL {
            let file = format!("exercises/{}/kernels/skeleton.{}", exercise.name, in_what.extension());
            let (name, source) = (exercise.name.clone(), exercise.source(&Role::Skeleton, in_what)?);
            scenes.kernels.push(KernelFile { name, language: language(in_what == Language::Rust), file, source });
            for launch in judge::scenes(exercise, &Role::Skeleton, in_what)? {
                let take = take(&mut scenes, exercise, in_what, launch)?;
                scenes.scenes.push(take);
            }
        }
    }
    Ok(scenes)
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
        reference: format!(
            "a skeleton, of which the checks say “{} …”",
            exercise.card.skeleton.of(in_what).trim_end_matches([' ', ':'])
        ),
        needed_bytes: bytes as f64,
        scene: scenes.shelve(scene)?,
    })
}
