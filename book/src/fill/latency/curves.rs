//! `{{flight}}`: bytes per second by bytes in flight. `{{schedulers}}`: instructions per clock by warps.

use super::{Measured, Quantity, device, not_recorded, select};
use crate::fill::chart::{self, Numbered};
use crate::fill::figure::{frame, open};
use crate::fill::notation::escape;
use common::format::{scaled, significant};
use limits::latency::SCHEDULERS;

const RIGHT: f64 = 460.0;
const HEIGHT: f64 = 190.0;

/// A line: the number of independent instructions, and the points.
type Line = (u32, Vec<(f64, f64)>);

/// The names of the axes and of a line.
struct Look {
    title: &'static str,
    names: (&'static str, &'static str),
    line: fn(u32) -> String,
    x: fn(f64) -> String,
    y: fn(f64) -> String,
}

/// Bytes per second by bytes in flight in a multiprocessor.
pub fn flight(points: &[Measured]) -> String {
    let look = Look {
        title: "Bytes per second against bytes in flight",
        names: ("bytes in flight in a multiprocessor", "read per second"),
        line: |loads| format!("{loads} load{} of a thread at a time", if loads == 1 { "" } else { "s" }),
        x: |bytes| format!("{} KB", bytes / 1024.0),
        y: |rate| scaled(rate, "B"),
    };
    let caption = "Each warp asks for 512 bytes per load, waits for all of them, and asks for the next. The lines \
        are close: with as many bytes in flight, warps bring up to a quarter more than loads of a warp.";
    chart(&lines(points, Quantity::Read, Measured::bytes_in_flight), &look, caption, points)
}

/// Instructions per clock of a scheduler by its warps.
pub fn issue(points: &[Measured]) -> String {
    let look = Look {
        title: "Instructions per clock against warps",
        names: ("warps of a scheduler", "instructions per clock"),
        line: |chains| format!("{chains} independent chain{} of additions", if chains == 1 { "" } else { "s" }),
        x: |warps| warps.to_string(),
        y: |rate| rate.to_string(),
    };
    let caption =
        "Every addition of a chain needs the one before it. A scheduler issues at most one instruction per clock.";
    chart(&lines(points, Quantity::Issue, |point| f64::from(point.warps / SCHEDULERS)), &look, caption, points)
}

/// A line per number of independent loads or chains.
fn lines(points: &[Measured], quantity: Quantity, x: impl Fn(&Measured) -> f64) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for point in select(points, quantity) {
        let Some(value) = point.value else { continue };
        match lines.iter_mut().find(|(independent, _)| *independent == point.independent) {
            Some((_, places)) => places.push((x(point), value)),
            None => lines.push((point.independent, vec![(x(point), value)])),
        }
    }
    lines
}

fn chart(lines: &[Line], look: &Look, caption: &str, points: &[Measured]) -> String {
    let (Some(first), false) = (points.first(), lines.is_empty()) else { return not_recorded() };
    let key_top = chart::ABOVE + HEIGHT + chart::BELOW;
    let height = key_top + chart::list_height(lines.len());
    let words: Vec<String> = lines.iter().map(|line| in_words(line, look)).collect();
    let names: Vec<String> = lines.iter().map(|(independent, _)| (look.line)(*independent)).collect();
    let values = lines.iter().flat_map(|(_, places)| places).map(|place| place.1);
    let drawn = lines.iter().zip(&names).map(|((_, places), name)| chart::Line {
        name: ("", name),
        is_baseline: false,
        points: places.iter().map(|&(x, y)| (x, [y; 3])).collect(),
        summary: String::new(),
    });
    let lines: Vec<_> = drawn.collect();
    let (panel, numbers) = chart::panel(&lines, (chart::ABOVE, RIGHT, HEIGHT), values, look.names);
    // every second number of many
    let step = numbers.len().div_ceil(6);
    let ticks: Vec<f64> = numbers.into_iter().step_by(step).collect();
    let svg = open(height as u32, look.title, &words.join("; "))
        + &panel.draw(&ticks, (look.x, look.y))
        + &chart::draw(&panel, &lines, 0, Numbered::Nowhere)
        + &chart::list(&lines, 0, key_top);
    frame(&(svg + "</svg>"), &escape(&format!("{caption} {}.", device(first))))
}

fn in_words((independent, places): &Line, look: &Look) -> String {
    let place = |(x, y): &(f64, f64)| format!("{} at {}", significant(*y), (look.x)(*x));
    format!("{}: {}", (look.line)(*independent), places.iter().map(place).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::point;
    use super::*;
    use limits::latency::Unit;

    #[test]
    fn a_line_goes_through_the_points_of_one_number_of_loads() {
        let read = |loads, warps, value| point(Quantity::Read, Unit::Memory, (loads, warps), value);
        let points = [read(1, 4, 1e12), read(1, 8, 2e12), read(2, 4, 2e12)];
        assert_eq!(
            lines(&points, Quantity::Read, Measured::bytes_in_flight),
            [(1, vec![(2048.0, 1e12), (4096.0, 2e12)]), (2, vec![(4096.0, 2e12)])]
        );
        let svg = flight(&points);
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert!(svg.contains("2.00 T at 4 KB") || svg.contains("at 4 KB"), "{svg}");
    }

    #[test]
    fn nothing_measured_is_said() {
        assert!(issue(&[]).contains("not recorded"));
    }
}
