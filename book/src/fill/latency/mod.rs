//! The latencies of units, and the parallelism that hides them: `results/DEVICE/latency.json`, recorded by
//! `cargo run -p limits -- --latency`.

mod curves;

pub use curves::{flight, issue};

use super::notation::escape;
use super::records::NOT_RECORDED;
use anyhow::{Context, Result};
use common::format::{scaled, significant};
use limits::latency::{Measured, Quantity, SCHEDULERS, Unit};
use serde_json::json;

fn select(points: &[Measured], quantity: Quantity) -> impl Iterator<Item = &Measured> {
    points.iter().filter(move |point| point.quantity == quantity)
}

/// Returns a table of latencies, in clocks from an instruction to one that needs its result.
pub fn answers(points: &[Measured]) -> String {
    let Some(first) = points.first() else { return not_recorded() };
    let mut text = String::from(
        "| what answers | clocks | instructions that it could issue meanwhile, per scheduler |\n|---|--:|--:|\n",
    );
    // In a chain of additions by one warp per scheduler, the latency is the reciprocal of the rate.
    let alone = select(points, Quantity::Issue).find(|point| point.independent == 1).and_then(|point| point.value);
    let addition = alone.map(|rate| ("addition", 1.0 / rate));
    // The chapter's units; the others are of later ones, and a slide has no room for them.
    const SHOWN: [Unit; 6] = [Unit::Special, Unit::Shuffle, Unit::Shared, Unit::L1, Unit::L2, Unit::Memory];
    let shown = select(points, Quantity::Answer).filter(|point| SHOWN.contains(&point.unit));
    let others = shown.filter_map(|point| Some((point.unit.name(), point.value?)));
    for (name, clocks) in addition.into_iter().chain(others) {
        text += &format!("| {name} | {} | {:.0} |\n", significant(clocks), clocks - 1.0);
    }
    text + &source(first)
}

/// Returns one number: the latency of a unit in clocks, or a rate with a number of warps and independent instructions.
///
/// # Errors
/// Returns an error if there is no such point.
pub fn one(points: &[Measured], words: &[&str]) -> Result<String> {
    if points.is_empty() {
        return Ok(NOT_RECORDED.into());
    }
    let unknown = || {
        format!(
            "there is no latency {}; the forms are unit NAME, read WARPS LOADS and issue WARPS CHAINS",
            words.join(" ")
        )
    };
    let value = match words {
        ["unit", name] => select(points, Quantity::Answer).find(|point| json!(point.unit) == *name),
        ["read", warps, loads] => at(points, Quantity::Read, warps, loads),
        ["issue", warps, chains] => at(points, Quantity::Issue, warps, chains),
        _ => None,
    };
    let point = value.with_context(unknown)?;
    let value = point.value.with_context(unknown)?;
    Ok(match point.quantity {
        Quantity::Read => scaled(value, "B/s"),
        Quantity::Issue => format!("{value:.2}"),
        Quantity::Answer => significant(value),
    })
}

fn at<'a>(points: &'a [Measured], quantity: Quantity, warps: &str, independent: &str) -> Option<&'a Measured> {
    let warps: u32 = warps.parse().ok()?;
    let independent: u32 = independent.parse().ok()?;
    select(points, quantity).find(|point| (point.warps, point.independent) == (warps, independent))
}

/// Returns the place of `theme/explorer-parallelism.js`, with the measured points in it; the plot of instructions against warps is what a browser without scripts shows.
///
/// `limits` are the device's, of which one has its clock and its multiprocessors.
pub fn explorer(points: &[Measured], limits: &[common::ceilings::Measured]) -> String {
    if points.is_empty() {
        return not_recorded();
    }
    let list = |quantity| {
        let point = |point: &Measured| json!([point.warps / SCHEDULERS, point.independent, point.value]);
        select(points, quantity).map(point).collect::<Vec<_>>()
    };
    let most = select(points, Quantity::Read).filter_map(|point| point.value).fold(0.0, f64::max);
    let device = limits.iter().find_map(|limit| Some((limit.clock_hz?, limit.multiprocessors?)));
    let (clock, multiprocessors) = device.unwrap_or_default();
    let data = json!({
        "additions": list(Quantity::Issue),
        "loads": list(Quantity::Read),
        "most": most,
        "clock": clock,
        "multiprocessors": multiprocessors,
    });
    let figure = issue(points);
    format!(
        "<div class=\"explorer\" data-explorer=\"parallelism\" data-points=\"{}\">\n{figure}</div>\n",
        escape(&data.to_string())
    )
}

fn source(point: &Measured) -> String {
    format!("\n<p class=\"source\">{}.</p>\n", escape(&device(point)))
}

fn device(point: &Measured) -> String {
    let day = point.made.date.split('T').next().unwrap_or_default();
    format!("{}, driver {}, {day}, by cargo run -p limits -- --latency", point.made.device, point.made.driver)
}

fn not_recorded() -> String {
    format!("<p class=\"source older\">Latencies are {NOT_RECORDED}.</p>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::ceilings::Provenance;
    use limits::latency::Unit;

    /// A point of a device.
    pub fn point(quantity: Quantity, unit: Unit, (independent, warps): (u32, u32), value: f64) -> Measured {
        Measured {
            quantity,
            unit,
            kernel: "a kernel".into(),
            independent,
            warps,
            value: Some(value),
            made: Provenance { device: "a GPU".into(), date: "2026-11-22T17:00:00Z".into(), ..Provenance::default() },
            verified: true,
        }
    }

    #[test]
    fn an_addition_takes_one_over_the_rate_of_a_chain() {
        let points =
            [point(Quantity::Issue, Unit::Add, (1, 4), 0.25), point(Quantity::Answer, Unit::Memory, (1, 1), 684.2)];
        let text = answers(&points);
        assert!(text.contains("| addition | 4.00 | 3 |") && text.contains("| memory | 684 | 683 |"), "{text}");
        assert_eq!(one(&points, &["unit", "memory"]).unwrap(), "684");
        assert_eq!(one(&points, &["issue", "4", "1"]).unwrap(), "0.25");
        assert!(one(&points, &["unit", "luck"]).is_err());
        assert_eq!(one(&[], &["unit", "luck"]).unwrap(), NOT_RECORDED);
    }

    #[test]
    fn points_are_by_warps_of_a_scheduler() {
        let points =
            [point(Quantity::Issue, Unit::Add, (2, 8), 0.9), point(Quantity::Read, Unit::Memory, (1, 4), 7e11)];
        let html = explorer(&points, &[]);
        assert!(
            html.contains("&quot;additions&quot;:[[2,2,0.9]]") && html.contains("&quot;most&quot;:700000000000.0"),
            "{html}"
        );
    }
}
