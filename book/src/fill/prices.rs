//! `{{prices}}`: what each compiler setting contributes to the speed of kernels in Rust, from runs of kernels compiled
//! without it. `cargo run -p book -- prices` makes the record.

use super::Sources;
use super::notation::{milliseconds, three_digits};
use super::records::{NOT_RECORDED, device, text_of};
use anyhow::{Context, Result};
use common::report::Record;
use serde::{Deserialize, Serialize};

/// The name of the record in the folder of a device.
pub const FILE: &str = "prices.json";

/// A kernel in Rust, compiled without one of the things that make it fast.
#[derive(Debug, Serialize, Deserialize)]
pub struct Price {
    /// The name of what is left out; `None` for the kernel as it is.
    pub without: Option<String>,
    /// Its run.
    pub record: Record,
}

/// The settings left out: their names in the record and in the table, in the table's order.
const COLUMNS: [(&str, &str); 5] = [
    ("multiply-add", "without multiply-adds"),
    ("unrolling", "unrolled as LLVM does"),
    ("address-spaces", "generic addresses"),
    ("order", "in the source's order"),
    ("checks", "without checks"),
];

impl Sources {
    /// The recorded runs; none where nothing is recorded.
    pub(super) fn prices(&self) -> Result<Vec<Price>> {
        let file = self.device()?.folder.join(FILE);
        if !file.is_file() {
            return Ok(Vec::new());
        }
        serde_json::from_str(&text_of(&file)?).with_context(|| format!("{} is not a list of prices", file.display()))
    }
}

/// One line for each kernel: its time, and the times without, over it.
pub fn table(prices: &[Price]) -> String {
    let mut text = format!("| kernel | time |{}\n|---|--:|", COLUMNS.map(|(_, words)| format!(" {words} |")).concat());
    text += &format!("{}\n", "--:|".repeat(COLUMNS.len()));
    let whole: Vec<&Price> = prices.iter().filter(|price| price.without.is_none()).collect();
    text.extend(whole.iter().map(|price| line(&price.record, prices)));
    let source = whole.first().map_or_else(|| NOT_RECORDED.into(), |price| device(&price.record));
    text += &format!(
        "\n<p class=\"source\">{source}; medians, and the median without what a column names, over the first.</p>\n"
    );
    text
}

fn line(own: &Record, prices: &[Price]) -> String {
    let median = |record: &Record| record.time_ms.map(|time| time.median);
    let cell = |name: &str| {
        let is_meant = |price: &&Price| price.record.kernel == own.kernel && price.without.as_deref() == Some(name);
        let without = prices.iter().find(is_meant).and_then(|price| median(&price.record));
        without.zip(median(own)).map_or("–".into(), |(without, own)| three_digits(without / own))
    };
    let time = median(own).map_or("–".into(), |time| milliseconds(time).replace(' ', "\u{a0}"));
    let cells = COLUMNS.map(|(name, _)| format!(" {} |", cell(name))).concat();
    format!("| `{}` | {time} |{cells}\n", own.kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspace_root::workspace_root;

    /// A record of the repository with another time.
    fn price(without: Option<&str>, median: f64) -> Price {
        let file = workspace_root().join("results/nvidia-h200/stage01.json");
        let records: Vec<Record> = serde_json::from_str(&text_of(&file).unwrap()).unwrap();
        let mut record = records.into_iter().find(|record| record.language.is_rust()).unwrap();
        record.time_ms.as_mut().unwrap().median = median;
        Price { without: without.map(str::to_owned), record }
    }

    #[test]
    fn a_price_is_the_time_without_over_the_time_with() {
        let text = table(&[price(None, 2.0), price(Some("order"), 3.0), price(Some("checks"), 1.9)]);
        assert!(text.contains(" | – | – | – | 1.50 | 0.950 |\n"), "{text}");
    }

    #[test]
    fn without_a_record_the_table_says_so() {
        assert!(table(&[]).contains("not recorded"));
    }
}
