//! Refusals: options that cannot be met, and kernels that the device is too old, too new or too small for.

mod too_long;

use crate::device::{Device, DeviceChoice};
use crate::error::{Error, usage};
use crate::format::thousands;
use crate::options::Options;
use crate::stage::{Grid, Plan, Rung, Stage};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use std::path::Path;

/// Refuses options that would be silently ignored, and files that cannot be written.
///
/// # Errors
/// [`Error::Usage`], naming the option, its value and the reason.
pub fn refuse(stage: &Stage, options: &Options) -> Result<(), Error> {
    let rungs = options.rungs(stage);
    require_effect_on_kernels(&rungs, options)?;
    require_effect_of_runs(options)?;
    require_writable(&rungs, options)
}

/// Returns the plans that the device runs, and a line about what is left out.
///
/// # Errors
/// As [`Options::plans`].
pub fn admit<'a>(stage: &'a Stage, options: &Options, device: &Device) -> Result<(Vec<Plan<'a>>, Vec<String>), Error> {
    let (plans, too_new) = runnable(options.plans(stage, device.backend)?, device);
    let (plans, too_long) = too_long::in_time(plans, stage, options, device);
    Ok((plans, left_out(stage, options).into_iter().chain(too_new).chain(too_long).collect()))
}

/// Returns a line for each problem that does not accept the `--n` that others accept.
fn left_out(stage: &Stage, options: &Options) -> Vec<String> {
    let line = |rung: &Rung| {
        let facts = rung.work.facts();
        let low = facts.accepted.start();
        let high = facts.accepted.end();
        let unit = facts.units();
        format!("{}, {}, is left out: it takes {low} to {high} {unit}.", facts.letter, facts.title)
    };
    let mut lines: Vec<String> = stage.rungs.iter().filter(|rung| !options.fits(rung)).map(|rung| line(rung)).collect();
    lines.dedup();
    lines
}

/// Splits off the plans that the device is too old for, or too new, or too small. The second value is a line for each requirement
/// that it does not meet.
fn runnable<'a>(plans: Vec<Plan<'a>>, device: &Device) -> (Vec<Plan<'a>>, Vec<String>) {
    let shared_bytes = device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    split(plans, device.compute_capability, shared_bytes)
}

/// Splits plans likewise for a device that gives a block this much shared memory.
fn split(plans: Vec<Plan>, capability: (i32, i32), shared_bytes: Option<u32>) -> (Vec<Plan>, Vec<String>) {
    let mut missing: Vec<(String, Vec<&str>)> = Vec::new();
    let is_runnable = |plan: &Plan| {
        let Some(needs) = needs(plan, capability, shared_bytes) else { return true };
        let place = missing.iter().position(|(other, _)| *other == needs).unwrap_or(missing.len());
        if place == missing.len() {
            missing.push((needs, Vec::new()));
        }
        let kernels = &mut missing[place].1;
        // A kernel may have several plans, one after the other.
        if kernels.last() != Some(&plan.rung.kernel) {
            kernels.push(plan.rung.kernel);
        }
        false
    };
    let plans = plans.into_iter().filter(is_runnable).collect();
    let line = |(needs, kernels): (String, Vec<&str>)| {
        let [are, they] = if kernels.len() == 1 { ["is", "it needs"] } else { ["are", "they need"] };
        format!("{} {are} left out: {they} {needs}.", kernels.join(", "))
    };
    (plans, missing.into_iter().map(line).collect())
}

/// Returns what a plan needs and such a device lacks.
fn needs(plan: &Plan, capability: (i32, i32), shared_bytes: Option<u32>) -> Option<String> {
    if let Some(lacking) = plan.lacks(capability) {
        return Some(lacking);
    }
    let bytes = plan.shared_bytes();
    let has = shared_bytes.filter(|&most| bytes > most)?;
    Some(format!("{} KiB of shared memory per block, and this GPU has {}", bytes.div_ceil(1024), has / 1024))
}

/// Returns the line for a plan whose data do not fit in the memory of the device.
pub fn no_room(plan: &Plan, device: &Device) -> String {
    let room = device.context.mem_get_info().ok().map(|(free, total)| {
        let [free, total] = [free, total].map(|bytes| thousands((bytes >> 20) as u64));
        format!(": {free} of {total} MiB are free")
    });
    let what = format!("{}, {}, is left out", plan.name(), plan.describe_size());
    format!("{what}: it does not fit in this GPU's memory{}. A smaller --n may.", room.unwrap_or_default())
}

/// Refuses options that change nothing about the chosen kernels.
fn require_effect_on_kernels(rungs: &[&Rung], options: &Options) -> Result<(), Error> {
    let has_stride = rungs.iter().any(|rung| matches!(rung.grid, Grid::Stride(_)));
    let has_steps = rungs.iter().any(|rung| rung.work.facts().steps.is_some());
    let has_sweep = rungs.iter().any(|rung| !rung.sweep.is_empty());
    let has_seed = rungs.iter().any(|rung| rung.work.facts().is_seeded);
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
        _ if options.has_seed && !has_seed => {
            usage(format!("--seed {}: the inputs of the chosen kernels are not random", options.seed))
        }
        _ => Ok(()),
    }
}

/// Refuses `--runs` if nothing is timed.
fn require_effect_of_runs(options: &Options) -> Result<(), Error> {
    match options.runs {
        Some(runs) if options.check => usage(format!("--runs {runs}: --check measures no times")),
        Some(runs) if options.device == DeviceChoice::Emulator => {
            usage(format!("--runs {runs}: the emulator measures no times; use --device cuda"))
        }
        _ => Ok(()),
    }
}

/// Refuses files that no chosen kernel writes, and files that cannot be written.
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

/// Returns the reason why a file cannot be written: its folder does not exist, or it is a folder itself.
fn unwritable(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Some(format!("there is no folder {}", folder.display()));
    }
    path.is_dir().then(|| "this is a folder; name a file".into())
}

#[cfg(test)]
mod tests;
