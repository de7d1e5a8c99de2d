//! The progress of a problem over the stages: for the fastest kernel of each stage, how busy its busiest unit is.

use super::chart::{line, text};
use super::devices::Device;
use super::figure::{frame, open};
use super::kernels::STAGES;
use super::notation::escape;
use super::peaks;
use super::records::{NOT_RECORDED, Records, short};
use anyhow::{Result, bail};
use common::format::{milliseconds, percent, significant, thousands};
use std::fmt::Write;
use std::path::Path;

/// The length of a bar for a unit that is busy all the time. Its name is to the right of it.
const LIMIT: f64 = 285.0;
const TOP: f64 = 30.0;
const ROW_HEIGHT: f64 = 42.0;

/// The fastest kernel of a stage.
struct Step {
    stage: String,
    kernel: &'static str,
    /// The time in milliseconds.
    time: f64,
    /// The busiest unit and its share of the time; `None` if it is not recorded.
    busiest: Option<(String, f64)>,
}

/// Returns the chart of the problem with this letter.
///
/// # Errors
/// Returns an error if no kernel of the problem is recorded on the device, or if a record has wrong results or no time.
pub fn render(letter: &str, results: &Path, device: &Device) -> Result<String> {
    let known = peaks::ceilings(results, device)?;
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
                best = Some(Step { stage, kernel: rung.kernel, time, busiest: peaks::busiest(&known, rung, &timed) });
            }
            (source, problem) = (timed.device(), Some((rung.work.facts(), timed.record.size)));
        }
        steps.extend(best);
    }
    let (Some(first), Some(last), Some((facts, size))) = (steps.first(), steps.last(), problem) else {
        bail!("no kernel of problem {letter} is recorded in {}", device.folder.display());
    };
    let caption = format!(
        "<strong>{}, {} {}: {} times as fast.</strong> The fastest kernel of each stage that has one, on {}. A bar is the share of the time \
         for which its busiest unit is needed, at the rate that was measured for the unit; the line is the whole time. A unit \
         that is busy all the time can do no more, unless a kernel needs less of it.",
        facts.title,
        thousands(size as u64),
        facts.units(),
        significant(first.time / last.time),
        escape(&source),
    );
    Ok(frame(&draw(&steps), &caption))
}

fn draw(steps: &[Step]) -> String {
    let bottom = TOP + ROW_HEIGHT * steps.len() as f64;
    let words: Vec<String> = steps.iter().map(|step| format!("{}: {}", step.stage, numbers(step))).collect();
    let mut svg = open(bottom as u32 + 10, "From the first kernel to the limit", &words.join("; "));
    svg += &text(LIMIT, 18.0, "middle", "all of the time");
    svg += &line("roof", (LIMIT, TOP - 6.0), (LIMIT, bottom));
    for (number, step) in (0..).zip(steps) {
        let y = TOP + ROW_HEIGHT * f64::from(number);
        let width = (LIMIT * step.busiest.as_ref().map_or(0.0, |(_, share)| share.min(1.0))).max(1.0);
        svg += &text(0.0, y + 12.0, "halo", &format!("{}: {}", step.stage, step.kernel));
        svg += &text(480.0, y + 12.0, "end halo", &milliseconds(step.time));
        // Writing to a String cannot fail.
        let _ = writeln!(svg, "<rect class=\"bar\" x=\"0\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\"/>", y + 19.0);
        svg += &text(LIMIT + 8.0, y + 31.0, "", &busiest(step));
    }
    svg + "</svg>"
}

/// Describes a step: `0.892 ms, issue slots 28 %`.
fn numbers(step: &Step) -> String {
    format!("{}, {}", milliseconds(step.time), busiest(step))
}

/// Returns the label of a bar: `issue slots 28 %`.
fn busiest(step: &Step) -> String {
    step.busiest.as_ref().map_or(NOT_RECORDED.into(), |(name, share)| format!("{name} {}", percent(*share)))
}
