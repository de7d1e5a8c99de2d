//! A learner's progress: `progress.toml` in the learner's folder.

use crate::error::Error;
use crate::kernel_file::{Language, MAX_BYTES};
use crate::learner::write::write_whole;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

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

    /// Returns the path of the file in a folder.
    #[must_use]
    pub fn file(folder: &Path) -> PathBuf {
        folder.join(PROGRESS_FILE)
    }

    /// Reads the progress in a folder. Returns `None` if it has no progress.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = Self::file(folder);
        let text = match std::fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(error),
            // Opening a pipe would not end.
            Ok(metadata) if !metadata.is_file() => Err(std::io::Error::other("it is not a file")),
            Ok(_) => File::open(&path).and_then(read_most),
        };
        let bytes = text.map_err(Error::file("read", &path))?;
        Self::parse(&bytes).map(Some).map_err(|reason| Error::Set { path, reason })
    }

    /// Parses the contents of the file. The error is one line.
    fn parse(bytes: &[u8]) -> Result<Self, String> {
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

    /// Writes the progress to a folder, in one step.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let text = toml::to_string(self).map_err(|error| Error::System(error.to_string()))?;
        write_whole(&Self::file(folder), format!("{CARD}{text}"))
    }
}

/// Reads a file up to [`MAX_BYTES`].
fn read_most(file: File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
