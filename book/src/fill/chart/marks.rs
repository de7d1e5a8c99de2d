//! Marks and dashes by number, which distinguish lines and points without color.

use super::{Line, label, line, text};
use std::f64::consts::PI;

const RADIUS: f64 = 4.5;

/// The dash patterns, solid first; they repeat after the last.
const DASHES: [&str; 5] = ["none", "7 4", "2 3", "10 3 2 3", "14 5"];

/// Returns the dashes of a line as the value of an SVG attribute.
fn dashes(number: usize) -> &'static str {
    DASHES[number % DASHES.len()]
}

/// Returns a line through places `x,y x,y`. Lines of an earlier stage are thin.
fn stroke(index: usize, is_baseline: bool, points: &str) -> String {
    let class = if is_baseline { "series outlined" } else { "series" };
    format!("<polyline class=\"{class}\" stroke-dasharray=\"{}\" points=\"{points}\"/>\n", dashes(index))
}

/// Returns a line through places, with a mark at each.
pub fn series(index: usize, is_baseline: bool, places: &[(f64, f64)]) -> String {
    let joined: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let marks = places.iter().map(|&(x, y)| mark(index, x, y, is_baseline));
    stroke(index, is_baseline, &joined.join(" ")) + &marks.collect::<String>()
}

/// Returns vertical lines from the low to the high end of each range that is not empty, `(x, low, high)`.
pub fn whiskers(ranges: impl Iterator<Item = (f64, f64, f64)>) -> String {
    ranges.filter(|(_, low, high)| low != high).map(|(x, low, high)| line("whisker", (x, low), (x, high))).collect()
}

/// Returns a circle, square, triangle, diamond or pentagon around a place. Marks of an earlier stage are outlined.
pub fn mark(number: usize, x: f64, y: f64, is_outlined: bool) -> String {
    let class = if is_outlined { "mark outlined" } else { "mark" };
    let (corners, turn) = match number % 5 {
        0 => return format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/>\n"),
        1 => (4, PI / 4.0),
        2 => (3, 0.0),
        3 => (4, 0.0),
        _ => (5, 0.0),
    };
    let corner = |number: usize| {
        let angle = turn + 2.0 * PI * number as f64 / corners as f64;
        // A shape with few corners looks smaller than its circumscribed circle.
        let radius = RADIUS * 1.25;
        format!("{:.1},{:.1}", x + radius * angle.sin(), y - radius * angle.cos())
    };
    let points: Vec<String> = (0..corners).map(corner).collect();
    format!("<polygon class=\"{class}\" points=\"{}\"/>\n", points.join(" "))
}

/// Returns an entry of the list below a chart: the number and the look of a line, its name, and a summary at the right. `look` is the
/// index of its marks and dashes, and its number is as much after the `first` one.
pub fn key(first: usize, look: usize, line: &Line, y: f64) -> String {
    let mut svg = label(0.0, y, first + look);
    svg += &stroke(look, line.is_baseline, &format!("18,{0} 58,{0}", y - 5.0));
    svg += &mark(look, 38.0, y - 5.0, line.is_baseline);
    svg += &text(68.0, y, line.name.0, line.name.1);
    if line.summary.is_empty() { svg } else { svg + &text(480.0, y, "end", &line.summary) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_marks_and_dashes_differ() {
        let shapes: std::collections::BTreeSet<String> = (0..5).map(|number| mark(number, 0.0, 0.0, false)).collect();
        let lines: std::collections::BTreeSet<&str> = (0..5).map(dashes).collect();
        assert_eq!((shapes.len(), lines.len()), (5, 5));
        assert_ne!(mark(1, 0.0, 0.0, false), mark(1, 0.0, 0.0, true));
    }
}
