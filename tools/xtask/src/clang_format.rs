//! `cargo x clang-format`: formatting of the kernels.

use crate::command;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use judge::kernel_file::Language;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pinned version, since others format some lines differently.
pub const VERSION: &str = "18.1.8";

/// The command that installs the pinned version.
const INSTALL: &str = "python3 -m pip install --target target/clang-format clang-format==18.1.8";

/// The path of the installed program, relative to the target folder.
const INSTALLED: &str = "clang-format/clang_format/data/bin/clang-format";

/// The advice below the output of a formatter.
const NOT_FORMATTED: &str = "some kernels are not formatted: run `cargo x clang-format`, and then `cargo x ptx`";

/// Formats all kernels. With `check`, writes nothing and fails if a file would change; without the pinned clang-format the
/// check of kernels in CUDA C++ is skipped, with a notice.
///
/// # Errors
/// Returns an error if `check` finds a file that is not formatted, or if a formatter is missing.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    rustfmt(workspace, check)?;
    let Some(program) = find(&workspace.target) else {
        let missing = format!("clang-format {VERSION} is missing; install it with `{INSTALL}`");
        return if check {
            eprintln!("skipped: format of the kernels: {missing}");
            Ok(())
        } else {
            Err(anyhow::Error::msg(missing))
        };
    };
    format(&program, &files_in(workspace, Language::Cuda)?, check)
}

/// Formats the kernels in Rust, which `cargo fmt` does not reach because they are not modules of a crate.
fn rustfmt(workspace: &Workspace, check: bool) -> Result<()> {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--config-path"]).arg(workspace.root.join("rustfmt.toml"));
    rustfmt.args(check.then_some("--check"));
    command::run(rustfmt.args(files_in(workspace, Language::Rust)?)).context(NOT_FORMATTED)
}

/// Returns the files of all kernels in a language.
fn files_in(workspace: &Workspace, language: Language) -> Result<Vec<PathBuf>> {
    let mut kernels = Vec::new();
    for folder in workspace.kernel_folders(&[])? {
        kernels.extend(folder.kernels()?);
    }
    Ok(kernels.into_iter().filter(|kernel| kernel.language == language).map(|kernel| kernel.source).collect())
}

fn format(program: &Path, files: &[PathBuf], check: bool) -> Result<()> {
    let options: &[&str] = if check { &["--dry-run", "-Werror"] } else { &["-i"] };
    command::run(Command::new(program).args(options).args(files)).context(NOT_FORMATTED)
}

/// Returns the pinned version, installed by pip or on the PATH; none if it is missing.
pub fn find(target: &Path) -> Option<PathBuf> {
    [target.join(INSTALLED), "clang-format".into()].into_iter().find(|program| is_pinned(program))
}

fn is_pinned(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&format!("version {VERSION}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_named_command_installs_the_pinned_version() {
        assert!(INSTALL.ends_with(&format!("=={VERSION}")));
    }

    #[test]
    fn a_missing_program_or_another_version_is_rejected() {
        assert!(!is_pinned(Path::new("/no/such/clang-format")));
        assert!(!is_pinned(Path::new("true")));
    }

    #[test]
    fn an_unformatted_file_is_rejected_and_formatting_keeps_the_card() {
        let workspace = Workspace::this();
        let Some(program) = find(&workspace.target) else {
            let test = "skipped: clang_format::tests::an_unformatted_file_is_rejected_and_formatting_keeps_the_card";
            let _ = writeln!(std::io::stderr(), "{test}: {INSTALL}");
            return;
        };
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
