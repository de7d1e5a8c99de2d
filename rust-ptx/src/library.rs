//! core and `device`, compiled for the device once for each compiler and kept in the user's cache folder.
//!
//! They are compiled from source to metadata alone, with the code of every function in it: what a kernel uses of them
//! becomes code of the kernel's file, where LLVM inlines it, and there is nothing to link. Compiled so that a panic is a
//! trap, core has no message to print.

use crate::toolchain::{Missing, Toolchain};
use crate::{CompileError, output, write};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of `device`, as they were when this program was built.
const DEVICE: [(&str, &str); 12] = [
    ("lib.rs", include_str!("../../device/src/lib.rs")),
    ("atomic.rs", include_str!("../../device/src/atomic.rs")),
    ("barrier.rs", include_str!("../../device/src/barrier.rs")),
    ("cache.rs", include_str!("../../device/src/cache.rs")),
    ("index.rs", include_str!("../../device/src/index.rs")),
    ("kernels.rs", include_str!("../../device/src/kernels.rs")),
    ("math.rs", include_str!("../../device/src/math.rs")),
    ("memory.rs", include_str!("../../device/src/memory.rs")),
    ("nvptx.rs", include_str!("../../device/src/nvptx.rs")),
    ("unroll.rs", include_str!("../../device/src/unroll.rs")),
    ("vector.rs", include_str!("../../device/src/vector.rs")),
    ("warp.rs", include_str!("../../device/src/warp.rs")),
];

/// rustc asks for this crate beside core. Its functions are for what an nvptx64 does itself.
const COMPILER_BUILTINS: &str = "#![feature(compiler_builtins)]\n#![compiler_builtins]\n#![no_std]\n";

/// Which `device` this program was built with: the first half of a SHA-256 of its files.
#[must_use]
pub fn device_version() -> String {
    let mut hash = Sha256::new();
    for (name, text) in DEVICE {
        hash.update(format!("{name} {}\n{text}", text.len()));
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The folder of the compiled libraries.
#[derive(Debug)]
pub struct Library {
    folder: PathBuf,
}

impl Library {
    /// That of a compiler, whether it is there yet or not.
    pub fn of(toolchain: &Toolchain) -> Result<Self, Missing> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        let cache = cache.ok_or_else(|| Missing::because("neither HOME nor XDG_CACHE_HOME names a folder"))?;
        let versions = format!("{}-{}", toolchain.version.replace(' ', "-"), device_version());
        Ok(Self { folder: cache.join("coalesced/rust-ptx").join(versions) })
    }

    /// Compiles the libraries unless they are there.
    pub fn require(&self, toolchain: &Toolchain) -> Result<(), CompileError> {
        if self.folder.is_dir() {
            return Ok(());
        }
        let failed = |error: std::io::Error| CompileError::Failed(format!("{}: {error}", self.folder.display()));
        let parent = self.folder.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(failed)?;
        // Made beside its place and moved there whole: several programs may be at it.
        let scratch = tempfile::tempdir_in(parent).map_err(failed)?;
        compile(toolchain, scratch.path())?;
        match fs::rename(scratch.path(), &self.folder) {
            Err(error) if !self.folder.is_dir() => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// rustc's options for a crate that uses them.
    pub fn externs(&self) -> Vec<OsString> {
        let mut options = externs_of_core(&self.folder);
        options.extend(["--extern".into(), named("device=", &self.folder.join("libdevice.rmeta"))]);
        options.extend(["-L".into(), self.folder.clone().into()]);
        options
    }
}

fn compile(toolchain: &Toolchain, folder: &Path) -> Result<(), CompileError> {
    eprintln!("Compiling Rust's core library for the GPU, once for each compiler (half a minute) …");
    let core = toolchain.library.join("core/src/lib.rs");
    let mut rustc = metadata(toolchain, "core", &core, folder);
    output(rustc.args(["-Z", "force-unstable-if-unmarked", "--cap-lints", "allow"]), CompileError::Failed)?;
    let builtins = folder.join("compiler_builtins.rs");
    write(&builtins, COMPILER_BUILTINS)?;
    let mut rustc = metadata(toolchain, "compiler_builtins", &builtins, folder);
    rustc.arg("--extern").arg(named("core=", &folder.join("libcore.rmeta")));
    output(rustc.args(["-Z", "force-unstable-if-unmarked"]), CompileError::Failed)?;
    for (name, text) in DEVICE {
        write(&folder.join(name), text)?;
    }
    let mut rustc = metadata(toolchain, "device", &folder.join("lib.rs"), folder);
    // Its lines are never a kernel's, so they need not name this folder.
    rustc.arg("--remap-path-prefix").arg(format!("{}=device", folder.display()));
    output(rustc.args(externs_of_core(folder)), CompileError::Failed)
}

/// rustc for a crate's metadata with the code of every function.
fn metadata(toolchain: &Toolchain, name: &str, source: &Path, folder: &Path) -> Command {
    let mut rustc = toolchain.rustc();
    rustc.args(["--crate-name", name, "--emit", "metadata", "-Z", "always-encode-mir"]).arg(source);
    rustc.arg("-o").arg(folder.join(format!("lib{name}.rmeta")));
    rustc
}

fn externs_of_core(folder: &Path) -> Vec<OsString> {
    let library = |name: &str| {
        ["--extern".into(), named(&format!("noprelude:{name}="), &folder.join(format!("lib{name}.rmeta")))]
    };
    [library("core"), library("compiler_builtins")].concat()
}

fn named(name: &str, file: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(file);
    option
}
