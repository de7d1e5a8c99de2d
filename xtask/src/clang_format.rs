//! `cargo x clang-format`: the kernels in the layout that .clang-format describes.

use crate::command;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use kernel_file::Language;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Other versions lay out some lines in another way.
const VERSION: &str = "18.1.8";

/// How to get it; `find` looks there.
const INSTALL: &str = "python3 -m pip install --target target/clang-format clang-format==18.1.8";
const INSTALLED: &str = "clang-format/clang_format/data/bin/clang-format";

/// Formats the stages' kernels and the faulty kernels; with `check` writes nothing, and fails where a file would change.
/// Without the pinned clang-format, a check is skipped with a line that says so.
///
/// # Errors
/// A file that is laid out in another way, or nothing to format with.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    rustfmt(workspace, check)?;
    let Some(program) = find(&workspace.target) else {
        let missing = format!("no clang-format {VERSION} here; `{INSTALL}` gets it");
        return match check {
            true => {
                println!("skipped: {missing}");
                Ok(())
            }
            false => Err(anyhow::Error::msg(missing)),
        };
    };
    format(&program, &files_in(workspace, Language::Cuda)?, check)
}

/// The kernels in Rust, which are no modules of a crate, so that `cargo fmt` does not know them.
fn rustfmt(workspace: &Workspace, check: bool) -> Result<()> {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--config-path"]).arg(workspace.root.join("rustfmt.toml"));
    rustfmt.args(check.then_some("--check"));
    command::run(rustfmt.args(files_in(workspace, Language::Rust)?))
        .context("`cargo x clang-format` and `cargo x ptx` put right what is laid out in another way, see above")
}

/// The stages' kernels in a language, and the faulty ones.
fn files_in(workspace: &Workspace, language: Language) -> Result<Vec<PathBuf>> {
    let mut kernels = Vec::new();
    for folder in workspace.kernel_folders(&[])? {
        kernels.extend(folder.kernels()?);
    }
    Ok(kernels.into_iter().filter(|kernel| kernel.language == language).map(|kernel| kernel.source).collect())
}

fn format(program: &Path, files: &[PathBuf], check: bool) -> Result<()> {
    let options: &[&str] = if check { &["--dry-run", "-Werror"] } else { &["-i"] };
    command::run(Command::new(program).args(options).args(files))
        .context("`cargo x clang-format` and `cargo x ptx` put right what is laid out in another way, see above")
}

/// The pinned version, from pip or on the path.
fn find(target: &Path) -> Option<PathBuf> {
    [target.join(INSTALLED), "clang-format".into()].into_iter().find(|program| is_pinned(program))
}

fn is_pinned(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&format!("version {VERSION}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_is_named_gets_the_pinned_version() {
        assert!(INSTALL.ends_with(&format!("=={VERSION}")));
    }

    #[test]
    fn a_program_that_is_not_there_or_of_another_version_is_not_taken() {
        assert!(!is_pinned(Path::new("/no/such/clang-format")));
        assert!(!is_pinned(Path::new("true")));
    }

    /// Where there is a clang-format; elsewhere nothing is checked.
    #[test]
    fn a_file_of_another_layout_is_refused_and_a_card_stays_as_it_is() {
        let workspace = Workspace::this();
        let Some(program) = find(&workspace.target) else { return };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.cu");
        let layout = workspace.root.join(".clang-format");
        std::fs::copy(layout, folder.path().join(".clang-format")).expect("a copy");
        let card = "// y = x\n//\n// shapes    x in,   y out\n//           and more\n\n";
        std::fs::write(&file, format!("{card}void f( int n ) {{ g( n ); }}\n")).expect("a file");
        let files = [file.clone()];
        assert!(format(&program, &files, true).is_err());
        format(&program, &files, false).expect("formatted");
        format(&program, &files, true).expect("a formatted file");
        let text = std::fs::read_to_string(&file).expect("the file");
        assert_eq!(text, format!("{card}void f(int n) {{\n    g(n);\n}}\n"));
    }
}
