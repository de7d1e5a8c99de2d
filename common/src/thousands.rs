//! Whole numbers with separators.

/// Writes a whole number with a comma before each group of three digits: `16,384`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three_digits_are_separated() {
        let texts = [0, 7, 999, 1000, 16_384, 131_072, 1_048_576].map(thousands);
        assert_eq!(texts, ["0", "7", "999", "1,000", "16,384", "131,072", "1,048,576"]);
    }
}
