//! The notation of text and powers in the book. Other numbers are those of [`common::format`].

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
    fn long_numbers_of_axes_are_powers() {
        assert_eq!([0.05, 1.0, 100.0, 10_000.0].map(power_of_ten), ["0.05", "1", "100", "10⁴"]);
        assert_eq!(power(2, 14), "2¹⁴");
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
