//! The recorded times of all stages in one table, beside what the tutorials published.

use super::kernels::STAGES;
use super::ladder::unbroken;
use super::notation::{milliseconds, three_digits};
use super::records::Records;
use anyhow::Result;

/// Each stage's own kernels, with the records that `records` finds for it.
///
/// # Errors
/// When a stage or one of its kernels is not recorded.
pub fn render(records: impl Fn(&str) -> Result<Records>) -> Result<String> {
    let mut text = String::from("| stage | problem | kernel | ours | gain | published |\n|---|---|---|--:|--:|---|\n");
    let mut devices: Vec<String> = Vec::new();
    for stage in STAGES {
        let records = records(stage.name)?;
        for row in stage.rows.iter().filter(|row| !stage.is_baseline(row)) {
            let timed = records.of(row.kernel)?;
            let gain =
                timed.record.below.as_ref().map_or("–".into(), |below| format!("{} ×", three_digits(below.ratio)));
            let number = stage.name.split('-').next().unwrap_or_default().trim_start_matches("stage0");
            text += &format!(
                "| {number} | {:?} | `{}` | {} | {} | {} |\n",
                row.work.tutorial(),
                row.kernel,
                unbroken(&milliseconds(timed.time.median)),
                unbroken(&gain),
                row.published.unwrap_or("–"),
            );
            if !devices.contains(&timed.device()) {
                devices.push(timed.device());
            }
        }
    }
    Ok(text + &format!("\n<p class=\"source\">Ours: {}; the tutorials' sizes.</p>\n", devices.join("; ")))
}
