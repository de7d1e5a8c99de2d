//! `cargo x wasm`: what the book's pages run as WebAssembly: the emulator, and what edits kernels.
//!
//! The modules (about 1.5 MB each) are committed, so that building the book takes no compiler for WebAssembly. They are
//! refreshed before a release. Their last section contains the hash of their sources' tokens: `cargo x wasm --check` fails if
//! a hash is out of date, and `cargo x ci` prints a notice. Changes to comments, formatting or tests do not require new files.
//! The bytes are not compared, since two compilers generate different ones.

use crate::command::{self, cargo};
use crate::tokens;
use crate::workspace::{Workspace, files_below};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// The name of rustup's toolchain with the target added.
const RUSTUP: &str = "rustup's target wasm32-unknown-unknown";

/// Enables the vector instructions of WebAssembly. Without them the 32 lanes of a warp are computed one by one. A page may add a
/// function to the table (`emulator/simd/src/fused.rs`).
const RUST_FLAGS: &str = "-Ctarget-feature=+simd128 -Clink-arg=--export-table -Clink-arg=--growable-table";

/// Debian's compiler for WebAssembly, its linker, and its standard library, of which only the source is packaged.
const DEBIAN_FILES: [&str; 4] =
    ["/usr/bin/cargo", "/usr/bin/rustc", "/usr/bin/wasm-ld-16", "/usr/lib/rustlib/src/rust/library"];

/// A module of the pages.
struct Module {
    /// The file in the book's folder.
    file: &'static str,
    /// The package of the module.
    package: &'static str,
    /// The folders of the packages that it is built from.
    packages: &'static [&'static str],
}

const MODULES: [Module; 2] = [
    Module {
        file: "emulator.wasm",
        package: "emulator-web",
        packages: &["emulator/simd", "emulator/machine", "book/pages/emulator"],
    },
    Module {
        file: "editor.wasm",
        package: "editor-web",
        packages: &[
            "emulator/simd",
            "emulator/machine",
            "book/pages/emulator",
            "compilers/ir-ptx",
            "emulator/predict",
            "learn/judge",
            "book/pages/editor",
        ],
    },
];

/// The sources of a package.
const SOURCES: [&str; 2] = ["Cargo.toml", "src"];

/// The name of the section with their hash.
const SECTION: &str = "sources-sha256";

/// Builds the modules and writes them to the book. With `check`, only requires that the committed ones are up to date.
///
/// # Errors
/// Returns an error if there is no compiler for the target, naming the ways to get one, if the build fails, or if a
/// committed module is out of date.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    if check {
        return require_fresh(&workspace.root);
    }
    MODULES.iter().try_for_each(|module| write(workspace, module))
}

/// Requires that the committed modules were built from the present sources.
///
/// # Errors
/// Returns an error if a module is out of date or if a file cannot be read.
pub fn require_fresh(root: &Path) -> Result<()> {
    MODULES.iter().try_for_each(|module| module.require_fresh(root))
}

fn write(workspace: &Workspace, module: &Module) -> Result<()> {
    build(workspace, module.package)?;
    let name = format!("{}.wasm", module.package.replace('-', "_"));
    let built = workspace.target.join(TARGET).join("page").join(name);
    let mut bytes = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    bytes.extend(section(&workspace.root, module)?);
    let file = module.path(&workspace.root);
    fs::write(&file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
    println!("{}: {} KiB", file.display(), bytes.len() >> 10);
    Ok(())
}

impl Module {
    fn path(&self, root: &Path) -> PathBuf {
        root.join("book").join(self.file)
    }

    fn require_fresh(&self, root: &Path) -> Result<()> {
        let file = self.path(root);
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}; run `cargo x wasm`", file.display()))?;
        if !bytes.ends_with(&section(root, self)?) {
            bail!(
                "{} is out of date with respect to the sources of {}; `cargo x wasm` refreshes it before a release",
                file.strip_prefix(root).unwrap_or(&file).display(),
                self.packages.join(", ")
            );
        }
        Ok(())
    }
}

/// Returns a custom section of WebAssembly, which engines skip: id 0, length, length of the name, name, contents.
fn section(root: &Path, module: &Module) -> Result<Vec<u8>> {
    let hash = hash_of_sources(root, module)?;
    let length = 1 + SECTION.len() + hash.len();
    let lengths = u8::try_from(length).ok().filter(|&length| length < 0x80).zip(u8::try_from(SECTION.len()).ok());
    let (length, name_length) = lengths.context("lengths of one byte")?;
    Ok([&[0, length, name_length], SECTION.as_bytes(), &hash].concat())
}

fn hash_of_sources(root: &Path, module: &Module) -> Result<Vec<u8>> {
    let mut hasher = Sha256::new();
    for source in module.packages.iter().flat_map(|package| SOURCES.map(|source| root.join(package).join(source))) {
        for file in files_below(&source)? {
            let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let program = program_of(&file)?;
            // The length separates the end of one file from the start of the next.
            hasher.update(format!("{name} {}\n", program.len()));
            hasher.update(program);
        }
    }
    Ok(hasher.finalize().to_vec())
}

/// Returns the part of a source that the hash covers.
fn program_of(file: &Path) -> Result<String> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    match file.extension().and_then(OsStr::to_str) {
        Some("rs") => tokens::of_rust(&text).with_context(|| format!("{} is not valid Rust", file.display())),
        Some("toml") => Ok(tokens::of_manifest(&text)),
        _ => Ok(text),
    }
}

/// Returns the toolchain for the target on this machine; none if there is none.
pub fn toolchain() -> Option<&'static str> {
    if rustup_has(TARGET) {
        return Some(RUSTUP);
    }
    DEBIAN_FILES.iter().all(|file| Path::new(file).exists()).then_some("Debian's rustc-web")
}

fn build(workspace: &Workspace, package: &str) -> Result<()> {
    let mut build = match toolchain() {
        Some(RUSTUP) => cargo(),
        Some(_) => debian_cargo(),
        None => bail!(
            "there is no compiler for {TARGET}; install one with\n  rustup target add {TARGET}\nor, on Debian, with\n  \
             apt-get install rustc-web cargo-web rust-web-src lld-16"
        ),
    };
    build.current_dir(&workspace.root).env("RUSTFLAGS", RUST_FLAGS);
    build.args(["build", "--package", package, "--profile", "page", "--target", TARGET]);
    command::run(&mut build)
}

/// Returns whether the compiler that built this program has a standard library for a target.
pub fn rustup_has(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim_end()).is_dir())
}

/// Returns Debian's cargo, which also builds the standard library. This takes unstable options of a stable compiler, hence
/// the bootstrap variable. The variables that `cargo x` set for its own toolchain are removed.
fn debian_cargo() -> Command {
    let mut cargo = Command::new("/usr/bin/cargo");
    for variable in ["CARGO", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"] {
        cargo.env_remove(variable);
    }
    cargo.env("PATH", "/usr/bin:/bin").env("RUSTC_BOOTSTRAP", "1").env("RUSTC", "/usr/bin/rustc");
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-16");
    cargo.arg("-Zbuild-std=std,panic_abort");
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checkout with sources, and modules with their hashes.
    fn fresh() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for package in MODULES.iter().flat_map(|module| module.packages) {
            let package = folder.path().join(package);
            fs::create_dir_all(package.join("src")).expect("a folder");
            fs::write(package.join("Cargo.toml"), "[package]").expect("a file");
            fs::write(package.join("src/lib.rs"), "fn f() {}").expect("a file");
        }
        fs::create_dir_all(folder.path().join("book")).expect("a folder");
        for module in &MODULES {
            let bytes = [b"\0asm".to_vec(), section(folder.path(), module).expect("readable files")].concat();
            fs::write(module.path(folder.path()), bytes).expect("a file");
        }
        folder
    }

    #[test]
    fn a_module_is_fresh_until_a_source_changes_or_is_added() {
        let folder = fresh();
        require_fresh(folder.path()).expect("nothing changed");
        fs::write(folder.path().join("emulator/machine/src/new.rs"), "").expect("a file");
        let error = require_fresh(folder.path()).unwrap_err().to_string();
        assert!(
            error.starts_with("book/emulator.wasm is out of date with respect to the sources of emulator/simd, "),
            "{error}"
        );
        let folder = fresh();
        fs::write(folder.path().join("book/pages/emulator/Cargo.toml"), "[changed]").expect("a file");
        assert!(require_fresh(folder.path()).is_err());
        let folder = fresh();
        fs::write(folder.path().join("emulator/machine/src/lib.rs"), "fn g() {}").expect("a file");
        assert!(require_fresh(folder.path()).is_err());
    }

    #[test]
    fn the_sources_of_one_module_do_not_make_the_other_old() {
        let folder = fresh();
        fs::write(folder.path().join("learn/judge/src/lib.rs"), "fn g() {}").expect("a file");
        let error = require_fresh(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("book/editor.wasm is out of date"), "{error}");
    }

    #[test]
    fn a_module_is_fresh_after_a_change_of_comments() {
        let folder = fresh();
        fs::write(folder.path().join("emulator/machine/src/lib.rs"), "//! Comment.\n\nfn f() {\n    // more\n}\n")
            .expect("a file");
        fs::write(folder.path().join("emulator/machine/Cargo.toml"), "# comment\n[package]\n").expect("a file");
        require_fresh(folder.path()).expect("the program is the same");
    }

    #[test]
    fn the_error_of_a_missing_module_names_the_command() {
        let folder = fresh();
        fs::remove_file(MODULES[1].path(folder.path())).expect("a file");
        assert!(require_fresh(folder.path()).unwrap_err().to_string().contains("run `cargo x wasm`"));
    }
}
