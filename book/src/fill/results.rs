//! The recorded times of all stages in one table, with every device and the times that the tutorials published.

use super::devices::Device;
use super::kernels::STAGES;
use super::ladder::unbroken;
use super::notation::escape;
use super::records::{NOT_RECORDED, Records, Timed, short};
use anyhow::{Result, ensure};
use common::format::{milliseconds, significant};
use common::stage::{Rung, Stage};

/// Returns a table of each stage's kernels, with a time and a gain per device. A device may lack stages and kernels.
///
/// # Errors
/// Returns an error if no device is recorded, or if a record has wrong results or no time.
pub fn render(devices: &[Device]) -> Result<String> {
    ensure!(!devices.is_empty(), "no GPU's runs are recorded in results/");
    let names: String = devices.iter().map(|device| format!(" {} | gain |", escape(&device.name))).collect();
    let mut text = format!(
        "| stage | problem | kernel |{names} published |\n|---|---|---|{}---|\n",
        "--:|--:|".repeat(devices.len())
    );
    let mut sources: Vec<String> = Vec::new();
    for stage in STAGES {
        let recorded = devices.iter().map(|device| Records::in_folder(&device.folder, stage.name));
        let recorded = recorded.collect::<Result<Vec<_>>>()?;
        for rung in stage.rungs.iter().filter(|rung| !stage.is_baseline(rung)) {
            let timed = recorded.iter().map(|records| records.find(rung.kernel)).collect::<Result<Vec<_>>>()?;
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

fn line(stage: &Stage, rung: &Rung, timed: &[Option<Timed>]) -> String {
    let number = short(stage.name).trim_start_matches("stage0");
    // The first device is the one that the chapters show.
    let without = [NOT_RECORDED].into_iter().chain(std::iter::repeat("–"));
    let cells: String =
        timed.iter().zip(without).map(|(timed, dash)| format!(" {} |", cells(timed.as_ref(), dash))).collect();
    format!(
        "| {number} | {} | `{}` |{cells} {} |\n",
        rung.work.facts().letter,
        rung.kernel,
        rung.published.unwrap_or("–")
    )
}

/// Returns a time and its gain over the rung below.
fn cells(timed: Option<&Timed>, without: &str) -> String {
    let time = timed.map_or(without.into(), |timed| milliseconds(timed.time.median));
    let below = timed.and_then(|timed| timed.record.below.as_ref());
    let gain = below.map_or("–".into(), |below| format!("{} ×", significant(below.ratio)));
    format!("{} | {}", unbroken(&time), unbroken(&gain))
}
