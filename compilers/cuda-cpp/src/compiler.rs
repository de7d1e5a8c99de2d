//! The compiler that was found, whichever it is.

use crate::architecture::nvrtc_options_including;
use crate::clang::Clang;
use crate::{Missing, architecture, header, includes};
use clap::ValueEnum;
use nvrtc::Nvrtc;
use std::fmt;
use std::path::PathBuf;

/// A kind of compiler for CUDA C++, the value of `--compiler`.
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

/// A compiler for CUDA C++.
#[derive(Debug)]
pub enum Compiler {
    /// NVIDIA's NVRTC.
    Nvrtc(Nvrtc),
    /// Clang, with the course's own header.
    Clang(Clang),
}

/// The reason why a text could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The text has errors. This is the compiler's log.
    #[error("{0}")]
    Log(String),
    /// The compiler failed for another reason than the text.
    #[error("{0}")]
    Failed(String),
}

impl Compiler {
    /// Opens the chosen compiler. Without a choice, opens NVRTC, or clang if there is no NVRTC; a compiler that the environment
    /// names (`COALESCED_NVRTC`, `COALESCED_CLANG`) must then be usable.
    ///
    /// # Errors
    /// Returns [`Missing`], whose text has the commands that install a compiler.
    pub fn find(choice: Option<Choice>) -> Result<Self, Missing> {
        match choice {
            Some(Choice::Nvrtc) => Nvrtc::find().map(Self::Nvrtc).map_err(Missing::Nvrtc),
            Some(Choice::Clang) => Clang::find().map(Self::Clang).map_err(Missing::Clang),
            None => match Nvrtc::find() {
                Ok(nvrtc) => Ok(Self::Nvrtc(nvrtc)),
                Err(nvrtc) if nvrtc.is_named() => Err(Missing::Nvrtc(nvrtc)),
                Err(nvrtc) => match Clang::find() {
                    Ok(clang) => Ok(Self::Clang(clang)),
                    Err(clang) if clang.is_named() => Err(Missing::Clang(clang)),
                    Err(clang) => Err(Missing::Both(nvrtc, clang)),
                },
            },
        }
    }

    /// Returns the name and version: `NVRTC 12.9` or `clang 22.1.8`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Nvrtc(nvrtc) => nvrtc.describe(),
            Self::Clang(clang) => clang.describe(),
        }
    }

    /// Compiles `text` to PTX for the oldest architecture that the kernel supports. `name` is the name of the file in errors
    /// and line tables.
    ///
    /// # Errors
    /// Returns a [`CompileError`], with the compiler's log if the text has errors.
    pub fn ptx(&self, name: &str, text: &str) -> Result<String, CompileError> {
        self.run(name, text, &[], &[])
    }

    /// Compiles the device's part of a program as [`Self::ptx`] does, with headers from `folders`. Functions and variables
    /// that remain without a word for the device are for the device, because NVRTC knows no host.
    ///
    /// # Errors
    /// As [`Self::ptx`].
    pub fn ptx_including(&self, name: &str, text: &str, folders: &[PathBuf]) -> Result<String, CompileError> {
        self.run(name, text, folders, &["--device-as-default-execution-space"])
    }

    /// Compiles `text` with headers from `folders` and `more` options of NVRTC.
    fn run(&self, name: &str, text: &str, folders: &[PathBuf], more: &[&str]) -> Result<String, CompileError> {
        match self {
            Self::Nvrtc(nvrtc) => {
                let headers: Vec<_> = header::plain().collect();
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, text)| (*name, text.as_ref())).collect();
                let mut options = nvrtc_options_including(text, folders);
                options.extend(more.iter().map(|option| (*option).to_owned()));
                nvrtc.ptx_including(name, text, &headers, &options).map_err(CompileError::from)
            }
            Self::Clang(clang) => clang.ptx_including(name, text, architecture(text), folders),
        }
    }

    /// Returns whether a kernel can include a header without a folder that has it.
    #[must_use]
    pub fn has_header(&self, name: &str) -> bool {
        match self {
            Self::Nvrtc(_) => header::plain_names().any(|header| header == name),
            Self::Clang(_) => header::names().any(|header| header == name),
        }
    }
}

impl From<nvrtc::CompileError> for CompileError {
    fn from(error: nvrtc::CompileError) -> Self {
        match error {
            nvrtc::CompileError::Log(log) => Self::Log(includes::explain(&log, Choice::Nvrtc)),
            other => Self::Failed(other.to_string()),
        }
    }
}
