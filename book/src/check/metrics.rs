//! The requirement that the metrics of Nsight Compute on a page are among those of the recorded readings.

use super::document::words;
use super::{Material, Report};
use anyhow::Result;

const METRICS: &str = "emulator/driver/examples/measure/metrics.rs";

/// The prefixes of metrics' names.
const UNITS: [&str; 4] = ["l1tex__", "smsp__", "sm__", "sass__"];

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let known = material.text(METRICS)?;
    let mut count = 0;
    for chapter in material.chapters.iter().chain(&material.decks) {
        for (event, range) in chapter.events() {
            let Some(text) = words(&event) else { continue };
            let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
            for name in names.filter(|name| UNITS.iter().any(|unit| name.starts_with(unit))) {
                count += 1;
                if !known.contains(&format!("\"{name}\"")) {
                    let text =
                        format!("`{name}` is not among the metrics of {METRICS}, with which the readings were taken");
                    report.add(&chapter.file, chapter.origin(range.start), text);
                }
            }
        }
    }
    report.count(count, "metrics");
    Ok(())
}
