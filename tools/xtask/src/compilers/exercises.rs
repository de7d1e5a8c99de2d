//! The kernels of the exercises: skeletons, solutions and wrong answers that run to their end.

use super::Row;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use cuda_cpp::Compiler;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role, Set};
use judge::{Submission, counts};

/// Compiles and runs all kernels with both compilers.
///
/// # Errors
/// Returns an error if the set is invalid or a kernel does not compile.
pub fn rows(workspace: &Workspace, compilers: &[Compiler; 2]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for exercise in &Set::load(&workspace.root.join("exercises"))?.exercises {
        for role in [Role::Skeleton, Role::Solution].into_iter().chain(exercise.wrong_answers(Language::Cuda)?) {
            rows.extend(row(exercise, &role, compilers)?);
        }
    }
    Ok(rows)
}

fn row(exercise: &Exercise, role: &Role, compilers: &[Compiler; 2]) -> Result<Option<Row>> {
    let file = exercise.source_file(role, Language::Cuda);
    let text = exercise.source(role, Language::Cuda)?;
    let kernel = format!("{} {}", exercise.name, file.file_stem().unwrap_or_default().display());
    let count = |compiler: &Compiler| {
        let ptx = compiler.ptx(&file.display().to_string(), &text).with_context(|| kernel.clone())?;
        let submission = Submission { file: file.clone(), language: Language::Cuda, text: text.clone(), ptx };
        anyhow::Ok(counts(exercise, &submission)?.and_then(|counts| counts.get("warp_instructions").copied()))
    };
    let [nvrtc, clang] = compilers.each_ref().map(count);
    let counted = nvrtc?.zip(clang?);
    Ok(counted.map(|(nvrtc, clang)| Row {
        group: "exercises".into(),
        kernel: kernel.clone(),
        instructions: [nvrtc, clang],
    }))
}
