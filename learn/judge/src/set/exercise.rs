//! The files of a set of exercises.
//!
//! ```text
//! exercises/12_guard/card.toml
//!                    kernels/skeleton.cu  solution.cu  wrong_one_too_few.cu  …, and the same in .rs
//!                    ptx/skeleton.ptx  solution.ptx  skeleton.rs.ptx.gz  solution.rs.ptx.gz, made by `cargo x ptx`
//! ```

use super::card::Card;
use crate::error::Error;
use crate::kernel_file::Language;
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The number of variants of each case that `grade` adds.
const VARIANTS: u64 = 2;

/// The largest number of hints for an exercise.
const MAX_HINTS: usize = 5;

/// The exercises of a folder.
#[derive(Debug)]
pub struct Set {
    /// The folder of the set.
    pub folder: PathBuf,
    /// The exercises, sorted by name.
    pub exercises: Vec<Exercise>,
}

/// An exercise.
#[derive(Debug)]
pub struct Exercise {
    /// The name of the folder: `12_guard`.
    pub name: String,
    /// The folder of the exercise.
    pub folder: PathBuf,
    /// The contents of `card.toml`.
    pub card: Card,
}

/// The role of a kernel in an exercise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The kernel that the learner starts from.
    Skeleton,
    /// A kernel that passes all checks.
    Solution,
    /// A kernel that must fail a check, with the part of its name after `wrong_`.
    Wrong(String),
}

impl Set {
    /// Loads the set in a folder.
    ///
    /// # Errors
    /// The folder cannot be read or contains no exercises, or a card is invalid.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let entries = fs::read_dir(folder).map_err(Error::file("read", folder))?;
        let folders =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.join("card.toml").is_file());
        let mut exercises = folders.map(|folder| Exercise::load(&folder)).collect::<Result<Vec<_>, _>>()?;
        exercises.sort_by(|a, b| a.name.cmp(&b.name));
        if exercises.is_empty() {
            return Err(Error::Set {
                path: folder.to_owned(),
                reason: "none of its folders contains a card.toml".into(),
            });
        }
        Ok(Self { folder: folder.to_owned(), exercises })
    }

    /// Returns the set with only the exercises of these names or beginnings of names; with all if there are none.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn only(mut self, names: &[String]) -> Result<Self, Error> {
        let wanted = names.iter().map(|name| Ok(self.find(name)?.name.clone())).collect::<Result<Vec<_>, Error>>()?;
        self.exercises.retain(|exercise| wanted.is_empty() || wanted.contains(&exercise.name));
        Ok(self)
    }

    /// Returns the languages in which every exercise has a skeleton.
    #[must_use]
    pub fn languages(&self) -> Vec<Language> {
        let has_all = |language: &Language| self.exercises.iter().all(|exercise| exercise.is_in(*language));
        Language::ALL.into_iter().filter(has_all).collect()
    }

    /// Requires that every exercise has a skeleton in a language.
    ///
    /// # Errors
    /// One has none.
    pub fn require(&self, language: Language) -> Result<(), Error> {
        let Some(lacking) = self.exercises.iter().find(|exercise| !exercise.is_in(language)) else { return Ok(()) };
        let file = lacking.source_file(&Role::Skeleton, language);
        let others = self.languages();
        let other = others.iter().map(|language| format!("; `--language {}` chooses the other", language.word()));
        Err(Error::Usage(format!(
            "the set {} has no exercises in {}: there is no file {}{}",
            self.folder.display(),
            language.name(),
            file.display(),
            other.collect::<String>()
        )))
    }

    /// Returns the exercise with this name, or the only one whose name begins with it: `12` for `12_guard`.
    ///
    /// # Errors
    /// There is no such exercise, or there are several.
    pub fn find(&self, name: &str) -> Result<&Exercise, Error> {
        let name = name.trim_end_matches(".rs").trim_end_matches(".cu");
        let exact = self.exercises.iter().find(|exercise| exercise.name == name);
        let mut beginning =
            self.exercises.iter().filter(|exercise| !name.is_empty() && exercise.name.starts_with(name));
        match (exact, beginning.next(), beginning.next()) {
            (Some(exercise), ..) | (None, Some(exercise), None) => Ok(exercise),
            (None, Some(first), Some(second)) => {
                Err(Error::Usage(format!("several exercises begin with `{name}`: {}, {}, …", first.name, second.name)))
            }
            _ => Err(Error::Usage(format!("there is no exercise `{name}`; `cargo learn list` shows them"))),
        }
    }
}

impl Exercise {
    /// Loads the exercise in a folder.
    ///
    /// # Errors
    /// The card cannot be read, or is invalid.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("card.toml");
        Self::parse(folder, &fs::read_to_string(&path).map_err(Error::file("read", path))?)
    }

    /// Returns the exercise with this text of its card. Its other files are read when they are asked for.
    ///
    /// # Errors
    /// The card is invalid.
    pub fn parse(folder: &Path, card: &str) -> Result<Self, Error> {
        let wrong = |reason: String| Error::Set { path: folder.join("card.toml"), reason };
        let card: Card = toml::from_str(card).map_err(|error| wrong(error.to_string()))?;
        if card.cases.is_empty() || card.cases.iter().any(|case| case.launches.is_empty()) {
            return Err(wrong("an exercise needs at least one case, and each case at least one launch".into()));
        }
        if !(1..=MAX_HINTS).contains(&card.hints.len()) {
            return Err(wrong(format!("an exercise has one to {MAX_HINTS} hints, not {}", card.hints.len())));
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, folder: folder.to_owned(), card })
    }

    /// Returns the exercise with cases of other sizes and inputs after its own, two for each. They depend on `seed`.
    ///
    /// # Errors
    /// An expression of the card has no value at these sizes.
    pub fn varied(mut self, seed: u64) -> Result<Self, Error> {
        let seeds = (0..VARIANTS).map(|variant| seed.wrapping_mul(VARIANTS).wrapping_add(variant));
        let varied = seeds.flat_map(|seed| self.card.cases.iter().map(move |case| case.varied(seed)));
        let varied = varied.collect::<Result<Vec<_>, _>>().map_err(|reason| self.invalid(reason))?;
        self.card.cases.extend(varied);
        Ok(self)
    }

    /// Returns an error about the card.
    pub(crate) fn invalid(&self, reason: String) -> Error {
        Error::Set { path: self.folder.join("card.toml"), reason }
    }

    /// Returns the line above a verdict: `12_guard  More threads than elements`.
    #[must_use]
    pub fn heading(&self) -> String {
        format!("{}  {}", self.name, self.card.title)
    }

    /// Returns the name of the learner's file: `12_guard.rs`.
    #[must_use]
    pub fn file_name(&self, language: Language) -> String {
        format!("{}.{}", self.name, language.extension())
    }

    /// Returns whether there is a skeleton in a language.
    #[must_use]
    pub fn is_in(&self, language: Language) -> bool {
        self.source_file(&Role::Skeleton, language).is_file()
    }

    /// Returns the path of a kernel.
    #[must_use]
    pub fn source_file(&self, role: &Role, language: Language) -> PathBuf {
        self.folder.join("kernels").join(format!("{}.{}", role.stem(), language.extension()))
    }

    /// Reads a kernel.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn source(&self, role: &Role, language: Language) -> Result<String, Error> {
        let file = self.source_file(role, language);
        fs::read_to_string(&file).map_err(Error::file("read", file))
    }

    /// Returns the initial text of the learner's file: the task as a comment, and the skeleton.
    ///
    /// # Errors
    /// The skeleton cannot be read.
    pub fn initial_text(&self, language: Language) -> Result<String, Error> {
        Ok(format!("{}\n{}", self.card.as_comment(), self.source(&Role::Skeleton, language)?))
    }

    /// Returns the prebuilt PTX of a kernel, if it was made from this text.
    #[must_use]
    pub fn prebuilt(&self, role: &Role, language: Language, text: &str) -> Option<String> {
        let file = |end| self.folder.join("ptx").join(format!("{}.{end}", role.stem()));
        let ptx = match language {
            Language::Cuda => fs::read_to_string(file("ptx")).ok()?,
            Language::Rust => io::read_to_string(GzDecoder::new(File::open(file("rs.ptx.gz")).ok()?)).ok()?,
        };
        let hash = sha256(text);
        let is_of_text = ptx.lines().next().is_some_and(|line| line.ends_with(&format!(" sha256 {hash}")));
        is_of_text.then_some(ptx)
    }

    /// Returns the wrong answers in a language, sorted by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn wrong_answers(&self, language: Language) -> Result<Vec<Role>, Error> {
        let folder = self.folder.join("kernels");
        let entries = fs::read_dir(&folder).map_err(Error::file("read", &folder))?;
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
        let stem = |name: String| {
            Some(name.strip_prefix("wrong_")?.strip_suffix(language.extension())?.strip_suffix('.')?.to_owned())
        };
        let mut wrong: Vec<String> = names.filter_map(stem).collect();
        wrong.sort();
        Ok(wrong.into_iter().map(Role::Wrong).collect())
    }
}

impl Role {
    fn stem(&self) -> String {
        match self {
            Self::Skeleton => "skeleton".into(),
            Self::Solution => "solution".into(),
            Self::Wrong(name) => format!("wrong_{name}"),
        }
    }
}

impl Card {
    /// Returns title and task as the comment at the top of the learner's file.
    fn as_comment(&self) -> String {
        let lines = std::iter::once(self.title.as_str()).chain([""]).chain(self.task.trim().lines());
        lines.map(|line| if line.is_empty() { "//\n".to_owned() } else { format!("// {line}\n") }).collect()
    }
}

/// Returns the SHA-256 of a text in lower-case hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
