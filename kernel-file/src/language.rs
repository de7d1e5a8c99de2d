//! What kernels are written in, and how a file says what it is compiled for.

use clap::ValueEnum;
use std::path::Path;

/// What a kernel is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Language {
    /// CUDA C++, which NVRTC compiles.
    Cuda,
    /// Rust, which rustc and LLVM compile.
    Rust,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Rust];

    /// What its files end in.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Cuda => "cu",
            Self::Rust => "rs",
        }
    }

    /// The language of a file.
    #[must_use]
    pub fn of(file: &Path) -> Option<Self> {
        let extension = file.extension()?;
        Self::ALL.into_iter().find(|language| extension == language.extension())
    }
}

/// Options of NVRTC for a kernel's text.
///
/// The definition leaves out the header nv/target, which this NVRTC includes unasked and whose 38 unused constants would
/// open every PTX file.
#[must_use]
pub fn nvrtc_options(text: &str) -> [String; 4] {
    let architecture = format!("--gpu-architecture=compute_{}", architecture(text));
    [architecture, "--generate-line-info".into(), "--std=c++17".into(), "--define-macro=__NV_TARGET_H".into()]
}

/// The oldest architecture that a kernel is for: what its card `requires`, else Turing, since older targets opt in to
/// lockstep warps.
#[must_use]
pub fn architecture(text: &str) -> i32 {
    let card = text.lines().take_while(|line| line.starts_with("//"));
    let required = card.filter_map(|line| line.split_once("requires compute capability ")).next();
    let digits = required.map(|(_, rest)| rest.chars().filter(char::is_ascii_digit).take(2).collect::<String>());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(75)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_may_require_a_newer_architecture() {
        assert_eq!(nvrtc_options("// launch    any\n__global__")[0], "--gpu-architecture=compute_75");
        let text = "// launch    requires compute capability 9.0; one row\n// cost      x\n__global__";
        assert_eq!(nvrtc_options(text)[0], "--gpu-architecture=compute_90");
        assert_eq!(nvrtc_options("int x;\n// requires compute capability 9.0")[0], "--gpu-architecture=compute_75");
    }

    #[test]
    fn language_is_that_of_the_extension() {
        assert_eq!(Language::of(Path::new("a/b.rs")), Some(Language::Rust));
        assert_eq!(Language::of(Path::new("a/b.ptx")), None);
    }
}
