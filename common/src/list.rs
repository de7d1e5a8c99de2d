//! `--list`: the kernels of a stage.

use crate::error::Error;
use crate::report::{Output, Table};
use crate::stage::{Rung, Stage};
use serde::Serialize;

/// A kernel, as `--list --json` prints it.
#[derive(Serialize)]
struct Listed<'a> {
    /// The letter of the problem.
    problem: &'a str,
    kernel: &'a str,
    /// The default number of threads of a block.
    block: u32,
    /// The file of the kernel in CUDA C++.
    file: String,
    has_rust: bool,
}

impl<'a> Listed<'a> {
    fn new(rung: &'a Rung) -> Self {
        let file = format!("{}/{}", rung.stage(), rung.source.name());
        let problem = rung.work.facts().letter;
        let has_rust = rung.source.rust.is_some();
        Self { problem, kernel: rung.kernel, block: rung.block, file, has_rust }
    }
}

/// Prints the kernels under the problems that they solve, with block size and file, or as lines of JSON.
///
/// # Errors
/// [`Error::Write`], [`Error::Json`].
pub(crate) fn run(stage: &Stage, json: bool, output: &mut Output) -> Result<(), Error> {
    if json {
        return stage.rungs.iter().try_for_each(|rung| output.json(&Listed::new(rung)));
    }
    output.say(&format!("{}: {}", stage.name, stage.title))?;
    let groups = stage.rungs.chunk_by(|one, next| one.work.facts() == next.work.facts());
    groups.into_iter().try_for_each(|rungs| output.say(&format!("\n{}", table(rungs).trim_end())))
}

/// Returns the table of the kernels of one problem.
fn table(rungs: &[&Rung]) -> String {
    let facts = rungs[0].work.facts();
    let row = |rung: &&Rung| vec![rung.kernel.to_owned(), rung.block.to_string(), files(rung)];
    let rows: Vec<Vec<String>> = rungs.iter().map(row).collect();
    let title = format!("{}  {}, {}", facts.letter, facts.title, facts.count(facts.n));
    Table::from_rows(title, &["kernel", "block", "file"], &rows).with_text().render()
}

/// Returns `stage01-naive/kernels/01_compute_forces.cu .rs`, where the files are in the repository.
fn files(rung: &Rung) -> String {
    let in_rust = rung.source.rust.map(|source| format!(" .{}", source.language.extension()));
    format!("{}/{}{}", rung.stage(), rung.source.name(), in_rust.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::RUNG;

    #[test]
    fn a_kernel_of_another_stage_is_listed_with_the_folder_of_its_file() {
        let table = table(&[&RUNG]);
        assert!(table.ends_with("  128  stage01-naive/kernels/x.cu\n"), "{table}");
        assert!(table.starts_with("A  all-pairs forces, 16,384 bodies\n"), "{table}");
    }
}
