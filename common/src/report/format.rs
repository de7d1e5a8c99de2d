//! Numbers and tables as text. Tables keep within [`WIDTH`] columns.

use prettytable::format::{Alignment, FormatBuilder};
use prettytable::{Cell, Row, Table};

/// Columns of text that a report keeps within, for names of kernels up to 28 letters.
pub const WIDTH: usize = 100;

/// What stands where there is no number.
pub const DASH: &str = "-";

/// A heading, then a line for each change of group, and the rows.
pub(crate) fn render_groups(headings: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let (groups, rows): (Vec<String>, Vec<Vec<String>>) = rows.unzip();
    let table = render_lines(headings, &rows);
    let heading_lines = headings.iter().map(|heading| heading.lines().count()).max().unwrap_or(0);
    let mut lines: Vec<&str> = table.lines().take(heading_lines).collect();
    // Titles stand outside of the table: as a cell over all columns, they would widen narrow ones.
    for (index, row) in table.lines().skip(heading_lines).enumerate() {
        if index == 0 || groups[index] != groups[index - 1] {
            lines.push(&groups[index]);
        }
        lines.push(row);
    }
    lines.join("\n") + "\n"
}

/// A heading and rows, without groups.
#[must_use]
pub fn render_lines(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.set_format(FormatBuilder::new().padding(0, 1).build());
    table.set_titles(line(headings));
    rows.iter().for_each(|cells| _ = table.add_row(line(cells)));
    let lines: Vec<_> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

/// Names to the left, numbers to the right.
fn line<T: AsRef<str>>(texts: &[T]) -> Row {
    let align = |column| if column == 0 { Alignment::LEFT } else { Alignment::RIGHT };
    let cell = |(column, text): (usize, &T)| Cell::new_align(text.as_ref(), align(column));
    Row::new(texts.iter().enumerate().map(cell).collect())
}

/// Parts after a title, with commas, in lines within [`WIDTH`].
pub(crate) fn filled(title: &str, parts: impl Iterator<Item = String>) -> String {
    let (mut text, mut column) = (title.to_owned(), title.len());
    for (index, part) in parts.enumerate() {
        if index > 0 {
            let is_full = column + part.len() + ", ,".len() > WIDTH;
            text += if is_full { ",\n  " } else { ", " };
            column = if is_full { 2 } else { column + 2 };
        }
        column += part.len();
        text += &part;
    }
    text
}

/// `1 kernel`, `2 kernels`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A time with three digits, in the unit that suits it.
#[must_use]
pub fn milliseconds(value: f64) -> String {
    match value {
        value if value >= 1e3 => format!("{} s", three_digits(value / 1e3)),
        value if value >= 1.0 => format!("{} ms", three_digits(value)),
        value => format!("{} us", three_digits(value * 1e3)),
    }
}

/// `9.5%`
#[must_use]
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        value if value == 0.0 || value >= 9.95 => format!("{value:.0}%"),
        value => format!("{value:.1}%"),
    }
}

/// A number with three digits, and a letter for its power of ten.
#[must_use]
pub fn three_digits(value: f64) -> String {
    let (scaled, letter) = match value {
        value if value >= 999.5e9 => (value / 1e12, "T"),
        value if value >= 999.5e6 => (value / 1e9, "G"),
        value if value >= 999.5e3 => (value / 1e6, "M"),
        value if value >= 9999.5 => (value / 1e3, "k"),
        value => (value, ""),
    };
    match scaled {
        scaled if scaled >= 99.95 || (scaled.fract() == 0.0 && letter.is_empty()) => format!("{scaled:.0}{letter}"),
        scaled if scaled >= 9.995 => format!("{scaled:.1}{letter}"),
        scaled => format!("{scaled:.2}{letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_letter() {
        let texts = [0.0, 5.0, 0.123_4, 12.34, 123.4, 9999.0, 12_345.0, 4_567_000_000.0].map(three_digits);
        assert_eq!(texts, ["0", "5", "0.12", "12.3", "123", "9999", "12.3k", "4.57G"]);
        assert_eq!(three_digits(999_999.0), "1.00M");
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        assert_eq!([0.0125, 10.07, 1234.0].map(milliseconds), ["12.5 us", "10.1 ms", "1.23 s"]);
    }

    #[test]
    fn parts_fill_lines_within_the_width() {
        let parts = |count| (0..count).map(|part| format!("periodicSharedCoalesced {part}"));
        assert_eq!(filled("Total: ", parts(2)), "Total: periodicSharedCoalesced 0, periodicSharedCoalesced 1");
        let text = filled("Total: ", parts(9));
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
    }

    #[test]
    fn shares_are_percentages() {
        assert_eq!([0.0, 0.012, 0.5, 1.0].map(percent), ["0%", "1.2%", "50%", "100%"]);
    }
}
