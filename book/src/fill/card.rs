//! The comment that opens a kernel's file: its formula, then what it says under `shapes`, `launch`, `cost` and so on.

use super::kernels::Kernel;
use super::notation::formula as write;
use super::source::card_and_code;
use anyhow::{Result, bail};

/// The card as a list of definitions.
///
/// # Errors
/// When the file opens with no card.
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

/// A card's parts.
pub struct Card<'a> {
    /// What the kernel computes.
    pub formula: String,
    /// What it says under each word, in its order.
    pub entries: Vec<(&'a str, String)>,
}

/// A line that begins with a word at the first column and two spaces opens an entry; one that is indented goes on.
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
}
