//! The format of a learner's progress: `progress.toml` in the learner's folder, or exported by a page.

use crate::kernel_file::Language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

const CARD: &str = "# Written by `cargo learn`. A solved file is not checked again until its SHA-256 changes.\n";

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The language of new exercises: `cuda` or `rust`.
    language: String,
    /// The folder of the set, if it is not the repository's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<PathBuf>,
    /// The learner's files by name: `12_guard.rs`.
    #[serde(default)]
    pub files: BTreeMap<String, Entry>,
}

/// The progress of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Entry {
    /// The SHA-256 of the text that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solved: Option<String>,
    /// The number of hints that were shown.
    pub hints: usize,
    /// Whether the solution was shown before it passed.
    pub revealed: bool,
}

impl Progress {
    /// Returns the progress of a learner who starts in a language.
    #[must_use]
    pub fn new(language: Language) -> Self {
        let mut progress = Self::default();
        progress.choose(language);
        progress
    }

    /// Sets the language of new exercises. The progress in the other language is kept.
    pub fn choose(&mut self, language: Language) {
        language.word().clone_into(&mut self.language);
    }

    /// Returns the language of new exercises.
    #[must_use]
    pub fn language(&self) -> Language {
        if self.language == "cuda" { Language::Cuda } else { Language::Rust }
    }

    /// Returns the progress of a file.
    #[must_use]
    pub fn entry(&self, file: &str) -> Entry {
        self.files.get(file).cloned().unwrap_or_default()
    }

    /// Parses the contents of the file. The error is one line.
    ///
    /// # Errors
    /// They are not a progress; the message begins with the line, if there is one.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let wrong = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            format!("line {line}: {}", error.message().replace('\n', "; "))
        };
        let progress: Self = toml::from_str(text).map_err(wrong)?;
        match progress.language.as_str() {
            "cuda" | "rust" => Ok(progress),
            other => Err(format!("the language must be cuda or rust, not {other:?}")),
        }
    }

    /// Returns the contents of the file.
    ///
    /// # Errors
    /// A name or a number cannot be written as TOML.
    pub fn text(&self) -> Result<String, String> {
        toml::to_string(self).map(|text| format!("{CARD}{text}")).map_err(|error| error.to_string())
    }
}
