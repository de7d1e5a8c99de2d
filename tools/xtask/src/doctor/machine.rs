//! The tools that are installed on this machine.

use crate::command::cargo;
use crate::workspace::Workspace;
use crate::{clang_format, compiler, wasm};
use cuda_cpp::{Choice, Clang};
use nvrtc::Nvrtc;
use std::env::consts::EXE_SUFFIX;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The browsers that the book's tests look for, as in `book/tests/all/browser`.
const BROWSERS: [&str; 3] = ["chromium", "google-chrome", "chromium-browser"];

/// The reason why there is no browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBrowser {
    /// None is installed.
    NotInstalled,
    /// `COALESCED_BROWSER` names this file, which is not a program.
    Named(PathBuf),
}

/// An installed tool: its description, or an error with the command that installs it.
pub struct Machine {
    pub rust: Result<String, String>,
    /// The first line that stage 1 prints, which names the device.
    pub stage: Result<String, String>,
    pub has_gpu: bool,
    pub nvrtc: Result<String, String>,
    pub clang: Result<String, String>,
    /// The compiler for CUDA C++ that is used without a choice.
    pub cuda: Result<String, String>,
    /// The compiler that the first kernel of `cargo x check` downloads.
    pub cuda_to_fetch: Option<Choice>,
    /// Why `cargo x nvrtc` cannot download NVRTC.
    pub no_nvrtc_wheel: Option<String>,
    /// Why `cargo x clang` cannot download clang.
    pub no_clang_wheel: Option<String>,
    /// The program that downloads Python packages: pip or uv.
    pub fetcher: Option<String>,
    /// The browser of the book's tests, or why there is none.
    pub browser: Result<String, NoBrowser>,
    /// Whether the book's pages have a compiler, or npm to download it.
    pub pages_compile: bool,
    pub wasm: Option<&'static str>,
    pub rust_kernels: Result<String, String>,
    pub formatter: bool,
    pub lints: bool,
    /// clang-format of the version that lays out the kernels.
    pub clang_format: Option<String>,
    pub ncu: Option<String>,
    pub python_environments: bool,
    /// The free space for the target folder in GiB; none if it is unknown.
    pub free_gib: Option<u64>,
    /// The size of the target folder in GiB.
    pub built_gib: u64,
    /// Whether this is the platform of the pinned compiler and of the pinned packages of CUDA Python.
    pub is_x86_64_linux: bool,
}

impl fmt::Display for NoBrowser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str("none"),
            Self::Named(file) => write!(f, "COALESCED_BROWSER names {}, which is not a program", file.display()),
        }
    }
}

impl Machine {
    /// Looks for all tools, and builds and runs the first stage.
    pub fn examine(workspace: &Workspace) -> Self {
        let rust = first_line(Command::new("rustc").arg("--version"));
        let rust = rust.ok_or_else(|| "rustc cannot be started: install Rust by https://rustup.rs".to_owned());
        let stage = rust.clone().and_then(|_: String| run_stage(workspace));
        let nvrtc = Nvrtc::find();
        let cuda = nvrtc.as_ref().map_or_else(
            |_| cuda_cpp::Compiler::find(None).map(|compiler| compiler.describe()),
            |nvrtc| Ok(nvrtc.describe()),
        );
        let cuda_to_fetch = cuda.as_ref().err().and_then(|missing| missing.can_be_fetched());
        let has_gpu = stage.as_ref().is_ok_and(|(_, is_gpu)| *is_gpu);
        Self {
            rust,
            stage: stage.map(|(banner, _)| banner),
            has_gpu,
            nvrtc: nvrtc.map(|nvrtc| nvrtc.describe()).map_err(|missing| missing.to_string()),
            clang: Clang::find().map(|clang| clang.describe()).map_err(|missing| missing.to_string()),
            cuda: cuda.map_err(|missing| missing.to_string()),
            cuda_to_fetch,
            no_nvrtc_wheel: compiler::cannot_be_fetched(Choice::Nvrtc),
            no_clang_wheel: compiler::cannot_be_fetched(Choice::Clang),
            fetcher: compiler::fetcher(),
            browser: browser(),
            pages_compile: pages_compile(),
            wasm: wasm::toolchain(),
            rust_kernels: rust_kernels(),
            formatter: first_line(cargo().args(["fmt", "--version"])).is_some(),
            lints: first_line(cargo().args(["clippy", "--version"])).is_some(),
            clang_format: clang_format::find(&workspace.target)
                .map(|program| format!("{}, {}", clang_format::VERSION, program.display())),
            ncu: ncu(),
            python_environments: python_environments(),
            free_gib: free_gib(&workspace.target),
            built_gib: built_gib(&workspace.target),
            is_x86_64_linux: cfg!(all(target_os = "linux", target_arch = "x86_64")),
        }
    }

    /// Returns why the emulator runs the stages, which they print in parentheses.
    pub fn no_gpu(&self) -> Option<&str> {
        let (_, rest) = self.stage.as_ref().ok()?.split_once('(').filter(|_| !self.has_gpu)?;
        rest.rsplit_once("): ").map(|(reason, _)| reason)
    }

    /// Returns the report on the tools: names and texts.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let or_none = |text: Option<&str>| text.unwrap_or("none").to_owned();
        let either = |result: &Result<String, String>| result.clone().unwrap_or_else(|reason| reason);
        vec![
            ("Rust", format!("{}, {} or newer is needed", either(&self.rust), env!("CARGO_PKG_RUST_VERSION"))),
            ("device", either(&self.stage)),
            ("NVRTC", self.nvrtc.clone().unwrap_or_else(none_or_named)),
            ("clang to PTX", self.clang.clone().unwrap_or_else(none_or_named)),
            ("Python packages", or_none(self.fetcher.as_deref())),
            ("browser", self.browser.clone().unwrap_or_else(|reason| reason.to_string())),
            ("Rust to wasm", or_none(self.wasm)),
            ("Rust to PTX", self.rust_kernels.clone().unwrap_or_else(none_or_named)),
            ("clang-format", or_none(self.clang_format.as_deref())),
            ("Nsight Compute", or_none(self.ncu.as_deref())),
            ("free space", self.free_gib.map_or("unknown".into(), |gib| format!("{gib} GiB"))),
        ]
    }
}

/// Builds the first stage and runs it at a small size. Returns its first line, and whether a GPU ran it.
fn run_stage(workspace: &Workspace) -> Result<(String, bool), String> {
    const STAGE: &str = "stage01-naive";
    let mut build = cargo();
    eprintln!("Building {STAGE} to try it; the first build takes a few minutes.");
    build.current_dir(&workspace.root).args(["build", "--package", STAGE, "--message-format"]);
    let built = build.arg("json-render-diagnostics").stderr(Stdio::inherit()).output();
    let built = built.ok().filter(|built| built.status.success());
    let program = built.and_then(|built| executable(&String::from_utf8_lossy(&built.stdout), STAGE));
    let program = program.ok_or_else(|| {
        let linker = if has_linker() {
            ""
        } else {
            "; it takes a C compiler to link, on Debian and Ubuntu `sudo apt-get install build-essential`"
        };
        format!("{STAGE} cannot be built: see cargo's errors above{linker}")
    })?;
    let output =
        Command::new(program).args(["--n", "1024", "--runs", "1"]).output().map_err(|error| error.to_string())?;
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(to_report(errors.lines().last().unwrap_or("the first stage failed")));
    }
    let banner = said.lines().next().unwrap_or_default().to_owned();
    let is_gpu = !banner.contains("emulator");
    Ok((banner, is_gpu))
}

/// Returns the path of a program in cargo's messages, which know of every way to name the target folder.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == name);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// Returns whether there is a C compiler, by which Rust links programs on Unix.
fn has_linker() -> bool {
    cfg!(not(unix)) || on_path("cc").is_some()
}

/// Returns the reason of a failure, with a request to report it on systems that are less tested than Linux.
fn to_report(reason: &str) -> String {
    if cfg!(target_os = "linux") {
        return reason.to_owned();
    }
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{reason} (please report this message with `{system} {machine}`: {system} is less tested than Linux)")
}

/// Returns the first line that a program prints; none if it cannot be started or fails.
fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned())
}

/// Returns the path of a program on the PATH.
fn on_path(name: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(format!("{name}{EXE_SUFFIX}")));
    files.find(|file| file.is_file()).map(|file| file.display().to_string())
}

fn browser() -> Result<String, NoBrowser> {
    let Some(named) = std::env::var_os("COALESCED_BROWSER").map(PathBuf::from) else {
        return BROWSERS.iter().find_map(|name| on_path(name)).ok_or(NoBrowser::NotInstalled);
    };
    let is_program = named.is_file() || named.to_str().is_some_and(|name| on_path(name).is_some());
    if is_program { Ok(named.display().to_string()) } else { Err(NoBrowser::Named(named)) }
}

/// Returns whether the compiler of the book's pages is in the cache or npm can be started, as in `book/src/compiler`.
fn pages_compile() -> bool {
    let kept = loading::cache_folder().map(|cache| cache.join("clang-in-pages"));
    let entries = kept.and_then(|kept| kept.read_dir().ok()).into_iter().flatten().flatten();
    let is_kept = entries.into_iter().any(|entry| entry.path().join("llvm.core.wasm").is_file());
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    is_kept || first_line(Command::new(npm).arg("--version")).is_some()
}

/// Returns whether Python can make a virtual environment. On Debian it has the module for it, but not the one that installs pip
/// there, without the package python3-venv.
fn python_environments() -> bool {
    first_line(Command::new("python3").args(["-c", "import venv, ensurepip; print(1)"])).is_some()
}

fn ncu() -> Option<String> {
    let in_toolkit = || Path::new("/usr/local/cuda/bin/ncu").is_file().then(|| "/usr/local/cuda/bin/ncu".to_owned());
    on_path("ncu").or_else(in_toolkit)
}

fn rust_kernels() -> Result<String, String> {
    let compiler = rust_ptx::Compiler::find().map_err(|missing| missing.to_string())?;
    Ok(compiler.version())
}

/// Returns the free space on the disk of a folder, which need not exist.
fn free_gib(folder: &Path) -> Option<u64> {
    let existing = folder.ancestors().find(|folder| folder.is_dir())?;
    let output = Command::new("df").args(["--output=avail", "--block-size=1G"]).arg(existing).output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().nth(1)?.trim().parse().ok()
}

/// Returns the size of a folder, 0 if it does not exist or the size is unknown.
fn built_gib(folder: &Path) -> u64 {
    let size = first_line(Command::new("du").args(["--summarize", "--block-size=1G"]).arg(folder));
    size.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Returns `none`, or the reason if a variable of the environment names a file that cannot be used.
fn none_or_named(reason: String) -> String {
    if reason.contains("COALESCED_") { reason } else { "none".into() }
}
