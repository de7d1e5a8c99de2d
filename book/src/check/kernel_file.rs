//! A parsed kernel file.

use super::line_of;
use crate::fill::card::{Card, parse};
use crate::fill::entry_points::{EntryPoint, entry_points};
use crate::fill::source::card_and_code;

/// A kernel's file and its parts.
pub struct KernelFile<'a> {
    /// The path from the root of the repository.
    pub file: String,
    /// The text of the file.
    pub text: &'a str,
    /// The text after the card.
    pub code: &'a str,
    /// The comment at the beginning of the file.
    pub card: Card<'a>,
    /// The entry points, in order.
    pub entry_points: Vec<EntryPoint>,
}

impl<'a> KernelFile<'a> {
    /// Parses the text of a file.
    pub fn new(file: String, text: &'a str) -> Self {
        let (card, code) = card_and_code(text);
        Self { file, text, code, card: parse(card), entry_points: entry_points(text) }
    }

    /// Returns the text of a card's entry; empty if there is none.
    pub fn entry(&self, key: &str) -> &str {
        self.card.entries.iter().find(|(is, _)| *is == key).map_or("", |(_, text)| text)
    }

    /// Returns the line in which a card's entry begins; 1 if there is none.
    pub fn line(&self, key: &str) -> usize {
        let opens = |line: &str| line.strip_prefix("// ").is_some_and(|line| line.starts_with(&format!("{key}  ")));
        self.text.lines().position(opens).map_or(1, |index| index + 1)
    }

    /// Returns the first line of the code that contains `words`.
    pub fn line_of_code(&self, words: &str) -> usize {
        let place = self.text.len() - self.code.len();
        line_of(self.text, place + self.code.find(words).unwrap_or(0))
    }

    /// Returns the block sizes in the names of entry points.
    pub fn blocks_of_entry_points(&self) -> Vec<u32> {
        self.entry_points.iter().filter_map(|entry| entry.name.rsplit('_').next()?.parse().ok()).collect()
    }
}
