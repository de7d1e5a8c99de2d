//! The notation of numbers and text in the book.

/// Escapes text for an element or an attribute of HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns mdBook's anchor of a heading: `bank-conflict` for `Bank conflict`.
pub fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || c.is_whitespace() || "-_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c.is_whitespace() { '-' } else { c }).collect()
}

/// Returns a card's plain text with formulas as HTML: `2^24` with a superscript, `sum_j` and `x_j` with a subscript, `sqrt`, `>=`
/// and `<=` as signs. Names of code are not changed: an index has one letter, and its base is one letter or `sum`.
pub fn formula(text: &str) -> String {
    let text = text.replace("sum_", "Σ_").replace("sqrt(", "√(").replace(">=", "≥").replace("<=", "≤");
    let mut html = String::new();
    let mut rest = text.as_str();
    while let Some(place) = rest.find(['^', '_']) {
        let before = &rest[..place];
        let after = &rest[place + 1..];
        let (tag, length) = match rest.as_bytes()[place] {
            b'^' => ("sup", exponent(after)),
            _ => ("sub", index(before, after)),
        };
        html += &escape(before);
        match length {
            0 => html += &rest[place..=place],
            _ => html += &format!("<{tag}>{}</{tag}>", escape(&after[..length])),
        }
        rest = &after[length..];
    }
    html + &escape(rest)
}

/// Returns the length of an exponent, which is digits or a parenthesis.
fn exponent(after: &str) -> usize {
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    if after.starts_with('(') { after.find(')').map_or(0, |end| end + 1) } else { digits }
}

/// Returns the length of an index, which is one letter after a base of one letter or a sign.
fn index(before: &str, after: &str) -> usize {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut before = before.chars().rev();
    let mut after = after.chars();
    let of_one = before.next().is_some_and(char::is_alphabetic) && !joins(before.next());
    usize::from(of_one && after.next().is_some_and(|c| c.is_ascii_lowercase()) && !joins(after.next()))
}

/// Returns three significant digits without an exponent: `0.889`, `83.7`, `359`, `8,040`. `value` is finite and not negative.
pub fn three_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().expect("what format! wrote");
    let digits_before_point = if rounded == 0.0 { 1 } else { rounded.log10().floor() as i32 + 1 };
    match usize::try_from(3 - digits_before_point) {
        Ok(decimals) if decimals > 0 => format!("{rounded:.decimals$}"),
        _ => whole(rounded as u64),
    }
}

/// Returns a whole number with separators: `131,200`.
pub fn whole(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns a time in milliseconds, or in microseconds below a tenth of a millisecond: `83.7 µs`, `0.889 ms`.
pub fn milliseconds(value: f64) -> String {
    if value < 0.1 { format!("{} µs", three_digits(value * 1e3)) } else { format!("{} ms", three_digits(value)) }
}

/// Returns a time in nanoseconds, or in microseconds from a thousand: `0.607 ns`, `83.7 µs`.
pub fn nanoseconds(value: f64) -> String {
    // A value that rounds up to a thousand takes the next unit.
    if value < 999.5 { format!("{} ns", three_digits(value)) } else { milliseconds(value / 1e6) }
}

/// Returns three digits with a prefix: `459 kB`, `33.5 TB/s`, or `4.18 T` without a unit.
pub fn scaled(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    // A value that rounds up to a thousand takes the next prefix.
    let prefix = PREFIXES.into_iter().find(|(unit, _)| value >= unit * 0.9995);
    let (divisor, prefix) = prefix.unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", three_digits(value / divisor)).trim_end().to_owned()
}

/// Returns a power of two or ten as a base and an exponent: `2¹⁴`.
pub fn power(base: u32, exponent: u32) -> String {
    let raised = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).unwrap_or(0) as usize).unwrap_or(digit);
    format!("{base}{}", exponent.to_string().chars().map(raised).collect::<String>())
}

/// Returns a number for a narrow axis: `0.05`, `100`, `10⁴`.
pub fn power_of_ten(value: f64) -> String {
    let exponent = value.log10();
    let is_long = value >= 999.0 && (exponent - exponent.round()).abs() < 1e-9;
    if is_long { power(10, exponent.round() as u32) } else { value.to_string() }
}

/// Returns a share in percent: `9.0 %`.
pub fn percent(share: f64) -> String {
    if share < 0.0995 { format!("{:.1} %", share * 100.0) } else { format!("{:.0} %", share * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_have_raised_exponents_and_lowered_indices() {
        assert_eq!(formula("n < 2^31, z_a^2"), "n &lt; 2<sup>31</sup>, z<sub>a</sub><sup>2</sup>");
        assert_eq!(formula("sum_j m_j / s^(3/2)"), "Σ<sub>j</sub> m<sub>j</sub> / s<sup>(3/2)</sup>");
        assert_eq!(formula("sqrt(x) >= 1"), "√(x) ≥ 1");
    }

    #[test]
    fn names_of_code_are_no_formulas() {
        for text in ["global_load_requests", "tile_x[k]", "x_old", "l ^ 16", "_", "^"] {
            assert_eq!(formula(text), text);
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        let written = [0.088_94, 0.889_4, 9.996, 83.71, 359.04, 8039.6].map(three_digits);
        assert_eq!(written, ["0.0889", "0.889", "10.0", "83.7", "359", "8,040"]);
        assert_eq!([7, 1000, 131_200, 16_777_216].map(whole), ["7", "1,000", "131,200", "16,777,216"]);
    }

    #[test]
    fn large_numbers_have_prefixes() {
        let written = [(458_752.0, "B"), (33.454e12, "B/s"), (4.18e12, ""), (999_600.0, "B"), (12.0, "B")];
        assert_eq!(
            written.map(|(value, unit)| scaled(value, unit)),
            ["459 kB", "33.5 TB/s", "4.18 T", "1.00 MB", "12.0 B"]
        );
    }

    #[test]
    fn long_numbers_of_axes_are_powers() {
        assert_eq!([0.05, 1.0, 100.0, 10_000.0].map(power_of_ten), ["0.05", "1", "100", "10⁴"]);
        assert_eq!(power(2, 14), "2¹⁴");
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }

    #[test]
    fn times_and_shares_have_units() {
        assert_eq!([0.0837, 0.889, 359.04].map(milliseconds), ["83.7 µs", "0.889 ms", "359 ms"]);
        assert_eq!([0.6068, 83_700.0, 999.7].map(nanoseconds), ["0.607 ns", "83.7 µs", "1.00 µs"]);
        assert_eq!([0.0098, 0.0903, 0.508].map(percent), ["1.0 %", "9.0 %", "51 %"]);
    }
}
