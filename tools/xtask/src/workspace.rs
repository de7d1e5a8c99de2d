//! The folders and files of the workspace.

use anyhow::{Context, Result, bail};
use judge::kernel_file::Language;
use loading::workspace_root;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Other folders with kernels and PTX: the emulator's faulty kernels and its kernels whose blocks wait for each other, the
/// kernels that measure a GPU's limits, and the kernels of the stages' tests.
const LIKE_STAGES: [&str; 5] =
    ["common", "emulator/machine/tests/faults", "emulator/machine/tests/turns", "tools/limits", "tools/stage-tests"];

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
    /// Returns the checkout in which `cargo x` was started.
    pub fn this() -> Self {
        let root = workspace_root();
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        Self { root, target }
    }

    /// Writes a generated file. With `check`, requires that it is up to date.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or with `check` if it is out of date; `command` writes it.
    pub fn update(&self, name: &str, text: &str, check: bool, command: &str) -> Result<()> {
        let file = self.root.join(name);
        if !check {
            std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
            println!("wrote {name}");
        } else if read(&file)? != text {
            bail!("{name} is out of date: run `{command}`");
        }
        Ok(())
    }

    /// Returns the names of the stages, in the order of their numbers.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn stages(&self) -> Result<Vec<String>> {
        let names = entries(&self.root)?.iter().map(|folder| file_name(folder)).collect::<Vec<_>>();
        Ok(names.into_iter().filter(|name| self.is_stage(name)).collect())
    }

    fn is_stage(&self, name: &str) -> bool {
        let has_number = name.strip_prefix("stage").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        has_number && self.root.join(name).join("kernels").is_dir()
    }

    /// Returns the folders of the exercises, from the root of the workspace.
    fn exercises(&self) -> Result<Vec<String>> {
        let folder = self.root.join(EXERCISES);
        let names = if folder.is_dir() { entries(&folder)? } else { Vec::new() };
        Ok(names.iter().map(|folder| format!("{EXERCISES}/{}", file_name(folder))).collect())
    }

    /// Returns the folders with kernels: the stages in the order of their numbers, and then the others. A list `only` that is
    /// not empty selects folders by name.
    ///
    /// # Errors
    /// Returns an error if `only` names another folder, or if a folder cannot be read.
    pub fn kernel_folders(&self, only: &[String]) -> Result<Vec<Stage>> {
        let folders = self.stages()?.into_iter().chain(LIKE_STAGES.map(str::to_owned)).chain(self.exercises()?);
        let stages: Vec<Stage> = folders
            .map(|name| Stage { folder: self.root.join(&name), name })
            .filter(|stage| stage.folder.join("kernels").is_dir())
            .collect();
        let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
        if let Some(unknown) = only.iter().find(|name| !names.contains(&name.as_str())) {
            bail!("{unknown} is not a folder with kernels; these are: {}", names.join(", "));
        }
        Ok(stages.into_iter().filter(|stage| only.is_empty() || only.contains(&stage.name)).collect())
    }
}

/// A folder with kernels and their PTX, such as a stage's crate.
pub struct Stage {
    /// The folder from the root of the workspace: `stage01-naive`.
    name: String,
    folder: PathBuf,
}

impl Stage {
    /// Returns the folder's path from the root of the workspace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the kernel files, in the order of their languages and numbers.
    pub fn kernels(&self) -> Result<Vec<Kernel>> {
        let mut kernels = Vec::new();
        for language in Language::ALL {
            let sources = files(&self.folder.join("kernels"), language.extension())?;
            kernels.extend(sources.iter().map(|source| self.kernel(&file_stem(source), language)));
        }
        Ok(kernels)
    }

    /// Returns the kernels whose PTX is in the repository: all but the wrong answers of an exercise, which only tests compile.
    pub fn prebuilt_kernels(&self) -> Result<Vec<Kernel>> {
        let is_exercise = self.folder.join("card.toml").is_file();
        let is_prebuilt = |kernel: &Kernel| !(is_exercise && file_stem(&kernel.source).starts_with("wrong_"));
        Ok(self.kernels()?.into_iter().filter(is_prebuilt).collect())
    }

    /// Returns a line for each PTX file without a kernel, or of a kernel whose PTX is not prebuilt.
    pub fn orphans(&self) -> Result<Vec<String>> {
        let folder = self.folder.join("ptx");
        let files = if folder.is_dir() { [files(&folder, "ptx")?, files(&folder, "gz")?].concat() } else { Vec::new() };
        let kernels = files.iter().map(|ptx| {
            let name = file_stem(ptx);
            match name.strip_suffix(".rs.ptx") {
                Some(name) => self.kernel(name, Language::Rust),
                None => self.kernel(&name, Language::Cuda),
            }
        });
        let prebuilt = self.prebuilt_kernels()?;
        let orphans = kernels.filter(|orphan| prebuilt.iter().all(|kernel| kernel.ptx != orphan.ptx));
        let line = |orphan: Kernel| format!("{}: {} needs no PTX, or is missing", orphan.shown, orphan.program);
        Ok(orphans.map(line).collect())
    }

    /// Returns the folder of the listings of the stage's machine code, which need not exist.
    pub fn listings(&self) -> PathBuf {
        self.folder.parent().unwrap_or(&self.folder).join("results/machine-code").join(file_name(&self.folder))
    }

    /// Returns the file with the listing of a kernel's machine code, which need not exist.
    pub fn listing(&self, kernel: &Kernel) -> PathBuf {
        let name = file_name(&kernel.ptx);
        self.listings().join(format!("{}.sass.gz", name.trim_end_matches(".gz").trim_end_matches(".ptx")))
    }

    fn kernel(&self, name: &str, language: Language) -> Kernel {
        let extension = language.extension();
        let ptx = match language {
            Language::Cuda => format!("ptx/{name}.ptx"),
            Language::Rust => format!("ptx/{name}.rs.ptx.gz"),
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

/// A kernel file and its PTX file.
pub struct Kernel {
    /// The name of the source in line tables, compilers' messages and profilers: `kernels/01_compute_forces.cu`.
    pub program: String,
    /// The language of the source.
    pub language: Language,
    /// The path of the source.
    pub source: PathBuf,
    /// The path of the PTX file.
    pub ptx: PathBuf,
    /// The PTX file from the root of the workspace, for messages.
    pub shown: String,
}

/// Reads a file.
pub fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Returns the files of a folder with an extension, sorted by name.
pub fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let all = entries(folder)?.into_iter();
    Ok(all.filter(|file| file.is_file() && file.extension() == Some(OsStr::new(extension))).collect())
}

/// Returns the entries of a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("cannot read the folder {}", folder.display());
    let list = std::fs::read_dir(folder).with_context(context)?;
    let mut paths = list.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>().with_context(context)?;
    paths.sort();
    Ok(paths)
}

/// Returns the name of a file.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name of a file without its extension.
pub fn file_stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_folder_is_named_with_the_known_ones() {
        let error = Workspace::this().kernel_folders(&["stage99".into()]).err().expect("no such stage").to_string();
        assert!(error.starts_with("stage99 is not a folder with kernels; these are: stage01-naive"), "{error}");
    }

    #[test]
    fn wrong_answers_of_exercises_have_no_prebuilt_ptx() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in
            ["card.toml", "kernels/solution.cu", "kernels/wrong_sum.cu", "ptx/solution.ptx", "ptx/wrong_sum.ptx"]
        {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, "").expect("a file");
        }
        let exercise = Stage { name: "11_map".into(), folder: folder.path().to_owned() };
        let shown = |kernels: Result<Vec<Kernel>>| -> Vec<String> {
            kernels.expect("kernels").into_iter().map(|kernel| kernel.shown).collect()
        };
        assert_eq!(shown(exercise.kernels()), ["11_map/ptx/solution.ptx", "11_map/ptx/wrong_sum.ptx"]);
        assert_eq!(shown(exercise.prebuilt_kernels()), ["11_map/ptx/solution.ptx"]);
        let orphan = "11_map/ptx/wrong_sum.ptx: kernels/wrong_sum.cu needs no PTX, or is missing";
        assert_eq!(exercise.orphans().expect("lines"), [orphan]);
    }

    #[test]
    fn an_outdated_file_is_named() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let workspace = Workspace { root: folder.path().to_owned(), target: PathBuf::new() };
        let update = |text, check| workspace.update("table.md", text, check, "cargo x instructions");
        update("old", false).expect("it can be written");
        let error = update("new", true).unwrap_err().to_string();
        assert_eq!(error, "table.md is out of date: run `cargo x instructions`");
        update("old", true).expect("it is the same");
    }

    #[test]
    fn only_the_named_stage_is_returned() {
        let stages = Workspace::this().kernel_folders(&["stage01-naive".into()]).expect("the stage exists");
        assert_eq!(stages.iter().map(|stage| stage.name.as_str()).collect::<Vec<_>>(), ["stage01-naive"]);
    }
}
