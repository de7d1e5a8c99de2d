//! `cargo x foreign`: programs that were not written for this workspace, run with the emulator as their CUDA driver.

use crate::command::{self, cargo};
use crate::workspace::{self, Workspace};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The folder of the programs, and the file in it that lists their Python packages.
const PROGRAMS: &str = "emulator/driver/tests/foreign";
const REQUIREMENTS: &str = "requirements.txt";

/// The names by which programs load the driver.
const DRIVER_NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// A program and how to run it.
struct Program {
    name: String,
    command: Command,
}

/// Installs the packages, builds the driver, and runs the programs named in `only`, or all if it is empty.
///
/// # Errors
/// Returns an error on other platforms than Linux on x86-64, if python3, pip or the network are missing, if the driver does
/// not build, if a name is unknown, or if a program fails. The other programs run nevertheless.
pub fn run(workspace: &Workspace, only: &[String]) -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "the packages are pinned only for Linux on x86-64: run `cargo x foreign` there"
    );
    let folder = workspace.target.join("foreign");
    let scripts = scripts(&workspace.root.join(PROGRAMS), only)?;
    let python = install(&folder, &workspace.root.join(PROGRAMS).join(REQUIREMENTS))?;
    command::run(cargo().current_dir(&workspace.root).args(["build", "--package", "emulator-driver"]))?;
    let library = link_driver(&folder, &workspace.target.join("debug/libemulator_driver.so"))?;
    let programs = scripts.iter().map(|script| program(&python, &library, script)).collect();
    run_programs(programs)
}

fn scripts(folder: &Path, only: &[String]) -> Result<Vec<PathBuf>> {
    let all = workspace::files(folder, "py")?;
    let names: Vec<String> = all.iter().map(|script| workspace::file_stem(script)).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        bail!("there is no program {unknown}; the programs are {}", names.join(", "));
    }
    Ok(all.into_iter().filter(|script| only.is_empty() || only.contains(&workspace::file_stem(script))).collect())
}

/// Makes a virtual environment with the packages of `requirements`, unless it exists with the same packages, and returns its
/// interpreter.
fn install(folder: &Path, requirements: &Path) -> Result<PathBuf> {
    let environment = folder.join("environment");
    let stamp = folder.join("installed.txt");
    let python = environment.join("bin/python");
    let wanted = fs::read(requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    if python.is_file() && fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("installing the packages of {}", requirements.display());
    command::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))
        .context("python3 could not make a virtual environment; on Debian, install the package python3-venv")?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
    command::run(&mut pip).context("pip needs a network with a Python package index")?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(python)
}

/// Copies the emulator's driver to a folder under the names that programs load, and returns the folder.
fn link_driver(folder: &Path, driver: &Path) -> Result<PathBuf> {
    let library = folder.join("library");
    fs::create_dir_all(&library).with_context(|| format!("cannot make the folder {}", library.display()))?;
    for name in DRIVER_NAMES {
        let copy = library.join(name);
        // The old file is removed first: overwriting it would change the library of a program that still runs.
        let _absent = fs::remove_file(&copy);
        fs::copy(driver, &copy).with_context(|| format!("cannot copy {} to {}", driver.display(), copy.display()))?;
    }
    Ok(library)
}

fn program(python: &Path, library: &Path, script: &Path) -> Program {
    let mut command = Command::new(python);
    // numba warns about small grids and slow copies.
    command.args(["-W", "ignore"]).arg(script);
    command.env("LD_LIBRARY_PATH", library).env("COALESCED_EMULATOR_LOG", "1");
    Program { name: workspace::file_stem(script), command }
}

/// Runs the programs and prints one line for each, and the output of those that fail.
fn run_programs(programs: Vec<Program>) -> Result<()> {
    let mut failed = Vec::new();
    for Program { name, mut command } in programs {
        let start = Instant::now();
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        let seconds = start.elapsed().as_secs_f64();
        if output.status.success() {
            println!("{name}: passed in {seconds:.1} s");
        } else {
            println!("{name}: failed in {seconds:.1} s ({})", output.status);
            print!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            failed.push(name);
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(name: &str, text: &str) -> Program {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        Program { name: name.to_owned(), command }
    }

    #[test]
    fn failed_programs_are_named_and_the_others_still_run() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("ran");
        let touch = format!("touch {}", file.display());
        let programs = vec![shell("good", "true"), shell("bad", "exit 3"), shell("last", &touch)];
        assert_eq!(run_programs(programs).unwrap_err().to_string(), "failed: bad");
        assert!(file.is_file());
        run_programs(vec![shell("good", "true")]).expect("no program fails");
    }

    #[test]
    fn an_unknown_program_is_named_with_the_known_ones() {
        let folder = Workspace::this().root.join(PROGRAMS);
        let error = scripts(&folder, &["nonsense".into()]).unwrap_err().to_string();
        assert!(error.starts_with("there is no program nonsense; the programs are bindings_driver, "), "{error}");
        assert_eq!(scripts(&folder, &["numba_kernels".into()]).expect("it is there").len(), 1);
    }

    #[test]
    fn every_requirement_is_pinned() {
        let file = Workspace::this().root.join(PROGRAMS).join(REQUIREMENTS);
        let text = fs::read_to_string(file).expect("the requirements");
        let loose: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.contains("==")).collect();
        assert_eq!(loose, [""; 0]);
    }
}
