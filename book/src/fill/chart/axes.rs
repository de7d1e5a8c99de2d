//! The frame of a chart: grid lines, and the numbers and names of the axes.

use super::Log;
use crate::fill::notation::escape;

/// The frame of a chart with its scales, in units of the picture.
pub struct Panel<'a> {
    /// The left, top, right and bottom.
    pub frame: (f64, f64, f64, f64),
    pub x: Log,
    pub y: Log,
    /// The names of the axes with their units.
    pub names: (&'a str, &'a str),
}

/// The space that [`Panel::draw`] needs above and below the frame.
pub const ABOVE: f64 = 32.0;
pub const BELOW: f64 = 44.0;

impl Panel<'_> {
    /// Draws grid lines, numbers and names. `x_ticks` are the places of the numbers on the x axis, and `write` formats numbers, the
    /// second one those of the y axis.
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

/// Returns a straight line with a class.
pub fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n",
        from.0, from.1, to.0, to.1
    )
}

/// Returns one line of text.
pub fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n", escape(content))
}

/// Returns the heading of a group. It begins inside of the picture, because a J reaches to the left of its place.
pub fn heading(y: f64, content: &str) -> String {
    text(2.0, y, "group", content)
}

/// Returns a time for an axis: `20 µs`, `0.5 ms`, `1 s`.
pub fn short_time(time: f64) -> String {
    match time {
        ..0.1 => format!("{} µs", time * 1e3),
        ..1000.0 => format!("{time} ms"),
        _ => format!("{} s", time / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_an_axis_are_short() {
        assert_eq!([0.02, 0.5, 500.0, 1000.0].map(short_time), ["20 µs", "0.5 ms", "500 ms", "1 s"]);
    }
}
