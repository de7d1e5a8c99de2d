//! The check that the PTX files are up to date, which compares hashes and needs no compiler.

use super::header::Header;
use crate::packed;
use crate::workspace::{Kernel, Stage, read};
use anyhow::Result;
use std::io::ErrorKind;

/// Returns one line per PTX file that is missing, has no kernel, or is out of date.
///
/// # Errors
/// Returns an error if a folder or a kernel file cannot be read.
pub fn stale_files(stages: &[Stage]) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for stage in stages {
        for kernel in stage.prebuilt_kernels()? {
            stale.extend(staleness(&kernel)?.map(|reason| format!("{}: {reason}", kernel.shown)));
        }
        stale.extend(stage.orphans()?);
    }
    Ok(stale)
}

/// Returns the reason why a kernel's PTX file is out of date; none if it is up to date.
pub fn staleness(kernel: &Kernel) -> Result<Option<String>> {
    let wanted = Header::new(&kernel.program, kernel.language, &read(&kernel.source)?);
    let ptx = match packed::read(&kernel.ptx) {
        Ok(ptx) => ptx,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some("is missing".into())),
        Err(error) => return Ok(Some(error.to_string())),
    };
    let Some(found) = Header::parse(&ptx) else {
        return Ok(Some("its first lines do not name its source, options and compiler".into()));
    };
    Ok(if found.source != wanted.source {
        Some(format!("{} has changed since", kernel.program))
    } else if found.options != wanted.options {
        Some(format!("made with the options {}, not {}", found.options, wanted.options))
    } else if found.compiler != wanted.compiler {
        Some(format!("made with {}, not {}", found.compiler, wanted.compiler))
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;
    use judge::kernel_file::Language;
    use std::fs;
    use tempfile::TempDir;

    const SOURCE: &str = "extern \"C\" __global__ void f() {}\n";

    /// A workspace with one stage and one PTX file, which is up to date.
    fn fresh() -> (TempDir, Workspace) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().to_owned();
        for name in ["kernels", "ptx"] {
            fs::create_dir_all(root.join("stage01").join(name)).expect("a folder");
        }
        fs::write(root.join("stage01/kernels/01_f.cu"), SOURCE).expect("a file");
        let ptx = format!("{}.version 8.1\n", Header::new("kernels/01_f.cu", Language::Cuda, SOURCE));
        fs::write(root.join("stage01/ptx/01_f.ptx"), ptx).expect("a file");
        let target = root.join("target");
        (folder, Workspace { root, target })
    }

    fn stale(workspace: &Workspace) -> Vec<String> {
        stale_files(&workspace.kernel_folders(&[]).expect("stages")).expect("readable files")
    }

    /// Replaces `old` by `new` in the PTX file and returns what is then out of date.
    fn stale_with(old: &str, new: &str) -> Vec<String> {
        let (_folder, workspace) = fresh();
        let file = workspace.root.join("stage01/ptx/01_f.ptx");
        let text = fs::read_to_string(&file).expect("the file");
        assert!(text.contains(old));
        fs::write(file, text.replace(old, new)).expect("a file");
        stale(&workspace)
    }

    #[test]
    fn this_workspace_is_fresh() {
        assert_eq!(stale(&Workspace::this()), [""; 0]);
    }

    #[test]
    fn unchanged_kernel_is_fresh() {
        assert_eq!(stale(&fresh().1), [""; 0]);
    }

    #[test]
    fn edited_kernel_is_found() {
        let (_folder, workspace) = fresh();
        fs::write(workspace.root.join("stage01/kernels/01_f.cu"), format!("{SOURCE}// edited\n")).expect("a file");
        assert_eq!(stale(&workspace), ["stage01/ptx/01_f.ptx: kernels/01_f.cu has changed since"]);
    }

    #[test]
    fn other_options_are_found() {
        let found = stale_with("compute_75", "compute_60");
        assert!(found[0].starts_with("stage01/ptx/01_f.ptx: made with the options --gpu-architecture=compute_60"));
    }

    #[test]
    fn other_compiler_is_found() {
        assert_eq!(
            stale_with("nvrtc 12.1.105", "nvrtc 12.9.86"),
            ["stage01/ptx/01_f.ptx: made with nvrtc 12.9.86, not nvrtc 12.1.105"]
        );
    }

    #[test]
    fn missing_header_is_found() {
        let expected = "stage01/ptx/01_f.ptx: its first lines do not name its source, options and compiler";
        assert_eq!(stale_with("// source", "//"), [expected]);
    }

    #[test]
    fn missing_and_orphaned_files_are_found() {
        let (_folder, workspace) = fresh();
        let ptx = workspace.root.join("stage01/ptx");
        fs::rename(ptx.join("01_f.ptx"), ptx.join("02_g.ptx")).expect("a renamed file");
        let expected =
            ["stage01/ptx/01_f.ptx: is missing", "stage01/ptx/02_g.ptx: kernels/02_g.cu needs no PTX, or is missing"];
        assert_eq!(stale(&workspace), expected);
    }
}
