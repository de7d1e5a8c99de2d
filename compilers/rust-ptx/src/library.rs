//! core and `device`, compiled for the GPU once per compiler and kept in the user's cache folder.
//!
//! They are compiled from source to metadata only, with the MIR of every function. Functions that a kernel calls become code
//! of the kernel's file, where LLVM can inline them, and there is nothing to link. A panic is compiled to a trap, so that
//! core has no messages to format.

use crate::sources::DEVICE;
use crate::toolchain::{Missing, Toolchain};
use crate::{CompileError, output, write};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate `compiler_builtins`, which rustc requires in addition to core. An nvptx64 needs none of its functions.
const COMPILER_BUILTINS: &str = "#![feature(compiler_builtins)]\n#![compiler_builtins]\n#![no_std]\n";

/// The folders of the compiled libraries.
#[derive(Debug)]
pub struct Library {
    /// The folder of core, which depends only on the compiler.
    core: PathBuf,
    /// The folder of `device`.
    device: PathBuf,
}

impl Library {
    /// The library for a compiler, whether it is compiled already or not.
    pub fn new(toolchain: &Toolchain) -> Result<Self, Missing> {
        let cache = loading::cache_folder().ok_or_else(|| Missing::because(loading::NO_CACHE))?;
        let core = cache.join("rust-ptx").join(toolchain.version.replace(' ', "-"));
        let device = core.join(format!("device-{}", version_of_device()));
        Ok(Self { core, device })
    }

    /// Compiles core and `device` unless they are compiled already.
    pub fn require(&self, toolchain: &Toolchain) -> Result<(), CompileError> {
        if !self.core.join(name_of("core")).is_file() {
            eprintln!("Compiling Rust's core library for the GPU, once for each compiler (half a minute) …");
            make(&self.core, |folder| compile_core(toolchain, folder))?;
        }
        if !self.device.is_dir() {
            make(&self.device, |folder| compile_device(toolchain, &self.core, folder))?;
        }
        Ok(())
    }

    /// Returns rustc's options for a crate that uses the library.
    pub fn externs(&self) -> Vec<OsString> {
        let mut options = externs_of_core(&self.core);
        options.extend(["--extern".into(), option("device=", &self.device.join(name_of("device")))]);
        options.extend(["-L".into(), self.core.clone().into()]);
        options
    }
}

/// Returns the version of `device` in this program: the first half of a SHA-256 of its files.
fn version_of_device() -> String {
    let mut hash = Sha256::new();
    for (name, text) in DEVICE {
        hash.update(format!("{name} {}\n{text}", text.len()));
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Fills a temporary folder and renames it to `place`, so that several programs can do this at the same time.
fn make(place: &Path, fill: impl Fn(&Path) -> Result<(), CompileError>) -> Result<(), CompileError> {
    let failed = |error: std::io::Error| CompileError::Failed(format!("{}: {error}", place.display()));
    let parent = place.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(failed)?;
    let scratch = tempfile::tempdir_in(parent).map_err(failed)?;
    fill(scratch.path())?;
    match fs::rename(scratch.path(), place) {
        Err(error) if !place.is_dir() => Err(failed(error)),
        _ => Ok(()),
    }
}

fn compile_core(toolchain: &Toolchain, folder: &Path) -> Result<(), CompileError> {
    let core = toolchain.library.join("core/src/lib.rs");
    let mut rustc = metadata(toolchain, "core", &core, folder);
    output(rustc.args(["-Z", "force-unstable-if-unmarked", "--cap-lints", "allow"]), CompileError::Failed)?;
    let builtins = folder.join("compiler_builtins.rs");
    write(&builtins, COMPILER_BUILTINS)?;
    let mut rustc = metadata(toolchain, "compiler_builtins", &builtins, folder);
    rustc.arg("--extern").arg(option("core=", &folder.join(name_of("core"))));
    output(rustc.args(["-Z", "force-unstable-if-unmarked"]), CompileError::Failed)
}

fn compile_device(toolchain: &Toolchain, core: &Path, folder: &Path) -> Result<(), CompileError> {
    for (name, text) in DEVICE {
        write(&folder.join(name), text)?;
    }
    let mut rustc = metadata(toolchain, "device", &folder.join("lib.rs"), folder);
    // Line tables never show lines of `device`, so the name of this folder is not needed.
    rustc.arg("--remap-path-prefix").arg(format!("{}=device", folder.display()));
    output(rustc.args(externs_of_core(core)), CompileError::Failed)
}

/// Returns the command that compiles a crate to metadata with the MIR of every function.
fn metadata(toolchain: &Toolchain, name: &str, source: &Path, folder: &Path) -> Command {
    let mut rustc = toolchain.rustc();
    rustc.args(["--crate-name", name, "--emit", "metadata", "-Z", "always-encode-mir"]).arg(source);
    rustc.arg("-o").arg(folder.join(name_of(name)));
    rustc
}

/// Returns the name of the file with a crate's metadata.
fn name_of(name: &str) -> String {
    format!("lib{name}.rmeta")
}

fn externs_of_core(folder: &Path) -> Vec<OsString> {
    let library = |name: &str| ["--extern".into(), option(&format!("noprelude:{name}="), &folder.join(name_of(name)))];
    [library("core"), library("compiler_builtins")].concat()
}

fn option(name: &str, file: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(file);
    option
}
