//! core and `device`, compiled for the GPU once for each compiler and kept in the user's cache folder.
//!
//! They are compiled from source to metadata alone, with the code of every function in it: what a kernel uses of them
//! becomes code of the kernel's file, where LLVM inlines it, and there is nothing to link. Compiled so that a panic is a
//! trap, core has no message to print.

use crate::sources::DEVICE;
use crate::toolchain::{Missing, Toolchain};
use crate::{CompileError, output, write};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// rustc asks for this crate beside core. Its functions are for what an nvptx64 does itself.
const COMPILER_BUILTINS: &str = "#![feature(compiler_builtins)]\n#![compiler_builtins]\n#![no_std]\n";

/// The folders of the compiled libraries.
#[derive(Debug)]
pub struct Library {
    /// core, which depends on the compiler alone.
    core: PathBuf,
    /// `device`, beside it.
    device: PathBuf,
}

impl Library {
    /// That of a compiler, whether it is there yet or not.
    pub fn of(toolchain: &Toolchain) -> Result<Self, Missing> {
        let cache = loading::cache_folder().ok_or_else(|| Missing::because(loading::NO_CACHE))?;
        let core = cache.join("rust-ptx").join(toolchain.version.replace(' ', "-"));
        let device = core.join(format!("device-{}", version_of_device()));
        Ok(Self { core, device })
    }

    /// Compiles the libraries unless they are there.
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

    /// rustc's options for a crate that uses them.
    pub fn externs(&self) -> Vec<OsString> {
        let mut options = externs_of_core(&self.core);
        options.extend(["--extern".into(), named("device=", &self.device.join(name_of("device")))]);
        options.extend(["-L".into(), self.core.clone().into()]);
        options
    }
}

/// Which `device` this program was built with: the first half of a SHA-256 of its files.
fn version_of_device() -> String {
    let mut hash = Sha256::new();
    for (name, text) in DEVICE {
        hash.update(format!("{name} {}\n{text}", text.len()));
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Fills a folder, beside its place, and moves it there whole: several programs may be at it.
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
    rustc.arg("--extern").arg(named("core=", &folder.join(name_of("core"))));
    output(rustc.args(["-Z", "force-unstable-if-unmarked"]), CompileError::Failed)
}

fn compile_device(toolchain: &Toolchain, core: &Path, folder: &Path) -> Result<(), CompileError> {
    for (name, text) in DEVICE {
        write(&folder.join(name), text)?;
    }
    let mut rustc = metadata(toolchain, "device", &folder.join("lib.rs"), folder);
    // Its lines are never a kernel's, so they need not name this folder.
    rustc.arg("--remap-path-prefix").arg(format!("{}=device", folder.display()));
    output(rustc.args(externs_of_core(core)), CompileError::Failed)
}

/// rustc for a crate's metadata with the code of every function.
fn metadata(toolchain: &Toolchain, name: &str, source: &Path, folder: &Path) -> Command {
    let mut rustc = toolchain.rustc();
    rustc.args(["--crate-name", name, "--emit", "metadata", "-Z", "always-encode-mir"]).arg(source);
    rustc.arg("-o").arg(folder.join(name_of(name)));
    rustc
}

/// The file of a crate's metadata.
fn name_of(name: &str) -> String {
    format!("lib{name}.rmeta")
}

fn externs_of_core(folder: &Path) -> Vec<OsString> {
    let library = |name: &str| ["--extern".into(), named(&format!("noprelude:{name}="), &folder.join(name_of(name)))];
    [library("core"), library("compiler_builtins")].concat()
}

fn named(name: &str, file: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(file);
    option
}
