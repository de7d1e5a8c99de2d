//! The tools that are installed on this machine.

use crate::command::cargo;
use crate::workspace::Workspace;
use crate::{clang_format, compiler, wasm};
use cuda_cpp::Clang;
use nvrtc::Nvrtc;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The browsers that the book's tests look for, as in `book/tests/all/browser`.
const BROWSERS: [&str; 3] = ["chromium", "google-chrome", "chromium-browser"];

/// An installed tool: its description, or an error with the command that installs it.
pub struct Machine {
    pub rust: Result<String, String>,
    /// The first line that stage 1 prints, which names the device.
    pub stage: Result<String, String>,
    pub has_gpu: bool,
    pub nvrtc: Result<String, String>,
    pub clang: Result<String, String>,
    /// The program that downloads Python packages: pip or uv.
    pub fetcher: Option<String>,
    pub browser: Option<String>,
    pub wasm: Option<&'static str>,
    pub rust_kernels: Result<String, String>,
    pub formatter: bool,
    pub lints: bool,
    /// clang-format of the version that lays out the kernels.
    pub clang_format: Option<String>,
    pub ncu: Option<String>,
    pub python_environments: bool,
    /// The free space in the target folder in GiB; none if it is unknown.
    pub free_gib: Option<u64>,
    /// Whether this is the platform of the pinned compiler and of the pinned packages of CUDA Python.
    pub is_x86_64_linux: bool,
}

impl Machine {
    /// Looks for all tools, and builds and runs the first stage.
    pub fn examine(workspace: &Workspace) -> Self {
        let rust = first_line(Command::new("rustc").arg("--version")).ok_or_else(|| "rustc cannot be started".into());
        let stage = rust.clone().and_then(|_: String| run_stage(workspace));
        let has_gpu = stage.as_ref().is_ok_and(|(_, is_gpu)| *is_gpu);
        Self {
            rust,
            stage: stage.map(|(banner, _)| banner),
            has_gpu,
            nvrtc: Nvrtc::find().map(|nvrtc| nvrtc.describe()).map_err(|missing| missing.to_string()),
            clang: Clang::find().map(|clang| clang.describe()).map_err(|missing| missing.to_string()),
            fetcher: compiler::fetcher(),
            browser: browser(),
            wasm: wasm::toolchain(),
            rust_kernels: rust_kernels(),
            formatter: first_line(cargo().args(["fmt", "--version"])).is_some(),
            lints: first_line(cargo().args(["clippy", "--version"])).is_some(),
            clang_format: clang_format::find(&workspace.target)
                .map(|program| format!("{}, {}", clang_format::VERSION, program.display())),
            ncu: ncu(),
            python_environments: first_line(Command::new("python3").args(["-c", "import venv; print(1)"])).is_some(),
            free_gib: free_gib(&workspace.root),
            is_x86_64_linux: cfg!(all(target_os = "linux", target_arch = "x86_64")),
        }
    }

    /// Returns the report on the tools: names and texts.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let or_none = |text: Option<&str>| text.unwrap_or("none").to_owned();
        let either = |result: &Result<String, String>| result.clone().unwrap_or_else(|reason| reason);
        vec![
            ("Rust", format!("{}, {} or newer is needed", either(&self.rust), env!("CARGO_PKG_RUST_VERSION"))),
            ("device", either(&self.stage)),
            ("NVRTC", self.nvrtc.clone().unwrap_or_else(|_| "none".into())),
            ("clang to PTX", self.clang.clone().unwrap_or_else(|_| "none".into())),
            ("Python packages", or_none(self.fetcher.as_deref())),
            ("browser", or_none(self.browser.as_deref())),
            ("Rust to wasm", or_none(self.wasm)),
            ("Rust to PTX", self.rust_kernels.clone().unwrap_or_else(|_| "none".into())),
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
    let built = build.current_dir(&workspace.root).args(["build", "--package", STAGE]).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err(format!("{STAGE} cannot be built: see cargo's errors above"));
    }
    let mut run = Command::new(workspace.target.join("debug").join(STAGE));
    let output = run.args(["--n", "1024", "--runs", "1"]).output().map_err(|error| error.to_string())?;
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(to_report(errors.lines().last().unwrap_or("the first stage failed")));
    }
    let banner = said.lines().next().unwrap_or_default().to_owned();
    let is_gpu = !banner.contains("emulator");
    Ok((banner, is_gpu))
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

fn browser() -> Option<String> {
    let named = std::env::var_os("COALESCED_BROWSER").map(|file| PathBuf::from(file).display().to_string());
    named.or_else(|| BROWSERS.iter().find_map(|name| on_path(name)))
}

fn ncu() -> Option<String> {
    let in_toolkit = || Path::new("/usr/local/cuda/bin/ncu").is_file().then(|| "/usr/local/cuda/bin/ncu".to_owned());
    on_path("ncu").or_else(in_toolkit)
}

fn rust_kernels() -> Result<String, String> {
    let compiler = rust_ptx::Compiler::find().map_err(|missing| missing.to_string())?;
    Ok(compiler.version())
}

fn free_gib(folder: &Path) -> Option<u64> {
    let output = Command::new("df").args(["--output=avail", "--block-size=1G"]).arg(folder).output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().nth(1)?.trim().parse().ok()
}
