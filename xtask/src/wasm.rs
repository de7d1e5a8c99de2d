//! `cargo x wasm`: the emulator as WebAssembly, the form in which the book's pages run it.

use crate::command::{self, cargo};
use crate::workspace::Workspace;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// The vector instructions of WebAssembly; without them a warp's 32 lanes are computed one by one.
const RUST_FLAGS: &str = "-Ctarget-feature=+simd128";

/// Debian's compiler for the web, its linker, and its standard library, which comes as source alone.
const DEBIAN_FILES: [&str; 4] =
    ["/usr/bin/cargo", "/usr/bin/rustc", "/usr/bin/wasm-ld-16", "/usr/lib/rustlib/src/rust/library"];

/// Builds the emulator without its default feature, threads.
///
/// # Errors
/// No compiler for the target, with ways to get one; or a failed build.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut build = if rustup_has_target() {
        cargo()
    } else if DEBIAN_FILES.iter().all(|file| Path::new(file).exists()) {
        debian_cargo()
    } else {
        bail!(
            "there is no compiler for {TARGET}; get it by\n  rustup target add {TARGET}\nor, on Debian, by\n  \
             apt-get install rustc-web cargo-web rust-web-src lld-16"
        );
    };
    build.current_dir(&workspace.root).env("RUSTFLAGS", RUST_FLAGS);
    build.args(["build", "--package", "emulator", "--no-default-features", "--release", "--target", TARGET]);
    command::run(&mut build)
}

/// Whether the compiler that this program was run with has a standard library for the target.
fn rustup_has_target() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim_end()).is_dir())
}

/// Debian's cargo, which builds the standard library too. That needs unstable options of a stable compiler, hence the
/// bootstrap variable. What `cargo x` set for its own toolchain is taken away.
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
