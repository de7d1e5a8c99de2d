//! Where the files of a set lie.
//!
//! ```text
//! exercises/11_guard/card.toml
//!                    kernels/skeleton.cu  solution.cu  wrong_no_guard.cu  and the same in .rs
//!                    ptx/                 what `cargo x ptx` makes of them
//! ```

use super::card::Card;
use crate::error::Error;
use kernel_file::Language;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The exercises of a folder, by name.
#[derive(Debug)]
pub struct Set {
    /// Its folder.
    pub folder: PathBuf,
    /// In the order of their names.
    pub exercises: Vec<Exercise>,
}

/// An exercise.
#[derive(Debug)]
pub struct Exercise {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What its card says.
    pub card: Card,
}

/// What a kernel of an exercise is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the learner begins with.
    Skeleton,
    /// What passes all checks.
    Solution,
    /// An answer that must fail.
    Wrong(String),
}

impl Set {
    /// The set in a folder.
    ///
    /// # Errors
    /// A folder that cannot be read or has no exercises, a card that is wrong.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let entries = fs::read_dir(folder).map_err(Error::file("read", folder))?;
        let folders =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.join("card.toml").is_file());
        let mut exercises = folders.map(|folder| Exercise::load(&folder)).collect::<Result<Vec<_>, _>>()?;
        exercises.sort_by(|a, b| a.name.cmp(&b.name));
        if exercises.is_empty() {
            return Err(Error::Set { path: folder.to_owned(), reason: "no folder in it has a card.toml".into() });
        }
        Ok(Self { folder: folder.to_owned(), exercises })
    }

    /// The exercise of this name, or of the only one that begins so: `11` for `11_guard`.
    ///
    /// # Errors
    /// None, or several.
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
            _ => Err(Error::Usage(format!("there is no exercise `{name}`; `cargo x learn list` shows them"))),
        }
    }
}

impl Exercise {
    /// The exercise of a folder.
    ///
    /// # Errors
    /// Its card cannot be read, or is wrong.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("card.toml");
        let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        let wrong = |reason: String| Error::Set { path: path.clone(), reason };
        let card: Card = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if card.cases.is_empty() || card.cases.iter().any(|case| case.launches.is_empty()) {
            return Err(wrong("there must be a case, and each must have a launch".into()));
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, folder: folder.to_owned(), card })
    }

    /// What the learner's file is called.
    #[must_use]
    pub fn file_name(&self, language: Language) -> String {
        format!("{}.{}", self.name, language.extension())
    }

    /// A kernel's file.
    #[must_use]
    pub fn source_file(&self, role: &Role, language: Language) -> PathBuf {
        self.folder.join("kernels").join(format!("{}.{}", role.stem(), language.extension()))
    }

    /// A kernel's text.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn source(&self, role: &Role, language: Language) -> Result<String, Error> {
        let file = self.source_file(role, language);
        fs::read_to_string(&file).map_err(Error::file("read", file))
    }

    /// What the learner begins with: the task as a comment, and the skeleton.
    ///
    /// # Errors
    /// The skeleton cannot be read.
    pub fn beginning(&self, language: Language) -> Result<String, Error> {
        Ok(format!("{}\n{}", self.card.as_comment(), self.source(&Role::Skeleton, language)?))
    }

    /// The prebuilt PTX of a kernel's text, where there is one that was made from it.
    #[must_use]
    pub fn prebuilt(&self, role: &Role, language: Language, text: &str) -> Option<String> {
        let name = match language {
            Language::Cuda => format!("{}.ptx", role.stem()),
            Language::Rust => format!("{}.rs.ptx", role.stem()),
        };
        let ptx = fs::read_to_string(self.folder.join("ptx").join(name)).ok()?;
        let hash = sha256(text);
        let is_of_text = ptx.lines().next().is_some_and(|line| line.ends_with(&format!(" sha256 {hash}")));
        is_of_text.then_some(ptx)
    }

    /// The answers in a language that must fail.
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
    /// Title and task as the comment that opens the learner's file.
    fn as_comment(&self) -> String {
        let lines = std::iter::once(self.title.as_str()).chain([""]).chain(self.task.trim().lines());
        lines.map(|line| if line.is_empty() { "//\n".to_owned() } else { format!("// {line}\n") }).collect()
    }
}

/// SHA-256 of a text in lower-case hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
