//! The advice if there is no compiler for CUDA C++.

use crate::{Choice, clang};
use std::fmt;

/// The error if no compiler can be used. Its text is one line with the commands that install one.
#[derive(Debug)]
pub enum Missing {
    /// NVRTC was chosen, or the file that the environment names for it cannot be used.
    Nvrtc(nvrtc::Missing),
    /// Clang was chosen, or the program that the environment names for it cannot be used.
    Clang(clang::Missing),
    /// Neither is there.
    Both(nvrtc::Missing, clang::Missing),
}

impl std::error::Error for Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nvrtc(nvrtc) => nvrtc.fmt(f),
            Self::Clang(clang) => clang.fmt(f),
            Self::Both(nvrtc, clang) => write!(f, "{nvrtc}; or {clang}"),
        }
    }
}

impl Missing {
    /// Returns the compiler that can be downloaded by `cargo learn nvrtc` or `cargo learn clang`, NVRTC if both can.
    #[must_use]
    pub fn can_be_fetched(&self) -> Option<Choice> {
        let (nvrtc, clang) = match self {
            Self::Nvrtc(nvrtc) => (nvrtc.can_be_fetched(), false),
            Self::Clang(clang) => (false, clang.can_be_fetched()),
            Self::Both(nvrtc, clang) => (nvrtc.can_be_fetched(), clang.can_be_fetched()),
        };
        nvrtc.then_some(Choice::Nvrtc).or(clang.then_some(Choice::Clang))
    }
}
