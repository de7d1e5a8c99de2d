//! The tools that are installed, by what each says of its version.

use crate::fetch;
use cuda_cpp::Clang;
use nvrtc::Nvrtc;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A tool.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name in the report.
    pub name: &'static str,
    /// Its version or, in the error, how to install it.
    pub found: Result<String, String>,
}

impl Tool {
    /// Returns the version or the advice.
    #[must_use]
    pub fn text(&self) -> &str {
        let (Ok(text) | Err(text)) = &self.found;
        text
    }
}

/// Programs that are asked for their version: their names in the report, the words that ask, and how to install them.
const PROGRAMS: [(&str, &[&str], &str); 6] = [
    ("rustfmt", &["cargo", "fmt", "--version"], "type `rustup component add rustfmt`"),
    ("clippy", &["cargo", "clippy", "--version"], "type `rustup component add clippy`"),
    (
        "npm",
        &["npm", "--version"],
        "none; the book's pages compile with it: on Debian and Ubuntu `sudo apt-get install npm`",
    ),
    ("browser", &["chromium", "--version"], "no chromium; the book's tests use it"),
    ("clang-format", &["clang-format", "--version"], "none; `cargo x clang-format --help` says how to get it"),
    ("Nsight Compute", &["ncu", "--version"], "none; it comes with the CUDA toolkit"),
];

/// Asks all tools for their versions, and builds and runs the first stage.
#[must_use]
pub fn find_tools(root: &Path) -> Vec<Tool> {
    let rust = version(&["rustc", "--version"])
        .map(|version| format!("{version}, {} or newer is needed", env!("CARGO_PKG_RUST_VERSION")))
        .ok_or_else(|| "rustc cannot be started: install Rust by https://rustup.rs".to_owned());
    let device = rust.clone().and_then(|_| run_stage(root));
    let cuda =
        cuda_cpp::Compiler::find(None).map(|compiler| compiler.describe()).map_err(|missing| missing.to_string());
    let compilers = [
        ("Rust", rust),
        ("device", device),
        ("CUDA C++", cuda),
        ("NVRTC", Nvrtc::find().map(|nvrtc| nvrtc.describe()).map_err(|missing| missing.to_string())),
        ("clang to PTX", Clang::find().map(|clang| clang.describe()).map_err(|missing| missing.to_string())),
        ("Rust to PTX", rust_ptx::Compiler::find().map(|rust| rust.version()).map_err(|missing| missing.to_string())),
        ("Python packages", fetch::fetcher().ok_or_else(|| fetch::wheel::NO_FETCHER.to_owned())),
    ];
    let programs = PROGRAMS.map(|(name, words, advice)| (name, version(words).ok_or_else(|| advice.to_owned())));
    compilers.into_iter().chain(programs).map(|(name, found)| Tool { name, found }).collect()
}

/// Returns the first line that a program prints; none if it is missing or fails.
fn version(words: &[&str]) -> Option<String> {
    // The cargo that started this program comes with the toolchain in use.
    let cargo = std::env::var_os("CARGO").filter(|_| words[0] == "cargo");
    // On Windows npm is a script.
    let program = if cfg!(windows) && words[0] == "npm" { "npm.cmd" } else { words[0] };
    let mut command = Command::new(cargo.unwrap_or_else(|| program.into()));
    let output =
        command.args(&words[1..]).stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().find(|line| !line.is_empty())?.to_owned())
}

/// Builds the first stage and runs it at a small size. Returns its first line, which names the device.
fn run_stage(root: &Path) -> Result<String, String> {
    const STAGE: &str = "stage01-naive";
    eprintln!("Building {STAGE} to try it; the first build takes a few minutes.");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.current_dir(root).args(["build", "--package", STAGE, "--message-format", "json-render-diagnostics"]);
    let built = build.stderr(Stdio::inherit()).output().ok().filter(|built| built.status.success());
    let program = built.and_then(|built| executable(&String::from_utf8_lossy(&built.stdout), STAGE));
    let program = program.ok_or_else(|| {
        let linker = "it takes a C compiler to link, on Debian and Ubuntu `sudo apt-get install build-essential`";
        format!("{STAGE} cannot be built: see cargo's errors above; {linker}")
    })?;
    let output =
        Command::new(program).args(["--n", "1024", "--runs", "1"]).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned());
    }
    let reason = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("the first stage failed").to_owned();
    if cfg!(target_os = "linux") {
        return Err(reason);
    }
    let system = std::env::consts::OS;
    let machine = std::env::consts::ARCH;
    Err(format!("{reason} (please report this message with `{system} {machine}`: {system} is less tested than Linux)"))
}

/// Returns the path of a program in cargo's messages, which know of every way to name the target folder.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == name);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}
