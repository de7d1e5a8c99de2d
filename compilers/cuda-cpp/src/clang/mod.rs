//! Clang as a compiler for CUDA C++: a program that is installed or was downloaded by `cargo learn clang`, and the course's own
//! header in place of NVIDIA's.

mod branches;
mod options;
pub mod pinned;
mod program;
mod search;

pub use loading::search::Missing;

use crate::architecture::is_specific;
use crate::header::Header;
use crate::{Choice, CompileError, Compiled, includes};
use program::Program;
use std::path::{Path, PathBuf};

/// A usable clang, and the folder with the header.
#[derive(Debug)]
pub struct Clang {
    program: Program,
    header: Header,
}

impl Clang {
    /// Finds the first usable clang. If `COALESCED_CLANG` names a program, only this one is tried. Otherwise the order is: the
    /// one that `cargo learn clang` downloaded, the PATH, and the folders in which packages install LLVM.
    ///
    /// # Errors
    /// Returns [`Missing`], whose text has the command that installs it.
    pub fn find() -> Result<Self, Missing> {
        search::find()
    }

    /// Uses the program `file`: clang, or `zig`, which contains clang.
    ///
    /// # Errors
    /// Returns what the program lacks, or why the header cannot be written. The text names the file.
    pub fn open(file: &Path) -> Result<Self, String> {
        let program = Program::examine(file)?;
        let header = Header::write().map_err(|error| format!("cannot write the header for clang: {error}"))?;
        Ok(Self { program, header })
    }

    /// Returns the name and version: `clang 22.1.8`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("clang {}", self.program.version)
    }

    /// Compiles `text` to PTX for a device of compute capability `architecture` (10 × major + minor), or for the newest one
    /// that every supported clang knows if the device is newer. The output has a line table. `name` is the name of the file
    /// in errors and line tables.
    ///
    /// # Errors
    /// Returns a [`CompileError`], with clang's messages if the text has errors.
    pub fn ptx(&self, name: &str, text: &str, architecture: i32) -> Result<String, CompileError> {
        let compiled = self.run(name, text, architecture, &options::QUIET.map(String::from))?;
        Ok(branches::invert(&compiled.ptx))
    }

    /// Compiles the device's part of a program as [`Clang::ptx`] does, with headers from `folders` and `more` options. Functions
    /// that remain without a word for the device are for the device too.
    ///
    /// # Errors
    /// As [`Clang::ptx`].
    pub fn ptx_including(
        &self,
        name: &str,
        text: &str,
        architecture: i32,
        folders: &[PathBuf],
        more: &[String],
    ) -> Result<Compiled, CompileError> {
        let folders = folders.iter().map(|folder| format!("-I{}", folder.display()));
        let fixed = options::FOR_PROGRAMS.map(String::from).into_iter();
        let options: Vec<String> = fixed.chain(folders).chain(more.iter().cloned()).collect();
        let compiled = self.run(name, text, architecture, &options)?;
        Ok(Compiled { ptx: branches::invert(&compiled.ptx), ..compiled })
    }

    /// Compiles `text` as [`Clang::ptx`] does, with clang's warnings. A variable that has no value where it is read is an error.
    ///
    /// # Errors
    /// As [`Clang::ptx`].
    pub fn examine(&self, name: &str, text: &str, architecture: i32) -> Result<Compiled, CompileError> {
        let compiled = self.run(name, text, architecture, &options::FOR_LEARNERS.map(String::from))?;
        Ok(Compiled { ptx: branches::invert(&compiled.ptx), ..compiled })
    }

    /// Compiles `text` to LLVM's intermediate representation instead, for `ir-ptx`. The rest is as for [`Clang::ptx`].
    ///
    /// # Errors
    /// As [`Clang::ptx`].
    pub fn ir(&self, name: &str, text: &str, architecture: i32) -> Result<String, CompileError> {
        self.run(name, text, architecture, &options::FOR_IR.map(String::from)).map(|compiled| compiled.ptx)
    }

    fn run(&self, name: &str, text: &str, architecture: i32, more: &[String]) -> Result<Compiled, CompileError> {
        let mut command = self.program.command();
        command.args(options::for_architecture(architecture, is_specific(text), self.header.folder())).args(more);
        let input = format!("{}{text}", options::line_marker(name));
        let ended = program::run(command, input.into_bytes())
            .map_err(|error| CompileError::Failed(format!("cannot run {}: {error}", self.program.file.display())))?;
        let messages = self.messages(&ended.errors);
        if ended.is_success {
            Ok(Compiled { ptx: ended.output, warnings: messages })
        } else {
            Err(self.failure(&messages))
        }
    }

    /// Returns clang's messages without the name of the header's folder, without their number, and without notes about lines of
    /// the header, which a learner has not written.
    fn messages(&self, errors: &str) -> String {
        let mut is_left_out = false;
        let of_learner = |line: &&str| {
            // A line that begins with a space belongs to the message above it.
            if !line.starts_with(' ') {
                is_left_out = line.contains(" generated when compiling for ")
                    || line.starts_with("coalesced/") && line.contains(": note: ");
            }
            !is_left_out
        };
        self.header.without_folder(errors).lines().filter(of_learner).collect::<Vec<_>>().join("\n")
    }

    /// Returns the error for clang's messages. A compiler that crashes writes no `error:` with a place.
    fn failure(&self, messages: &str) -> CompileError {
        if messages.contains("error: ") {
            CompileError::Log(includes::explain(messages, Choice::Clang))
        } else {
            CompileError::Failed(format!("{} failed: {messages}", self.describe()))
        }
    }
}
