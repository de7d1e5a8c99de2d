//! The copy of the workspace to which walks are applied.

use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A copy of the files that git tracks and of the untracked files that it does not ignore. The copy is kept between walks, and
/// only files that differ are written, so that cargo rebuilds only what a walk changes.
pub struct Copy {
    /// The folder of the copy's root Cargo.toml.
    pub root: PathBuf,
    /// The copy's target folder.
    pub target: PathBuf,
}

impl Copy {
    /// Makes the copy equal to the workspace.
    ///
    /// # Errors
    /// Returns an error if git cannot list the files or if one cannot be copied.
    pub fn new(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target.join("walks");
        let copy = Self { root: folder.join("workspace"), target: folder.join("target") };
        fs::create_dir_all(&copy.root).with_context(|| format!("cannot make {}", copy.root.display()))?;
        let files: BTreeSet<PathBuf> = list_files(&workspace.root)?.into_iter().collect();
        for file in &files {
            let from = workspace.root.join(file);
            // git also lists files whose deletion is not committed.
            if from.is_file() {
                write_if_different(&from, &copy.root.join(file))?;
            }
        }
        copy.remove_others(&copy.root, &|file| files.contains(file) && workspace.root.join(file).is_file())?;
        Ok(copy)
    }

    /// Removes the files that earlier walks have added.
    fn remove_others(&self, folder: &Path, is_kept: &dyn Fn(&Path) -> bool) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                self.remove_others(&path, is_kept)?;
            } else if !is_kept(path.strip_prefix(&self.root)?) {
                fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        // Fails if the folder is not empty. An empty folder would be taken for a crate.
        if folder != self.root {
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    /// Applies a diff to the copy.
    ///
    /// # Errors
    /// Returns git's message if the diff does not apply.
    pub fn apply(&self, diff: &str) -> Result<()> {
        git_apply(&self.root, &[], diff)
    }
}

/// Checks that a diff applies to the files of a folder, without changing them.
///
/// # Errors
/// Returns git's message if the diff does not apply.
pub fn require_applicable(root: &Path, diff: &str) -> Result<()> {
    git_apply(root, &["--check"], diff)
}

fn git_apply(root: &Path, options: &[&str], diff: &str) -> Result<()> {
    let mut git = Command::new("git");
    git.args(["apply", "--whitespace=nowarn"]).args(options).arg("-").current_dir(root);
    // Without this, git would resolve paths in the repository around the target folder.
    git.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root));
    let mut git = git.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().context("cannot run git")?;
    if let Some(mut input) = git.stdin.take() {
        input.write_all(diff.as_bytes()).context("cannot pass the diff to git")?;
    }
    let output = git.wait_with_output().context("cannot run git")?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "this diff does not apply: {words}\n{diff}");
    Ok(())
}

/// Returns the files that git tracks and the untracked ones that it does not ignore, from the root.
fn list_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    let output = git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root).output();
    let output = output.context("cannot run git")?;
    ensure!(output.status.success(), "git does not list the files: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

fn write_if_different(from: &Path, to: &Path) -> Result<()> {
    let copying = || format!("cannot copy {} to {}", from.display(), to.display());
    let bytes = fs::read(from).with_context(copying)?;
    if fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    fs::create_dir_all(to.parent().unwrap_or(to)).with_context(copying)?;
    fs::write(to, bytes).with_context(copying)
}
