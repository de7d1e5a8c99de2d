//! Where things lie in the workspace.

use anyhow::{Context, Result, bail};
use kernel_file::Language;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders like a stage's: the emulator's collection of faulty kernels, and of those whose blocks wait for each other, the
/// kernels that measure a GPU's limits, and those of the stages' tests.
const LIKE_STAGES: [&str; 4] = ["emulator/tests/faults", "emulator/tests/turns", "limits", "stage-tests"];

/// The folder of the exercises.
const EXERCISES: &str = "exercises";

/// A checkout of the workspace.
pub struct Workspace {
    /// The folder of the root Cargo.toml.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
}

impl Workspace {
    /// The checkout in which `cargo x` was started, or, where cargo did not start this program, the one that the current
    /// folder lies in. Checkouts that share a target folder share this program too, so where it was built is asked last.
    pub fn this() -> Self {
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let started = package.and_then(|package| Some(package.parent()?.to_owned()));
        let root = started.or_else(around_current_folder).unwrap_or_else(|| {
            let built = Path::new(env!("CARGO_MANIFEST_DIR"));
            built.parent().unwrap_or(built).to_owned()
        });
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        Self { root, target }
    }

    /// Names of the stages, in order of their numbers.
    ///
    /// # Errors
    /// An unreadable folder.
    pub fn stages(&self) -> Result<Vec<String>> {
        let names = entries(&self.root)?.iter().map(|folder| file_name(folder)).collect::<Vec<_>>();
        Ok(names.into_iter().filter(|name| self.is_stage(name)).collect())
    }

    fn is_stage(&self, name: &str) -> bool {
        let has_number = name.strip_prefix("stage").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        has_number && self.root.join(name).join("kernels").is_dir()
    }

    /// The folders of the exercises, which are like stages.
    fn exercises(&self) -> Result<Vec<String>> {
        let folder = self.root.join(EXERCISES);
        let names = if folder.is_dir() { entries(&folder)? } else { Vec::new() };
        Ok(names.iter().map(|folder| format!("{EXERCISES}/{}", file_name(folder))).collect())
    }

    /// The stages that have kernels, in order of their numbers, and the faulty kernels; those named in `only`, if any
    /// are.
    ///
    /// # Errors
    /// A name in `only` that is no such stage, or an unreadable folder.
    pub fn kernel_folders(&self, only: &[String]) -> Result<Vec<Stage>> {
        let folders = self.stages()?.into_iter().chain(LIKE_STAGES.map(str::to_owned)).chain(self.exercises()?);
        let stages: Vec<Stage> = folders
            .map(|name| Stage { folder: self.root.join(&name), name })
            .filter(|stage| stage.folder.join("kernels").is_dir())
            .collect();
        let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
        if let Some(unknown) = only.iter().find(|name| !names.contains(&name.as_str())) {
            bail!("{unknown} is not a stage with kernels; there are {}", names.join(", "));
        }
        Ok(stages.into_iter().filter(|stage| only.is_empty() || only.contains(&stage.name)).collect())
    }
}

/// A folder with kernels and their PTX: a stage's crate.
pub struct Stage {
    /// From the root of the workspace: `stage01-naive`.
    name: String,
    folder: PathBuf,
}

impl Stage {
    /// The kernel files, in order of their languages and numbers.
    pub fn kernels(&self) -> Result<Vec<Kernel>> {
        let mut kernels = Vec::new();
        for language in Language::ALL {
            let sources = files(&self.folder.join("kernels"), language.extension())?;
            kernels.extend(sources.iter().map(|source| self.kernel(&file_stem(source), language)));
        }
        Ok(kernels)
    }

    /// The PTX files without a kernel file.
    pub fn orphans(&self) -> Result<Vec<Kernel>> {
        let folder = self.folder.join("ptx");
        let files = if folder.is_dir() { files(&folder, "ptx")? } else { Vec::new() };
        let kernels = files.iter().map(|ptx| {
            let name = file_stem(ptx);
            match name.strip_suffix(".rs") {
                Some(name) => self.kernel(name, Language::Rust),
                None => self.kernel(&name, Language::Cuda),
            }
        });
        Ok(kernels.filter(|kernel| !kernel.source.is_file()).collect())
    }

    fn kernel(&self, name: &str, language: Language) -> Kernel {
        let extension = language.extension();
        let ptx = match language {
            Language::Cuda => format!("ptx/{name}.ptx"),
            Language::Rust => format!("ptx/{name}.rs.ptx"),
        };
        Kernel {
            program: format!("kernels/{name}.{extension}"),
            language,
            source: self.folder.join(format!("kernels/{name}.{extension}")),
            shown: format!("{}/{ptx}", self.name),
            ptx: self.folder.join(ptx),
        }
    }
}

/// A kernel file and the PTX made from it.
pub struct Kernel {
    /// What compilers, line tables and profilers call the source: `kernels/01_compute_forces.cu`.
    pub program: String,
    /// What it is written in.
    pub language: Language,
    /// Its file.
    pub source: PathBuf,
    /// The PTX file.
    pub ptx: PathBuf,
    /// The PTX file, from the root of the workspace.
    pub shown: String,
}

/// The files of a folder that have the extension, by name.
pub fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let all = entries(folder)?.into_iter();
    Ok(all.filter(|file| file.is_file() && file.extension() == Some(OsStr::new(extension))).collect())
}

/// What lies in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("cannot read the folder {}", folder.display());
    let list = std::fs::read_dir(folder).with_context(context)?;
    let mut paths = list.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>().with_context(context)?;
    paths.sort();
    Ok(paths)
}

/// All files in a folder and in those below it, or the file itself, sorted.
///
/// # Errors
/// A folder that cannot be read.
pub fn files_below(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let parts = entries(path)?.iter().map(|entry| files_below(entry)).collect::<Result<Vec<_>>>()?;
    Ok(parts.concat())
}

/// The nearest folder around the current one that holds this workspace.
fn around_current_folder() -> Option<PathBuf> {
    let current = std::env::current_dir().ok()?;
    current.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file()).map(Path::to_owned)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of a file without its extension.
pub fn file_stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stage_that_does_not_exist_is_named_with_those_that_do() {
        let error = Workspace::this().kernel_folders(&["stage99".into()]).err().expect("no such stage").to_string();
        assert!(error.starts_with("stage99 is not a stage with kernels; there are stage01-naive"), "{error}");
    }

    #[test]
    fn named_stage_is_the_only_one_given() {
        let stages = Workspace::this().kernel_folders(&["stage01-naive".into()]).expect("the stage exists");
        assert_eq!(stages.iter().map(|stage| stage.name.as_str()).collect::<Vec<_>>(), ["stage01-naive"]);
    }
}
