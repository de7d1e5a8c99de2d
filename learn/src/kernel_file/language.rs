//! The languages of kernels, and the architecture that a kernel file is compiled for.

use clap::ValueEnum;
use std::path::Path;

/// A language for kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Language {
    /// CUDA C++, compiled by NVRTC.
    Cuda,
    /// Rust, compiled by rustc and LLVM.
    Rust,
}

impl Language {
    /// Both languages.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Rust];

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
    pub fn of(file: &Path) -> Option<Self> {
        let extension = file.extension()?;
        Self::ALL.into_iter().find(|language| extension == language.extension())
    }
}

/// Returns NVRTC's options for a kernel's text.
///
/// Defining `__NV_TARGET_H` skips the header nv/target. NVRTC 12.1 includes it in every program, and its 38 unused
/// constants would appear at the top of every PTX file.
#[must_use]
pub fn nvrtc_options(text: &str) -> [String; 4] {
    let architecture = format!("--gpu-architecture=compute_{}", architecture(text));
    [architecture, "--generate-line-info".into(), "--std=c++17".into(), "--define-macro=__NV_TARGET_H".into()]
}

/// Returns the oldest architecture that a kernel supports, as 10 × major + minor of the compute capability.
///
/// This is the one after "requires compute capability" in the comment at the top of the file, or otherwise 75 (Turing),
/// because older targets may run warps in lockstep.
#[must_use]
pub fn architecture(text: &str) -> i32 {
    let card = text.lines().take_while(|line| line.starts_with("//"));
    let required = card.filter_map(|line| line.split_once("requires compute capability ")).next();
    let digits = required.map(|(_, rest)| rest.chars().filter(char::is_ascii_digit).take(2).collect::<String>());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(75)
}
