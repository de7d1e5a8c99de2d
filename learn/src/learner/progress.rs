//! What a learner has done: `progress.toml` in the learner's folder.

use crate::error::Error;
use crate::learner::write::write_whole;
use kernel_file::Language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The file's name.
pub const PROGRESS_FILE: &str = "progress.toml";

const CARD: &str = "# Written by `cargo x learn`. A solved file is not run again while its SHA-256 is this one.\n";

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// What new exercises are begun in: `cuda` or `rust`.
    language: String,
    /// By the file's name, as `11_guard.rs`.
    #[serde(default)]
    pub files: BTreeMap<String, Entry>,
}

/// What is known of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Entry {
    /// SHA-256 of the text that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solved: Option<String>,
    /// Hints that were shown.
    pub hints: usize,
    /// Whether the solution was shown before it passed.
    pub revealed: bool,
}

impl Progress {
    /// That of a learner who begins in a language.
    #[must_use]
    pub fn new(language: Language) -> Self {
        let mut progress = Self::default();
        progress.choose(language);
        progress
    }

    /// Begins new exercises in another language; what was done in this one stays.
    pub fn choose(&mut self, language: Language) {
        let name = if language == Language::Cuda { "cuda" } else { "rust" };
        self.language = name.to_owned();
    }

    /// What the learner has chosen.
    #[must_use]
    pub fn language(&self) -> Language {
        if self.language == "cuda" { Language::Cuda } else { Language::Rust }
    }

    /// What is known of a file.
    #[must_use]
    pub fn entry(&self, file: &str) -> Entry {
        self.files.get(file).cloned().unwrap_or_default()
    }

    /// The progress in a folder.
    ///
    /// # Errors
    /// There is none, or it is not what this program writes.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(PROGRESS_FILE);
        let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        let wrong = |reason| Error::Set { path: path.clone(), reason };
        let progress: Self = toml::from_str(&text).map_err(|error| wrong(format!("{error}\nPut it right, or delete it: the exercises stay, and `cargo x learn check --all` finds the solved ones again.")))?;
        match progress.language.as_str() {
            "cuda" | "rust" => Ok(progress),
            other => Err(wrong(format!("the language is cuda or rust, not `{other}`"))),
        }
    }

    /// Writes it in one step.
    ///
    /// # Errors
    /// No room, or no right to write.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let text = toml::to_string(self).map_err(|error| Error::System(error.to_string()))?;
        write_whole(&folder.join(PROGRESS_FILE), format!("{CARD}{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_reads_back_as_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut progress = Progress::new(Language::Cuda);
        progress.files.insert("11_guard.cu".into(), Entry { solved: Some("ab".into()), hints: 2, revealed: true });
        progress.write(folder.path()).expect("it is written");
        assert_eq!(Progress::read(folder.path()).expect("it is read"), progress);
        assert_eq!((progress.language(), progress.entry("12_x.cu")), (Language::Cuda, Entry::default()));
    }

    #[test]
    fn what_is_no_progress_is_told_with_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = |text: &str| {
            std::fs::write(folder.path().join(PROGRESS_FILE), text).expect("a file");
            Progress::read(folder.path()).unwrap_err().to_string()
        };
        assert!(read("nonsense").contains("delete it"));
        assert!(read("language = \"c\"").contains("not `c`"));
    }
}
