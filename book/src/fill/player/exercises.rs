//! The skeletons of a stage's exercises as scenes, with their faults and with what the checks say about them.

use super::data::{KernelFile, Scenes, Take, language};
use anyhow::{Context, Result};
use learn::judge::{self, CaseScene, Submission};
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
            let finding = finding(exercise, in_what, &source)?;
            scenes.kernels.push(KernelFile { name, language: language(in_what == Language::Rust), file, source });
            for launch in judge::scenes(exercise, &Role::Skeleton, in_what)? {
                let take = Take { finding: finding.clone(), ..take(&mut scenes, exercise, in_what, launch)? };
                scenes.scenes.push(take);
            }
        }
    }
    Ok(scenes)
}

/// Returns the first failure of a skeleton, as `cargo x learn check` prints it; none if it passes all checks.
fn finding(exercise: &Exercise, language: Language, text: &str) -> Result<Option<String>> {
    let ptx = exercise.prebuilt(&Role::Skeleton, language, text);
    let ptx = ptx.with_context(|| format!("{}: its PTX is out of date; run `cargo x ptx`", exercise.name))?;
    let file = exercise.source_file(&Role::Skeleton, language);
    let verdict = judge::judge(exercise, &Submission { file, language, text: text.to_owned(), ptx })?;
    Ok(verdict.failure.map(|failure| format!("{}: {}", failure.check.word(), failure.text)))
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
