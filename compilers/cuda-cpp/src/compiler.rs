//! The compiler that was found, whichever it is.

use crate::architecture::{LONG_LONG, nvrtc_options_including};
use crate::clang::Clang;
use crate::{Missing, architecture, header, includes};
use clap::ValueEnum;
use nvrtc::Nvrtc;
use std::collections::BTreeSet;
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

/// A compiled text.
#[derive(Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The PTX.
    pub ptx: String,
    /// The compiler's warnings; empty if there are none.
    pub warnings: String,
}

/// NVRTC's option for an error where a variable is read before it has a value.
///
/// It is not among [`nvrtc_options`](crate::nvrtc_options): prebuilt PTX names these, records have its hashes, and the option changes
/// nothing in a kernel without the mistake.
const ERROR_IF_UNSET: &str = "--diag-error=549";

/// NVRTC's words about such a variable, and clang's option in its message.
const UNSET: &str = "is used before its value is set";
const UNSET_BY_CLANG: &str = " [-Wuninitialized]";

/// Options that silence NVRTC's messages on programs.
const REMEDIES: [(&str, &str); 2] = [
    // A header of the toolkit has its own names of whole numbers.
    ("invalid redeclaration of type name", LONG_LONG),
    // nvcc warns of the word, which C++17 has no more.
    ("\"register\" storage class specifier is not allowed", "--define-macro=register="),
];

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
        match self {
            Self::Nvrtc(nvrtc) => run_nvrtc(nvrtc, name, text, &[], &[]).map(|(ptx, _)| ptx),
            Self::Clang(clang) => clang.ptx(name, text, architecture(text)),
        }
    }

    /// Compiles the device's part of a program as [`Self::ptx`] does, with headers from `folders` and the macros `defines`
    /// (`NAME` or `NAME=VALUE`). Functions and variables that remain without a word for the device are for the device, because
    /// NVRTC knows no host. The log of an error has no warnings. Those of a success are about variables without a value where they are
    /// read, each as `FILE:LINE: TEXT`.
    ///
    /// # Errors
    /// As [`Self::ptx`].
    pub fn ptx_including(
        &self,
        name: &str,
        text: &str,
        folders: &[PathBuf],
        defines: &[String],
    ) -> Result<Compiled, CompileError> {
        let defines: Vec<String> = defines.iter().map(|define| format!("-D{define}")).collect();
        match self {
            Self::Nvrtc(nvrtc) => {
                // The only way to hear of one warning alone is that it is an error first.
                let mut options = vec!["--device-as-default-execution-space", "--disable-warnings", ERROR_IF_UNSET];
                options.extend(defines.iter().map(String::as_str));
                let mut warnings = String::new();
                loop {
                    let log = match run_nvrtc(nvrtc, name, text, folders, &options) {
                        Ok((ptx, _)) => return Ok(Compiled { ptx, warnings }),
                        Err(CompileError::Log(log)) => log,
                        Err(failed) => return Err(failed),
                    };
                    let is_new = |(message, option): &&(&str, &str)| log.contains(message) && !options.contains(option);
                    if let Some((_, option)) = REMEDIES.iter().find(is_new) {
                        options.push(option);
                    } else if log.contains(UNSET) && options.contains(&ERROR_IF_UNSET) {
                        warnings = log.lines().filter_map(of_unset).collect::<Vec<_>>().join("\n");
                        options.retain(|option| *option != ERROR_IF_UNSET);
                    } else {
                        return Err(CompileError::Log(log));
                    }
                }
            }
            Self::Clang(clang) => {
                let compiled = clang.ptx_including(name, text, architecture(text), folders, &defines)?;
                let warnings = compiled.warnings.lines().filter_map(of_unset).collect::<Vec<_>>().join("\n");
                Ok(Compiled { warnings, ..compiled })
            }
        }
    }

    /// Compiles a learner's text as [`Self::ptx`] does, with the compiler's warnings. A variable that certainly has no value where
    /// it is read is an error: the kernel could be right by accident.
    ///
    /// # Errors
    /// As [`Self::ptx`].
    pub fn examine(&self, name: &str, text: &str) -> Result<Compiled, CompileError> {
        match self {
            Self::Nvrtc(nvrtc) => {
                let (ptx, log) = run_nvrtc(nvrtc, name, text, &[], &[ERROR_IF_UNSET])?;
                // NVRTC ends with the advice to suppress its warnings.
                let lines = log.lines().filter(|line| !line.is_empty() && !line.starts_with("Remark: "));
                Ok(Compiled { ptx, warnings: lines.collect::<Vec<_>>().join("\n") })
            }
            Self::Clang(clang) => clang.examine(name, text, architecture(text)),
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

/// Returns a compiler's message about a variable without a value as `FILE:LINE: TEXT`; none for another line.
fn of_unset(line: &str) -> Option<String> {
    if let Some(message) = line.strip_suffix(UNSET_BY_CLANG) {
        let (place, text) = message.split_once(": warning: ")?;
        return Some(format!("{}: {text}", place.rsplit_once(':')?.0));
    }
    let (place, text) = line.strip_suffix(UNSET)?.split_once("): error")?;
    let (file, number) = place.rsplit_once('(')?;
    Some(format!("{file}:{number}: {}{UNSET}", text.split_once(": ")?.1))
}

/// Returns NVRTC's PTX and log.
fn run_nvrtc(
    nvrtc: &Nvrtc,
    name: &str,
    text: &str,
    folders: &[PathBuf],
    more: &[&str],
) -> Result<(String, String), CompileError> {
    let headers: Vec<_> = header::plain().collect();
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, text)| (*name, text.as_ref())).collect();
    let mut options = nvrtc_options_including(text, folders);
    options.extend(more.iter().map(|option| (*option).to_owned()));
    let compiled = nvrtc.ptx_and_log(name, text, &headers, &options)?;
    let absent = ABSENT.iter().filter(|(symbol, _)| compiled.0.contains(symbol));
    let more: BTreeSet<String> = absent.map(|(_, name)| format!("--define-macro={name}")).collect();
    if more.is_empty() {
        return Ok(compiled);
    }
    options.extend(more);
    Ok(nvrtc.ptx_and_log(name, text, &headers, &options)?)
}

/// The beginnings of symbols of functions that NVRTC calls, and that exist nowhere: those of `pow` with a whole exponent, and of sums of
/// products of bytes. With these macros, the course's header has others for the programs that call them.
const ABSENT: [(&str, &str); 4] = [
    ("_Z5powiffi", "COALESCED_POWERS"),
    ("_Z4powidi", "COALESCED_POWERS"),
    ("_Z6__dp4a", "COALESCED_DOTS"),
    ("_Z9__dp2a_", "COALESCED_DOTS"),
];

impl From<nvrtc::CompileError> for CompileError {
    fn from(error: nvrtc::CompileError) -> Self {
        match error {
            nvrtc::CompileError::Log(log) => Self::Log(includes::explain(&log, Choice::Nvrtc)),
            other => Self::Failed(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_about_variables_without_a_value_are_read() {
        let by_nvrtc = "a (1).cu(10): error #549-D: variable \"i\" is used before its value is set";
        assert_eq!(of_unset(by_nvrtc).as_deref(), Some("a (1).cu:10: variable \"i\" is used before its value is set"));
        let by_clang = "k.cu:10:4: warning: variable 'i' is uninitialized when used here [-Wuninitialized]";
        assert_eq!(of_unset(by_clang).as_deref(), Some("k.cu:10: variable 'i' is uninitialized when used here"));
        for other in ["k.cu(10): error: expected a \";\"", "k.cu:10:4: warning: unused [-Wunused]", "  i = 1;", ""] {
            assert_eq!(of_unset(other), None, "{other}");
        }
    }
}
