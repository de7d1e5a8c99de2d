//! The lines of a chart, with the list of them below it.

use super::{Labels, Log, Panel, key, series, whiskers};

/// The left end of a chart of lines, and the height of a line of its list.
pub const LEFT: f64 = 62.0;
const KEY_HEIGHT: f64 = 22.0;

/// A line of a chart.
pub struct Line<'a> {
    /// The class and the text of its name in the list.
    pub name: (&'a str, &'a str),
    /// Whether it is of an earlier stage.
    pub is_baseline: bool,
    /// The points in the order of their places on the x axis, each with the low end of its range, its value and the high end.
    pub points: Vec<(f64, [f64; 3])>,
    /// The text at the right end of the list.
    pub summary: String,
}

/// The point beside which the number of a line is written.
#[derive(Clone, Copy)]
pub enum Numbered {
    First,
    Last,
    Nowhere,
}

/// Returns a panel for lines, from its top and of a height, and the places of all points on its x axis. `y` are values that its y axis has.
pub fn panel<'a>(
    lines: &[Line],
    (top, right, height): (f64, f64, f64),
    y: impl IntoIterator<Item = f64>,
    names: (&'a str, &'a str),
) -> (Panel<'a>, Vec<f64>) {
    let mut places: Vec<f64> = lines.iter().flat_map(|line| &line.points).map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let bottom = top + height;
    let x = Log::between(places[0], places[places.len() - 1], LEFT + 14.0, right - 14.0);
    (Panel { frame: (LEFT, top, right, bottom), x, y: Log::over(y, bottom, top), names }, places)
}

/// Draws lines with their ranges and their numbers from `first` on.
pub fn draw(panel: &Panel, lines: &[Line], first: usize, numbered: Numbered) -> String {
    let place = |&(x, range): &(f64, [f64; 3])| (panel.x.at(x), range.map(|value| panel.y.at(value)));
    let mut labels = Labels::default();
    for (x, [_, y, _]) in lines.iter().flat_map(|line| &line.points).map(place) {
        labels.keep_free(x, y);
    }
    let mut svg = String::new();
    for (index, line) in lines.iter().enumerate() {
        let places: Vec<(f64, f64)> = line.points.iter().map(place).map(|(x, [_, y, _])| (x, y)).collect();
        svg += &whiskers(line.points.iter().map(place).map(|(x, [low, _, high])| (x, low, high)));
        svg += &series(index, line.is_baseline, &places);
        let labeled = match numbered {
            Numbered::First => places.first(),
            Numbered::Last => places.last(),
            Numbered::Nowhere => None,
        };
        svg += &labeled.map_or_else(String::new, |&(x, y)| labels.write(x, y, first + index));
    }
    svg
}

/// Returns the list of lines below a chart, with their numbers from `first` on.
pub fn list(lines: &[Line], first: usize, top: f64) -> String {
    let entry = |(index, line)| key(first, index, line, top + KEY_HEIGHT * index as f64 + 14.0);
    lines.iter().enumerate().map(entry).collect()
}

/// Returns the height of a list of so many lines.
pub fn list_height(count: usize) -> f64 {
    KEY_HEIGHT * count as f64 + 6.0
}
