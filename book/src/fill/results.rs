//! The recorded times of all stages in one table, every device beside what the tutorials published.

use super::devices::Device;
use super::kernels::STAGES;
use super::ladder::unbroken;
use super::notation::{escape, milliseconds, three_digits};
use super::records::{Records, Timed, short};
use anyhow::{Context, Result};
use common::stage::{Rung, Stage};

/// Each stage's own kernels, with a time and a gain for each device.
///
/// # Errors
/// When no device is recorded, or the first lacks a stage or one of its kernels. The others may.
pub fn render(devices: &[Device]) -> Result<String> {
    let (first, _) = devices.split_first().context("no GPU's runs are recorded in results/")?;
    let names: String = devices.iter().map(|device| format!(" {} | gain |", escape(&device.name))).collect();
    let mut text = format!(
        "| stage | problem | kernel |{names} published |\n|---|---|---|{}---|\n",
        "--:|--:|".repeat(devices.len())
    );
    let mut sources: Vec<String> = Vec::new();
    for stage in STAGES {
        let recorded = devices.iter().map(|device| of_stage(device, stage, device.folder == first.folder));
        let recorded = recorded.collect::<Result<Vec<_>>>()?;
        for rung in stage.rungs.iter().filter(|rung| !stage.is_baseline(rung)) {
            let timed = recorded.iter().map(|records| of_row(records.as_ref(), rung)).collect::<Result<Vec<_>>>()?;
            text += &line(stage, rung, &timed);
            for source in timed.iter().flatten().map(Timed::device) {
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
        }
    }
    Ok(text + &format!("\n<p class=\"source\">Ours: {}; the tutorials' sizes.</p>\n", sources.join("; ")))
}

/// The stage's run on a device; the first device must have one.
fn of_stage(device: &Device, stage: &Stage, is_first: bool) -> Result<Option<(Records, bool)>> {
    if !is_first && !Records::file(&device.folder, stage.name).is_file() {
        return Ok(None);
    }
    Ok(Some((Records::in_folder(&device.folder, stage.name)?, is_first)))
}

fn of_row<'a>(records: Option<&'a (Records, bool)>, rung: &Rung) -> Result<Option<Timed<'a>>> {
    match records {
        Some((records, is_first)) if *is_first || records.list().iter().any(|record| record.kernel == rung.kernel) => {
            records.of(rung.kernel).map(Some)
        }
        _ => Ok(None),
    }
}

fn line(stage: &Stage, rung: &Rung, timed: &[Option<Timed>]) -> String {
    let number = short(stage.name).trim_start_matches("stage0");
    let cells: String = timed.iter().map(|timed| format!(" {} |", cells(timed.as_ref()))).collect();
    format!(
        "| {number} | {} | `{}` |{cells} {} |\n",
        rung.work.facts().letter,
        rung.kernel,
        rung.published.unwrap_or("–")
    )
}

/// Time, and gain over the rung below.
fn cells(timed: Option<&Timed>) -> String {
    let time = timed.map_or("–".into(), |timed| milliseconds(timed.time.median));
    let below = timed.and_then(|timed| timed.record.below.as_ref());
    let gain = below.map_or("–".into(), |below| format!("{} ×", three_digits(below.ratio)));
    format!("{} | {}", unbroken(&time), unbroken(&gain))
}
