//! The progress of a problem over the stages: the times of the fastest kernel of each stage, as bars from zero.

use super::chart::text;
use super::devices::Device;
use super::figure::{frame, open};
use super::kernels::STAGES;
use super::notation::escape;
use super::records::{Records, short};
use anyhow::{Result, bail};
use common::format::{milliseconds, significant, thousands};
use std::fmt::Write;

/// The length of the longest bar. Its time is to the right of it.
const LONGEST: f64 = 285.0;
const TOP: f64 = 6.0;
const ROW_HEIGHT: f64 = 42.0;

/// The fastest kernel of a stage.
struct Step {
    stage: String,
    kernel: &'static str,
    /// The time in milliseconds.
    time: f64,
}

/// Returns the chart of the problem with this letter.
///
/// # Errors
/// Returns an error if no kernel of the problem is recorded on the device, or if a record has wrong results or no time.
pub fn render(letter: &str, device: &Device) -> Result<String> {
    let mut steps = Vec::new();
    let mut source = String::new();
    let mut problem = None;
    for stage in STAGES {
        let records = Records::in_folder(&device.folder, stage.name)?;
        let mut best: Option<Step> = None;
        for rung in stage.rungs.iter().filter(|rung| !stage.is_baseline(rung) && rung.work.facts().letter == letter) {
            let Some(timed) = records.find(rung.kernel)? else { continue };
            let time = timed.time.median;
            if best.as_ref().is_none_or(|best| time < best.time) {
                let stage = short(stage.name).replace("stage0", "stage ");
                best = Some(Step { stage, kernel: rung.kernel, time });
            }
            (source, problem) = (timed.device(), Some((rung.work.facts(), timed.record.size)));
        }
        steps.extend(best);
    }
    let (Some(first), Some(last), Some((facts, size))) = (steps.first(), steps.last(), problem) else {
        bail!("no kernel of problem {letter} is recorded in {}", device.folder.display());
    };
    let caption = format!(
        "<strong>{}, {} {}: {} times as fast.</strong> The median time of the fastest kernel of each stage that has one, on {}. \
         Not every stage is faster than those before it.",
        facts.title,
        thousands(size as u64),
        facts.units(),
        significant(first.time / last.time),
        escape(&source),
    );
    Ok(frame(&draw(&steps), &caption))
}

fn draw(steps: &[Step]) -> String {
    let words: Vec<String> =
        (0..steps.len()).map(|place| format!("{}: {}", steps[place].stage, numbers(steps, place))).collect();
    let height = TOP + ROW_HEIGHT * steps.len() as f64;
    let mut svg = open(height as u32 + 10, "From the first kernel to the fastest", &words.join("; "));
    let longest = steps.iter().map(|step| step.time).fold(0.0, f64::max);
    for (place, step) in steps.iter().enumerate() {
        let y = TOP + ROW_HEIGHT * place as f64;
        let width = LONGEST * step.time / longest;
        svg += &text(0.0, y + 12.0, "halo", &format!("{}: {}", step.stage, step.kernel));
        // Writing to a String cannot fail.
        let _ = writeln!(svg, "<rect class=\"bar\" x=\"0\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\"/>", y + 19.0);
        svg += &text(width + 8.0, y + 31.0, "", &numbers(steps, place));
    }
    svg + "</svg>"
}

/// Describes a step: `0.475 ms`, or `0.945 ms, slower` where an earlier one takes less.
fn numbers(steps: &[Step], place: usize) -> String {
    let step = &steps[place];
    let time = milliseconds(step.time);
    let is_slower = steps[..place].iter().any(|earlier| earlier.time < step.time);
    if is_slower { format!("{time}, slower") } else { time }
}
