//! The table as Markdown.

use super::{Row, reasons};
use std::fmt::Write;

const HEAD: &str = "# Counts by both compilers

`cargo x compilers` wrote this file: the warp instructions of each kernel of the stages (n = 1,024) and of the exercises (first
case) on the emulator, compiled by NVRTC and by clang with the course's header. A ratio is clang's count divided by NVRTC's.
Every result of a stage's kernel is correct with either compiler. `periodicPersistent` is left out, because its blocks poll a
counter, and how often they do differs from run to run.
";

/// Returns the file's text.
pub fn text(rows: &[Row], compilers: &[String; 2]) -> String {
    let mut text = format!("{HEAD}\nNVRTC is {}, clang is {}.\n", compilers[0], compilers[1]);
    text.push_str("\n| kernels of | number | least | median | most |\n|---|---|---|---|---|\n");
    let mut groups: Vec<&str> = rows.iter().map(|row| row.group.as_str()).collect();
    groups.dedup();
    for group in groups {
        summary(&mut text, group, &ratios(rows.iter().filter(|row| row.group == group)));
    }
    summary(&mut text, "all", &ratios(rows.iter()));
    text.push_str("\n## More than 15 % apart\n\n| kernel | NVRTC | clang | ratio | reason |\n|---|---|---|---|---|\n");
    for row in rows.iter().filter(|row| reasons::is_apart(row)) {
        let [nvrtc, clang] = row.instructions;
        let reason = reasons::reason_for(row).unwrap_or_default();
        let _ = writeln!(text, "| {} | {nvrtc} | {clang} | {:.2} | {reason} |", row.kernel, row.ratio());
    }
    text
}

/// Returns the ratios in ascending order.
fn ratios<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<f64> {
    let mut ratios: Vec<f64> = rows.map(Row::ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

fn summary(text: &mut String, name: &str, ratios: &[f64]) {
    if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
        let median = ratios[ratios.len() / 2];
        let _ = writeln!(text, "| {name} | {} | {least:.2} | {median:.2} | {most:.2} |", ratios.len());
    }
}
