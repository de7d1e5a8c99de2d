//! A kernel's file, taken apart.

use super::line_of;
use crate::fill::card::{Card, parse};
use crate::fill::entry_points::{EntryPoint, entry_points};
use crate::fill::source::card_and_code;

/// A kernel's file with its parts.
pub struct KernelFile<'a> {
    /// From the root of the repository.
    pub file: String,
    /// All of it.
    pub text: &'a str,
    /// What follows the card.
    pub code: &'a str,
    /// The comment that opens the file.
    pub card: Card<'a>,
    /// Its entry points, in order.
    pub entry_points: Vec<EntryPoint>,
}

impl<'a> KernelFile<'a> {
    /// Takes a file's text apart.
    pub fn new(file: String, text: &'a str) -> Self {
        let (card, code) = card_and_code(text);
        Self { file, text, code, card: parse(card), entry_points: entry_points(text) }
    }

    /// What the card says under a word.
    pub fn entry(&self, key: &str) -> &str {
        self.card.entries.iter().find(|(is, _)| *is == key).map_or("", |(_, text)| text)
    }

    /// The line where the card says something under a word.
    pub fn line(&self, key: &str) -> usize {
        let opens = |line: &str| line.strip_prefix("// ").is_some_and(|line| line.starts_with(&format!("{key}  ")));
        self.text.lines().position(opens).map_or(1, |index| index + 1)
    }

    /// The first line of the code with these words.
    pub fn line_of_code(&self, words: &str) -> usize {
        let place = self.text.len() - self.code.len();
        line_of(self.text, place + self.code.find(words).unwrap_or(0))
    }

    /// The number of an entry point's threads, for those that have it in their names.
    pub fn blocks_of_entry_points(&self) -> Vec<u32> {
        self.entry_points.iter().filter_map(|entry| entry.name.rsplit('_').next()?.parse().ok()).collect()
    }
}
