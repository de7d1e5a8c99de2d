//! From options to launches: which kernels, at which size, in which shape. Everything is judged before anything runs.

mod languages;
mod launch;

pub use languages::COMPARED_N;
pub use launch::Plan;

use crate::device::Backend;
use crate::error::{Error, usage};
use crate::options::Options;
use crate::problem::Size;
use crate::stage::{Grid, Rung, Shape, Stage};
use std::path::Path;

/// What the options ask of a stage, in the order of its table.
///
/// # Errors
/// [`Error::Usage`], for the first kernel that cannot run so, and for an option that no chosen kernel heeds.
pub fn plan<'a>(stage: &'a Stage, options: &Options, backend: Backend) -> Result<Vec<Plan<'a>>, Error> {
    let is_chosen = |rung: &Rung| {
        options.kernel.is_empty() || options.kernel.iter().any(|name| name.eq_ignore_ascii_case(rung.kernel))
    };
    // where no rung takes the `--n`, the first one's refusal says so
    let is_out_of_range = !stage.rungs.iter().any(|rung| is_fitting(rung, options));
    let is_planned = |rung: &&Rung| is_chosen(rung) && (is_out_of_range || is_fitting(rung, options));
    let rungs: Vec<&Rung> = stage.rungs.iter().copied().filter(is_planned).collect();
    require_heeded(&rungs, options)?;
    require_writable(&rungs, options)?;
    let mut plans = Vec::new();
    for rung in rungs {
        let facts = rung.work.facts();
        let size = Size {
            n: options.n_usize()?.unwrap_or_else(|| rung.work.default_n(backend)),
            steps: facts.default_steps(backend).map(|default| options.steps.unwrap_or(default)),
            seed: options.seed,
            parameters: facts.heeded(&options.parameters),
        };
        let single = [Shape { grid: options.grid, block: options.block.unwrap_or(rung.block) }];
        let shapes = if options.sweep && !rung.sweep.is_empty() { rung.sweep } else { &single };
        for &shape in shapes {
            plans.push(Plan::new(rung, size.clone(), shape)?);
        }
    }
    languages::chosen(plans, options.language)
}

/// Whether a rung takes the `--n` of all. One that is named by `--kernel` is judged with its options.
fn is_fitting(rung: &Rung, options: &Options) -> bool {
    let n = options.n.and_then(|n| usize::try_from(n).ok());
    !options.kernel.is_empty() || n.is_none_or(|n| rung.work.facts().accepted.contains(&n))
}

/// A line for each problem that does not take the `--n` that others take.
#[must_use]
pub fn left_out(stage: &Stage, options: &Options) -> Vec<String> {
    let line = |rung: &Rung| {
        let facts = rung.work.facts();
        let (low, high, unit) = (facts.accepted.start(), facts.accepted.end(), facts.units());
        format!("{}, {}, is left out: it takes {low} to {high} {unit}.", facts.letter, facts.title)
    };
    let mut lines: Vec<String> =
        stage.rungs.iter().filter(|rung| !is_fitting(rung, options)).map(|rung| line(rung)).collect();
    lines.dedup();
    lines
}

/// An option without an effect would be taken for one with.
fn require_heeded(rungs: &[&Rung], options: &Options) -> Result<(), Error> {
    let has_stride = rungs.iter().any(|rung| matches!(rung.grid, Grid::Stride(_)));
    let has_steps = rungs.iter().any(|rung| rung.work.facts().steps.is_some());
    let has_sweep = rungs.iter().any(|rung| !rung.sweep.is_empty());
    let is_heeded = |name: &str| rungs.iter().any(|rung| rung.work.facts().has_parameter(name));
    if let Some((name, value)) = options.parameters.iter().find(|(name, _)| !is_heeded(name)) {
        return usage(format!("--{name} {value}: no chosen kernel takes this option"));
    }
    match (options.grid, options.steps) {
        (Some(grid), _) if !has_stride => {
            usage(format!("--grid {grid}: no chosen kernel has a grid-stride loop; their grids follow from n"))
        }
        (_, Some(steps)) if !has_steps => usage(format!("--steps {steps}: no chosen kernel takes time steps")),
        _ if options.sweep && !has_sweep => usage("--sweep: no chosen kernel has launch shapes to try".into()),
        _ => Ok(()),
    }
}

/// Refuses files that no chosen kernel writes, and those that cannot be written.
fn require_writable(rungs: &[&Rung], options: &Options) -> Result<(), Error> {
    let is_written = |name: &str| rungs.iter().any(|rung| rung.work.facts().has_file(name));
    for (file, path) in &options.files {
        let refuse = |reason: &str| usage(format!("--{} {}: {reason}", file.name, path.display()));
        if !is_written(file.name) {
            return refuse(file.refusal);
        }
        if let Some((extension, reason)) = file.extension
            && !path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
        {
            return refuse(reason);
        }
        if let Some(reason) = unwritable(path) {
            return refuse(&reason);
        }
    }
    Ok(())
}

/// A file goes into a folder that is there, and does not take the place of one.
fn unwritable(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Some(format!("there is no folder {}", folder.display()));
    }
    path.is_dir().then(|| "this is a folder; name a file".into())
}

#[cfg(test)]
mod tests;
