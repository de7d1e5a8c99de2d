//! The progress of a problem over the stages: one bar for the fastest kernel of each stage, relative to the limit.

use super::chart::{line, text};
use super::devices::Device;
use super::figure::{framed, open};
use super::kernels::STAGES;
use super::notation::{escape, milliseconds, percent, three_digits, whole};
use super::records::{Records, short};
use anyhow::{Result, bail};
use std::fmt::Write;

/// The length of a bar for the whole limit. The numbers are to the right of it.
const LIMIT: f64 = 330.0;
const TOP: f64 = 26.0;
const ROW_HEIGHT: f64 = 42.0;

/// The fastest kernel of a stage.
struct Step {
    stage: String,
    kernel: &'static str,
    /// The time in milliseconds.
    time: f64,
    /// The share of the device's limit.
    share: f64,
}

/// Returns the chart of the problem with this letter.
///
/// # Errors
/// Returns an error if no kernel of the problem is recorded on the device, or if a record has wrong results or no time.
pub fn render(letter: &str, device: &Device) -> Result<String> {
    let (mut steps, mut source, mut problem) = (Vec::new(), String::new(), None);
    for stage in STAGES {
        let records = Records::in_folder(&device.folder, stage.name)?;
        let mut best: Option<Step> = None;
        for rung in stage.rungs.iter().filter(|rung| !stage.is_baseline(rung) && rung.work.facts().letter == letter) {
            let Some(timed) = records.of(rung.kernel)? else { continue };
            let (time, share) = (timed.time.median, timed.record.limit_share.unwrap_or_default());
            if best.as_ref().is_none_or(|best| time < best.time) {
                let stage = short(stage.name).replace("stage0", "stage ");
                best = Some(Step { stage, kernel: rung.kernel, time, share });
            }
            (source, problem) = (timed.device(), Some((rung.work.facts(), timed.record.size)));
        }
        steps.extend(best);
    }
    let (Some(first), Some(last), Some((facts, size))) = (steps.first(), steps.last(), problem) else {
        bail!("no kernel of problem {letter} is recorded in {}", device.folder.display());
    };
    let caption = format!(
        "<strong>{}, {} {}: {} times as fast.</strong> The fastest kernel of each stage that has one, on {}. The line is the limit: \
         {}.",
        facts.title,
        whole(size as u64),
        facts.units(),
        three_digits(first.time / last.time),
        escape(&source),
        facts.rate.limit_name,
    );
    Ok(framed(&draw(&steps), &caption))
}

fn draw(steps: &[Step]) -> String {
    let bottom = TOP + ROW_HEIGHT * steps.len() as f64;
    let words: Vec<String> = steps.iter().map(|step| format!("{}: {}", step.stage, numbers(step))).collect();
    let mut svg = open(bottom as u32 + 10, "From the first kernel to the limit", &words.join("; "));
    svg += &text(LIMIT, 14.0, "middle", "limit");
    svg += &line("roof", (LIMIT, TOP - 6.0), (LIMIT, bottom));
    for (number, step) in (0..).zip(steps) {
        let y = TOP + ROW_HEIGHT * f64::from(number);
        let width = (LIMIT * step.share).max(1.0);
        svg += &text(0.0, y + 12.0, "halo", &format!("{}: {}", step.stage, step.kernel));
        // Writing to a String cannot fail.
        let _ = writeln!(svg, "<rect class=\"bar\" x=\"0\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\"/>", y + 19.0);
        svg += &text(LIMIT + 10.0, y + 31.0, "", &numbers(step));
    }
    svg + "</svg>"
}

/// Returns the label of a bar: `0.892 ms, 9.0 %`.
fn numbers(step: &Step) -> String {
    format!("{}, {}", milliseconds(step.time), percent(step.share))
}
