//! The frame of a chart: grid lines, numbers and names of its axes.

use super::Log;
use crate::fill::notation::escape;

/// A chart's frame with its scales, in the picture's units.
pub struct Panel<'a> {
    /// Left, top, right, bottom.
    pub frame: (f64, f64, f64, f64),
    pub x: Log,
    pub y: Log,
    /// What the axes show, with their units.
    pub names: (&'a str, &'a str),
}

/// What [`Panel::draw`] needs above and below the frame.
pub const ABOVE: f64 = 28.0;
pub const BELOW: f64 = 44.0;

impl Panel<'_> {
    /// Grid lines, numbers and names. `x_ticks` and `write` say where and how numbers stand; the second is for y.
    pub fn draw(&self, x_ticks: &[f64], write: (impl Fn(f64) -> String, impl Fn(f64) -> String)) -> String {
        let (left, top, right, bottom) = self.frame;
        let mut svg = text(0.0, top - 14.0, "", self.names.1);
        for &tick in &self.y.ticks() {
            let y = self.y.at(tick);
            svg += &line("grid", (left, y), (right, y));
            svg += &text(left - 6.0, y + 5.0, "end", &write.1(tick));
        }
        for &tick in x_ticks {
            let x = self.x.at(tick);
            svg += &line("grid", (x, top), (x, bottom));
            svg += &text(x, bottom + 18.0, "middle", &write.0(tick));
        }
        svg += &line("line", (left, top), (left, bottom));
        svg += &line("line", (left, bottom), (right, bottom));
        svg + &text((left + right) / 2.0, bottom + 37.0, "middle", self.names.0)
    }
}

/// A straight line of a class.
pub fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n",
        from.0, from.1, to.0, to.1
    )
}

/// One line of text.
pub fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n", escape(content))
}

/// `20 µs`, `0.5 ms`, for the numbers of an axis.
pub fn short_time(time: f64) -> String {
    if time < 0.1 { format!("{} µs", time * 1e3) } else { format!("{time} ms") }
}
