//! Numbers as text, in every table and in the book: three digits, `µs`, commas between groups of three.

/// The width that reports keep within, in columns of text.
pub const WIDTH: usize = 100;

/// The cell of a number that does not exist.
pub const DASH: &str = "-";

/// Formats a whole number with a comma before each group of three digits: `16,384`.
#[must_use]
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns `nvidia-geforce-rtx-3060` for `NVIDIA GeForce RTX 3060`: the name of a device's file.
#[must_use]
pub fn slug(device: &str) -> String {
    let words = device.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Returns `1 kernel`, `2 kernels`.
#[must_use]
pub fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count as u64), if count == 1 { "" } else { "s" })
}

/// Formats a time, given in milliseconds, with three digits: `83.5 µs`, `0.890 ms`, `1.23 s`.
#[must_use]
pub fn milliseconds(value: f64) -> String {
    match value {
        value if value >= 1e3 => format!("{} s", significant(value / 1e3)),
        value if value >= 0.1 => format!("{} ms", significant(value)),
        value => format!("{} µs", significant(value * 1e3)),
    }
}

/// Formats a time, given in nanoseconds, with three digits: `0.607 ns`, `83.7 µs`.
#[must_use]
pub fn nanoseconds(value: f64) -> String {
    // A value that rounds up to a thousand takes the next unit.
    if value < 999.5 { format!("{} ns", significant(value)) } else { milliseconds(value / 1e6) }
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

/// Formats a number with three significant digits, without an exponent: `0.0889`, `83.7`, `8,040`. It is finite and not
/// negative.
#[must_use]
pub fn significant(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let digits = if rounded == 0.0 { 1 } else { rounded.log10().floor() as i32 + 1 };
    match usize::try_from(3 - digits) {
        Ok(decimals) if decimals > 0 => format!("{rounded:.decimals$}"),
        _ => thousands(rounded as u64),
    }
}

/// The prefixes of large numbers.
const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// Formats a quantity with three digits and a prefix: `459 kB`, `33.5 TB/s`, or `4.18 T` without a unit.
#[must_use]
pub fn scaled(value: f64, unit: &str) -> String {
    // A value that rounds up to a thousand takes the next prefix.
    let prefix = PREFIXES.into_iter().find(|(scale, _)| value >= scale * 0.9995);
    let (scale, prefix) = prefix.unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", significant(value / scale)).trim_end().to_owned()
}

/// Formats a count as a whole number up to 9,999, and a larger one with three digits and a prefix: `9,999`, `170 M`. A number
/// that is not whole has three digits.
#[must_use]
pub fn three_digits(value: f64) -> String {
    match value {
        value if value >= 9999.5 => scaled(value, ""),
        value if value >= 99.95 || value.fract() == 0.0 => thousands(value.round() as u64),
        value => significant(value),
    }
}

/// Formats a rate as a whole number from 100 on: `6,029`, `17.3`.
#[must_use]
pub fn rate(value: f64) -> String {
    if (99.95..1e6).contains(&value) { thousands(value.round() as u64) } else { three_digits(value) }
}

/// Returns the present time in UTC: `2026-11-22T03:45:16Z`.
#[must_use]
pub fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_has_a_file_of_its_name() {
        assert_eq!(slug("NVIDIA GeForce RTX 3060 Laptop GPU"), "nvidia-geforce-rtx-3060-laptop-gpu");
        assert_eq!(slug("Tesla T4"), "tesla-t4");
        assert_eq!(slug("NVIDIA A100-SXM4-80GB"), "nvidia-a100-sxm4-80gb");
    }

    #[test]
    fn groups_of_three_digits_are_separated() {
        let texts = [0, 7, 999, 1000, 16_384, 131_072, 1_048_576].map(thousands);
        assert_eq!(texts, ["0", "7", "999", "1,000", "16,384", "131,072", "1,048,576"]);
    }

    #[test]
    fn numbers_have_three_digits_and_a_letter() {
        let texts = [0.0, 5.0, 0.123_4, 1.234, 12.34, 123.4, 9999.0, 12_345.0, 4_567_000_000.0].map(three_digits);
        assert_eq!(texts, ["0", "5", "0.123", "1.23", "12.3", "123", "9,999", "12.3 k", "4.57 G"]);
        assert_eq!(three_digits(999_999.0), "1.00 M");
    }

    #[test]
    fn significant_digits_are_three() {
        let texts = [0.088_94, 0.889_4, 9.996, 83.71, 359.04, 8039.6].map(significant);
        assert_eq!(texts, ["0.0889", "0.889", "10.0", "83.7", "359", "8,040"]);
    }

    #[test]
    fn large_quantities_have_prefixes() {
        let texts = [(458_752.0, "B"), (33.454e12, "B/s"), (4.18e12, ""), (999_600.0, "B"), (12.0, "B")];
        let texts = texts.map(|(value, unit)| scaled(value, unit));
        assert_eq!(texts, ["459 kB", "33.5 TB/s", "4.18 T", "1.00 MB", "12.0 B"]);
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        let texts = [0.0125, 0.0999, 0.8904, 10.07, 1234.0].map(milliseconds);
        assert_eq!(texts, ["12.5 µs", "99.9 µs", "0.890 ms", "10.1 ms", "1.23 s"]);
        assert_eq!([0.6068, 83_700.0, 999.7].map(nanoseconds), ["0.607 ns", "83.7 µs", "1.00 µs"]);
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
