//! `{{explorer parallelism}}`: the place of `theme/explorer-parallelism.js`, with the measured points in it.

use super::{Measured, Quantity, issue, not_recorded, select};
use crate::fill::notation::escape;
use limits::latency::SCHEDULERS;
use serde_json::json;

/// The explorer's place; the plot of instructions against warps is what a browser without scripts shows.
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

#[cfg(test)]
mod tests {
    use super::super::tests::point;
    use super::*;
    use limits::latency::Unit;

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
