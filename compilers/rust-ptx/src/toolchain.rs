//! The search for rustc and LLVM's tools.

use std::env::consts::EXE_SUFFIX;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names rustc.
const RUSTC_VARIABLE: &str = "COALESCED_RUSTC";

/// The path of rustc in Debian's package rustc-web.
const DEBIAN: &str = "/usr/bin/rustc";

/// The oldest usable rustc, 1.N: the first with `panic=immediate-abort`, which compiles each panic to a trap in its place.
const OLDEST: u32 = 95;

/// The advice if no usable compiler was found.
const ADVICE: &str = "type `rustup component add rust-src llvm-tools` to get what compiles kernels in Rust; or on Debian, \
    `apt-get install rustc-web rust-web-src llvm-22`";

/// A rustc with everything that kernels need.
#[derive(Debug)]
pub struct Toolchain {
    program: PathBuf,
    /// `1.96.0`.
    pub release: String,
    /// `1.96.0 (ac68faa20 2026-05-25)`.
    pub version: String,
    /// `22.1.8`.
    pub llvm_version: String,
    /// The folder `library` with the source of Rust's libraries, which contains `core`.
    pub library: PathBuf,
    /// LLVM's optimizer.
    pub opt: PathBuf,
    /// LLVM's code generator.
    pub llc: PathBuf,
}

/// The error if no compiler can be used. Its text is one line with the command that installs one.
#[derive(Debug)]
pub struct Missing(Option<String>);

impl std::error::Error for Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(reason) => write!(f, "{ADVICE} ({reason})"),
            None => f.write_str(ADVICE),
        }
    }
}

impl Missing {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self(Some(reason.into()))
    }
}

impl Toolchain {
    /// Returns the first rustc that has everything.
    pub fn find() -> Result<Self, Missing> {
        if let Some(named) = std::env::var_os(RUSTC_VARIABLE) {
            let lacks = |lacks| Missing::because(format!("{RUSTC_VARIABLE}: {lacks}"));
            let path = PathBuf::from(&named);
            // It runs in another folder, so a path must be absolute. A bare name is looked up in the PATH.
            let path = if path.components().count() > 1 { std::path::absolute(&path).unwrap_or(path) } else { path };
            return Self::examine(&path).map_err(lacks);
        }
        let mut reason = None;
        let candidates = [Path::new("rustc"), Path::new(DEBIAN)].into_iter();
        let mut usable = candidates.filter_map(|program| match Self::examine(program) {
            Ok(toolchain) => Some(toolchain),
            Err(lacks) => {
                reason.get_or_insert(lacks);
                None
            }
        });
        usable.next().ok_or(Missing(reason))
    }

    /// Examines a rustc. The error names what it lacks.
    fn examine(program: &Path) -> Result<Self, String> {
        let shown = program.display();
        let verbose = said(program, &["-vV"]).ok_or_else(|| format!("{shown} cannot be started"))?;
        let value = |name: &str| {
            let found = verbose.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            found.ok_or_else(|| format!("{shown} does not say its{name}"))
        };
        let release = value("release: ")?;
        let host = value("host: ")?;
        let llvm_version = value("LLVM version: ")?;
        let version = value("rustc ")?;
        if !is_new_enough(&release) {
            return Err(format!("{shown} is {release}, and kernels take 1.{OLDEST} or newer"));
        }
        // Debian's version continues with a remark that it was built from source.
        let version = version.split_inclusive(')').next().unwrap_or_default().to_owned();
        let sysroot = said(program, &["--print", "sysroot"]).ok_or_else(|| format!("{shown} has no sysroot"))?;
        let rustlib = Path::new(sysroot.trim_end()).join("lib/rustlib");
        let library = rustlib.join("src/rust/library");
        if !library.join("core/src/lib.rs").is_file() {
            return Err(format!("{shown} {release} has no source of its library in {}", library.display()));
        }
        let folder = rustlib.join(&host).join("bin");
        let major = llvm_version.split('.').next().unwrap_or_default();
        let tool = |name: &str| {
            let found = places(name, &folder, major).into_iter().find(|file| file.is_file());
            found.ok_or_else(|| format!("for {shown} {release}, there is no {name} of LLVM {major}"))
        };
        let opt = tool("opt")?;
        let llc = tool("llc")?;
        Ok(Self { program: program.to_owned(), release, version, llvm_version, library, opt, llc })
    }

    /// Returns the command of rustc with the options that core, `device` and kernels share. Some are unstable options of a
    /// stable compiler, hence the bootstrap variable. Each panic becomes a trap in its place.
    pub fn rustc(&self) -> Command {
        let mut rustc = self.tool(&self.program);
        rustc.env("RUSTC_BOOTSTRAP", "1");
        rustc.args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--target",
            "nvptx64-nvidia-cuda",
            "-C",
            "opt-level=3",
        ]);
        rustc.args(["-Z", "unstable-options", "-C", "panic=immediate-abort"]);
        rustc
    }

    /// Returns a command without the variables that cargo sets for its own toolchain.
    pub fn tool(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_remove("LD_LIBRARY_PATH");
        command
    }
}

/// Returns whether a release such as `1.96.0` or `1.97.0-nightly` is new enough for kernels.
fn is_new_enough(release: &str) -> bool {
    let mut numbers = release.split('.').map_while(|number| number.parse::<u32>().ok());
    numbers.next().zip(numbers.next()).is_some_and(|version| version >= (1, OLDEST))
}

/// Returns the output of a program; none if it cannot be started or fails.
fn said(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).env_remove("LD_LIBRARY_PATH").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the possible paths of a tool of LLVM. rustup's component installs it in the toolchain's `folder`; Debian installs
/// it on the PATH with the version in its name.
fn places(tool: &str, folder: &Path, major: &str) -> Vec<PathBuf> {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let versioned = |folder: PathBuf| folder.join(format!("{tool}-{major}{EXE_SUFFIX}"));
    let own = folder.join(format!("{tool}{EXE_SUFFIX}"));
    std::iter::once(own).chain(std::env::split_paths(&on_path).map(versioned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_one_line_with_the_commands_and_the_reason() {
        let text = Missing::because("rustc cannot be started").to_string();
        assert!(
            text.starts_with("type `rustup component add") && text.ends_with("(rustc cannot be started)"),
            "{text}"
        );
        assert!(!text.contains('\n'));
    }

    #[test]
    fn an_old_rustc_is_distinguished_from_a_new_one() {
        assert!(["1.95.0", "1.96.0-nightly", "2.0.0"].into_iter().all(is_new_enough));
        assert!(!["1.94.1", "0.99.0", "", "1"].into_iter().any(is_new_enough));
    }

    #[test]
    fn tools_have_the_names_that_this_system_gives_programs() {
        let places = places("opt", Path::new("/bin"), "22");
        let names: Vec<_> = places.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        let [own, versioned] = if cfg!(windows) { ["opt.exe", "opt-22.exe"] } else { ["opt", "opt-22"] };
        assert!(names[0] == own && names[1..].iter().all(|name| *name == versioned) && names.len() > 1, "{names:?}");
    }

    #[test]
    fn a_program_that_is_not_rustc_is_named() {
        let lacks = Toolchain::examine(Path::new("/no/such/rustc")).unwrap_err();
        assert_eq!(lacks, "/no/such/rustc cannot be started");
    }
}
