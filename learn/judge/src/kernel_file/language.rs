//! The languages of kernels.

use std::path::Path;

/// A language for kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Language {
    /// CUDA C++, compiled by NVRTC or clang.
    Cuda,
    /// Rust, compiled by rustc and LLVM.
    Rust,
}

impl Language {
    /// Both languages.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Rust];

    /// Returns the word that chooses the language in options and in a learner's progress.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Rust => "rust",
        }
    }

    /// Returns the name of the language.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "CUDA C++",
            Self::Rust => "Rust",
        }
    }

    /// Returns the file name extension, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Cuda => "cu",
            Self::Rust => "rs",
        }
    }

    /// Returns the language of a file by its extension.
    #[must_use]
    pub fn from_file(file: &Path) -> Option<Self> {
        let extension = file.extension()?;
        Self::ALL.into_iter().find(|language| extension == language.extension())
    }
}
