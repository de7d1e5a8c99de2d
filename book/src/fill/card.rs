//! A kernel's card, the comment at the beginning of its file: the formula, and the entries `shapes`, `launch` and so on.

use super::kernels::Kernel;
use super::notation::{escape, formula};
use super::source::card_and_code;
use anyhow::{Result, bail};

/// Returns the card as a list of definitions.
///
/// # Errors
/// Returns an error if the file has no card.
pub fn render(kernel: &Kernel) -> Result<String> {
    let (card, _) = card_and_code(kernel.source.text);
    let Card { formula, entries } = parse(card);
    if formula.is_empty() || entries.is_empty() {
        bail!("{} does not begin with a card", kernel.file());
    }
    let entries: String =
        entries.iter().map(|(key, text)| format!("<dt>{key}</dt><dd>{}</dd>\n", write(text))).collect();
    Ok(format!(
        "<div class=\"card\">\n<p><code>{}</code></p>\n<p class=\"formula\">{}</p>\n<dl>\n{entries}</dl>\n</div>\n",
        kernel.file(),
        write(&formula)
    ))
}

/// Returns text with its formulas, and what stands between backticks as code.
fn write(text: &str) -> String {
    let part = |(index, part)| match index % 2 {
        0 => formula(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    text.split('`').enumerate().map(part).collect()
}

/// The parts of a card.
pub struct Card<'a> {
    /// The formula of the kernel.
    pub formula: String,
    /// The entries with their names, in the order of the card.
    pub entries: Vec<(&'a str, String)>,
}

/// Parses a card. A word in the first column with two spaces after it begins an entry, and indented lines continue it.
pub fn parse(card: &str) -> Card<'_> {
    let mut parsed = Card { formula: String::new(), entries: Vec::new() };
    for line in card.lines() {
        let line = line.trim_start_matches("//").strip_prefix(' ').unwrap_or_default();
        let opening = line.split_once("  ").filter(|(key, _)| !key.is_empty() && !key.contains(' '));
        match (opening, parsed.entries.last_mut()) {
            (Some((key, text)), _) => parsed.entries.push((key, text.trim().into())),
            (None, Some((_, text))) => add(text, line),
            (None, None) => add(&mut parsed.formula, line),
        }
    }
    parsed
}

fn add(text: &mut String, line: &str) {
    if !text.is_empty() && !line.trim().is_empty() {
        text.push(' ');
    }
    text.push_str(line.trim());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_its_formula_and_its_entries_with_lines_joined() {
        let card =
            parse("// y = x\n//   + 1.\n//\n// shapes    x: (n)\n// cost      a load,\n//           and a store\n");
        assert_eq!(card.formula, "y = x + 1.");
        assert_eq!(card.entries, [("shapes", "x: (n)".into()), ("cost", "a load, and a store".into())]);
    }

    #[test]
    fn what_is_between_backticks_is_code() {
        assert_eq!(write("4^2, bit `x_a < 2`"), "4<sup>2</sup>, bit <code>x_a &lt; 2</code>");
    }
}
