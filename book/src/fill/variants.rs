//! `{{variants}}`: kernels and changed copies of them, timed in turns, which test what a kernel's time is due to.

use super::Sources;
use super::devices;
use super::notation::escape;
use super::records::text_of;
use anyhow::{Context, Result, bail};
use common::format::significant;
use serde::Deserialize;

/// The name of the record in the folder of a device.
const FILE: &str = "variants.json";

/// The variants that were measured on a device. The first is the one to which all others are compared.
#[derive(Deserialize)]
pub struct Variants {
    device: String,
    driver: String,
    date: String,
    variants: Vec<Variant>,
}

/// A kernel or a changed copy of it.
#[derive(Deserialize)]
struct Variant {
    kernel: String,
    change: Option<String>,
    runs: Vec<Run>,
}

/// The runs of a variant at one size.
#[derive(Deserialize)]
struct Run {
    n: usize,
    /// The time of the first variant divided by that of this one in the same round: the median, the least and the greatest.
    times_as_fast: [f64; 3],
    /// Sectors that the multiprocessors read from the L2 cache, by Nsight Compute.
    sectors: Option<f64>,
}

impl Sources {
    /// Returns the variants of the first device that has some.
    pub(super) fn variants(&self) -> Result<Variants> {
        let files = devices::all(&self.results())?.into_iter().map(|device| device.folder.join(FILE));
        let Some(file) = files.into_iter().find(|file| file.is_file()) else { bail!("no device has a {FILE}") };
        parse(&text_of(&file)?).with_context(|| format!("{} has no variants", file.display()))
    }
}

/// Parses a record.
fn parse(text: &str) -> serde_json::Result<Variants> {
    serde_json::from_str(text)
}

/// Returns a line for each variant: how many times as fast as the first it is at each size, and its reads of the L2 cache
/// relative to those of the first.
pub fn table(recorded: &Variants) -> String {
    let first = recorded.variants.first().map_or(&[][..], |first| &first.runs);
    let columns = |run: &Run| {
        let reads = run.sectors.map_or(String::new(), |_| " L2 reads |".to_owned());
        (format!(" *n* = {} |{reads}", run.n), "--:|".repeat(1 + usize::from(run.sectors.is_some())))
    };
    let (heads, rules): (Vec<_>, Vec<_>) = first.iter().map(columns).unzip();
    let lines: String = recorded.variants.iter().map(|variant| line(variant, first)).collect();
    let Variants { device, driver, date, .. } = recorded;
    format!(
        "| kernel | change |{}\n|---|---|{}\n{lines}\n<p class=\"source\">Measured on an {}, driver {}, {}: how many times as \
         fast as the first line, by the median of rounds (least to greatest), and sectors read from the L2 cache relative \
         to it.</p>\n",
        heads.concat(),
        rules.concat(),
        escape(device),
        escape(driver),
        escape(date)
    )
}

fn line(variant: &Variant, first: &[Run]) -> String {
    let cells = variant.runs.iter().zip(first).map(|(run, first)| {
        let [median, least, greatest] = run.times_as_fast.map(significant);
        let reads = run.sectors.zip(first.sectors).map(|(own, first)| format!(" {} |", significant(own / first)));
        format!(" {median} ({least}–{greatest}) |{}", reads.unwrap_or_default())
    });
    let change = variant.change.as_deref().unwrap_or("none");
    format!("| `{}` | {change} |{}\n", variant.kernel, cells.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_compared_with_the_first() {
        let variant = |name: &str, fast: f64, sectors: u32| {
            format!(r#"{{"kernel":"{name}","runs":[{{"n":64,"times_as_fast":[{fast},0.5,2.0],"sectors":{sectors}}}]}}"#)
        };
        let list = format!("{},{}", variant("one", 1.0, 10), variant("two", 0.9, 8));
        let text = format!(r#"{{"stage":"s","device":"X","driver":"5","date":"today","variants":[{list}]}}"#);
        let table = table(&parse(&text).unwrap());
        assert!(table.starts_with("| kernel | change | *n* = 64 | L2 reads |\n|---|---|--:|--:|\n"), "{table}");
        assert!(table.contains("| `two` | none | 0.900 (0.500–2.00) | 0.800 |\n"), "{table}");
    }
}
