//! `cargo x wasm`: what the book's pages run as WebAssembly: the emulator, and what edits kernels.
//!
//! The modules are committed, compressed as pages contain them, so building the book takes no compiler for WebAssembly. They
//! are refreshed for a release. `book/tests/all/browser/answers.rs` asks them and requires the numbers of today's sources; the
//! bytes are not compared, since two compilers generate different ones.

use crate::command::{self, cargo};
use crate::packed;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
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

/// The modules: a package, and its file in the book's folder.
const MODULES: [(&str, &str); 2] = [("emulator-web", "emulator.wasm.gz"), ("editor-web", "editor.wasm.gz")];

/// Builds the modules and writes them to the book.
///
/// # Errors
/// Returns an error if there is no compiler for the target, naming the ways to get one, or if the build fails.
pub fn run(workspace: &Workspace) -> Result<()> {
    MODULES.iter().try_for_each(|(package, file)| write(workspace, package, file))
}

fn write(workspace: &Workspace, package: &str, file: &str) -> Result<()> {
    build(workspace, package)?;
    let name = format!("{}.wasm", package.replace('-', "_"));
    let built = workspace.target.join(TARGET).join("page").join(name);
    let bytes = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    let file = workspace.root.join("book").join(file);
    packed::write(&file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
    println!("{}: {} KiB, {} KiB uncompressed", file.display(), fs::metadata(&file)?.len() >> 10, bytes.len() >> 10);
    Ok(())
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
