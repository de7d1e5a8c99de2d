//! The value of `--compiler`.

use clap::ValueEnum;
use std::fmt;

/// A kind of compiler for CUDA C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// NVIDIA's compiler library, on Linux and Windows.
    Nvrtc,
    /// LLVM's compiler with the course's own header, on every system.
    Clang,
}

impl fmt::Display for Choice {
    /// Writes the value as it is written on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nvrtc => "nvrtc",
            Self::Clang => "clang",
        })
    }
}
