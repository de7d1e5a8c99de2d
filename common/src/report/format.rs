//! Numbers as text.

use crate::thousands::thousands;

/// The width that reports keep within, in columns of text.
pub const WIDTH: usize = 100;

/// The cell of a number that does not exist.
pub const DASH: &str = "-";

/// Returns `1 kernel`, `2 kernels`.
#[must_use]
pub fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count as u64), if count == 1 { "" } else { "s" })
}

/// Formats a time, given in milliseconds, with three digits: `83.5 us`, `0.890 ms`, `1.23 s`.
#[must_use]
pub fn milliseconds(value: f64) -> String {
    match value {
        value if value >= 1e3 => format!("{} s", three_digits(value / 1e3)),
        value if value >= 0.1 => format!("{} ms", three_digits(value)),
        value => format!("{} us", three_digits(value * 1e3)),
    }
}

/// Formats a share: `9 %`, `0.3 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        value if value == 0.0 || value >= 0.95 => format!("{value:.0} %"),
        value => format!("{value:.1} %"),
    }
}

/// Formats a ratio: `0.98`, `1.87`, `35.2`, `1,109`.
#[must_use]
pub fn ratio(value: f64) -> String {
    match value {
        value if value >= 99.95 => thousands(value.round() as u64),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// Formats a factor: `1.87x`, `2,342x`.
#[must_use]
pub fn factor(value: f64) -> String {
    format!("{}x", ratio(value))
}

/// Formats a number with three digits and, from 10,000 on, a letter for its power of ten: `9,999`, `170 M`.
#[must_use]
pub fn three_digits(value: f64) -> String {
    let (scaled, letter) = match value {
        value if value >= 999.5e9 => (value / 1e12, " T"),
        value if value >= 999.5e6 => (value / 1e9, " G"),
        value if value >= 999.5e3 => (value / 1e6, " M"),
        value if value >= 9999.5 => (value / 1e3, " k"),
        value => (value, ""),
    };
    match scaled {
        scaled if letter.is_empty() && scaled.fract() == 0.0 => thousands(scaled as u64),
        scaled if scaled >= 99.95 => format!("{}{letter}", thousands(scaled.round() as u64)),
        scaled if scaled >= 9.995 => format!("{scaled:.1}{letter}"),
        scaled if scaled >= 0.9995 => format!("{scaled:.2}{letter}"),
        scaled => format!("{scaled:.3}{letter}"),
    }
}

/// Formats a rate as a whole number from 100 on: `6,029`, `17.3`.
#[must_use]
pub fn rate(value: f64) -> String {
    if (99.95..1e6).contains(&value) { thousands(value.round() as u64) } else { three_digits(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_letter() {
        let texts = [0.0, 5.0, 0.123_4, 1.234, 12.34, 123.4, 9999.0, 12_345.0, 4_567_000_000.0].map(three_digits);
        assert_eq!(texts, ["0", "5", "0.123", "1.23", "12.3", "123", "9,999", "12.3 k", "4.57 G"]);
        assert_eq!(three_digits(999_999.0), "1.00 M");
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        let texts = [0.0125, 0.0999, 0.8904, 10.07, 1234.0].map(milliseconds);
        assert_eq!(texts, ["12.5 us", "99.9 us", "0.890 ms", "10.1 ms", "1.23 s"]);
    }

    #[test]
    fn shares_are_percentages() {
        assert_eq!([0.0, 0.0012, 0.012, 0.5, 1.0].map(percent), ["0 %", "0.1 %", "1 %", "50 %", "100 %"]);
    }

    #[test]
    fn ratios_have_two_decimals_and_large_ones_separators() {
        assert_eq!([0.984, 1.0, 35.16, 1109.4].map(ratio), ["0.98", "1.00", "35.2", "1,109"]);
        assert_eq!(factor(2341.6), "2,342x");
    }

    #[test]
    fn rates_are_whole_from_a_hundred_on() {
        assert_eq!([17.34, 810.2, 6028.9, 13_540.0].map(rate), ["17.3", "810", "6,029", "13,540"]);
    }
}
