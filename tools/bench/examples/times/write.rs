//! PTX of LLVM's back end and of `ir-ptx`, in files.

use super::{Compiler, STAGES, own_rungs};
use common::kernel::KernelSource;
use cuda_cpp::Clang;
use std::path::Path;

/// Writes the PTX of every kernel file. A kernel that `ir-ptx` refuses has no file, and a line on stderr.
pub fn all(folder: &Path) -> Result<(), String> {
    let clang = Clang::find().map_err(|missing| missing.to_string())?;
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    for stage in STAGES {
        for rung in own_rungs(stage) {
            let companion = rung.companion.as_ref().map(|(source, _)| source);
            for source in [Some(&rung.source), companion].into_iter().flatten() {
                file(&clang, folder, stage.name, source)?;
            }
        }
    }
    Ok(())
}

/// Compiles one kernel file for the architecture of its prebuilt PTX.
fn file(clang: &Clang, folder: &Path, stage: &str, source: &KernelSource) -> Result<(), String> {
    let (major, minor) = source.compute_capability();
    let architecture = major * 10 + minor;
    let failed = |error| format!("{}: {error}", source.name());
    let theirs = clang.ptx(&source.name(), source.text, architecture).map_err(failed)?;
    let ir = clang.ir(&source.name(), source.text, architecture).map_err(failed)?;
    write(folder, &Compiler::Llvm.file(stage, source.file), &theirs)?;
    match ir_ptx::translate(&ir) {
        Ok(ours) => write(folder, &Compiler::Ours.file(stage, source.file), &ours),
        Err(refusals) => {
            eprintln!("{} of {stage} is refused: {refusals}", source.name());
            Ok(())
        }
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    std::fs::write(folder.join(name), text).map_err(|error| format!("cannot write {name}: {error}"))
}
