//! A learner's progress: `progress.toml` in the learner's folder.

use crate::error::Error;
use crate::kernel_file::Language;
use crate::learner::write::write_whole;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The name of the file.
pub const PROGRESS_FILE: &str = "progress.toml";

const CARD: &str = "# Written by `cargo x learn`. A solved file is not checked again until its SHA-256 changes.\n";

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The language of new exercises: `cuda` or `rust`.
    language: String,
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
        let name = if language == Language::Cuda { "cuda" } else { "rust" };
        self.language = name.to_owned();
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

    /// Reads the progress in a folder.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(PROGRESS_FILE);
        let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        let wrong = |reason| Error::Set { path: path.clone(), reason };
        let advice = "Correct the file; or start a new folder with `cargo x learn start --language LANGUAGE FOLDER`, copy your \
                      kernels there, and run `cargo x learn check --all`, which finds the solved ones again.";
        let progress: Self = toml::from_str(&text).map_err(|error| wrong(format!("{error}\n{advice}")))?;
        match progress.language.as_str() {
            "cuda" | "rust" => Ok(progress),
            other => Err(wrong(format!("the language must be cuda or rust, not `{other}`"))),
        }
    }

    /// Writes the progress to a folder, in one step.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let text = toml::to_string(self).map_err(|error| Error::System(error.to_string()))?;
        write_whole(&folder.join(PROGRESS_FILE), format!("{CARD}{text}"))
    }
}
