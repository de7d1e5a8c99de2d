//! Mutants: every kernel of a stage with one instruction changed, and whether anything notices.
//!
//! A mutant that neither the emulator's checks nor the comparison with the reference notices is a hole in one of them,
//! or does the same as the kernel; the latter are listed, each with its reason. The mutants are of PTX, so that what a
//! compiler makes of a condition decides: `i != n` for `i < n` has no strictness, and what became a select no branch.

mod judge;
mod mutation;
#[cfg(test)]
mod tests;

pub use judge::{SIZES, Sizes};
pub use mutation::Change;

use crate::turn;
use common::kernel::KernelSource;
use common::stage::{Rung, Stage};
use judge::{Judge, Tally};
use mutation::{Mutation, module_of, mutations};
use std::collections::BTreeSet;

/// Mutants that nobody can notice.
#[derive(Debug)]
pub struct Equivalent {
    /// The entry points, which have the line in common.
    pub kernels: &'static [&'static str],
    /// What the line of the kernel file begins with, behind its spaces.
    pub code: &'static str,
    /// What is changed there, in how many mutants: compilers make several instructions of a line.
    pub changes: &'static [(Change, usize)],
    /// Why they do the same as the kernel.
    pub reason: &'static str,
}

/// An entry point whose text is changed.
struct Subject<'a> {
    /// Runs it.
    rung: &'a Rung,
    /// Its file.
    source: KernelSource,
    /// Its name.
    entry: String,
    /// The text of a module with this entry point alone.
    ptx: String,
}

impl<'a> Subject<'a> {
    fn new(rung: &'a Rung, source: KernelSource, entry: String) -> Self {
        let ptx = module_of(source.ptx, &entry);
        Self { rung, source, entry, ptx }
    }

    /// The kernel of a rung and its companion, as far as their files are the stage's.
    fn of_rung(stage: &Stage, rung: &'a Rung) -> Vec<Self> {
        let kernel = Self::new(rung, rung.source, rung.entry.name(rung.block));
        let companion = rung.companion.map(|(source, entry)| Self::new(rung, source, entry.into()));
        let is_own = |subject: &Self| !stage.is_baseline(&Rung { source: subject.source, ..*rung });
        [Some(kernel), companion].into_iter().flatten().filter(is_own).collect()
    }

    /// The line of the kernel file that a mutation is about.
    fn code(&self, mutation: &Mutation) -> &'static str {
        self.source.text.lines().nth(mutation.cuda_line.wrapping_sub(1)).map_or("", str::trim)
    }

    /// Every mutation, at least one of each barrier that the kernel file has.
    fn mutations(&self) -> Vec<Mutation> {
        let mutations = mutations(&self.ptx);
        let has_barriers = self.source.text.contains("__syncthreads();") || self.source.text.contains("__syncwarp();");
        let changes_barriers = mutations.iter().any(|mutation| mutation.change == Change::Barrier);
        assert!(!mutations.is_empty() && has_barriers == changes_barriers, "{}: {mutations:?}", self.entry);
        mutations
    }
}

/// A mutant that nobody noticed.
struct Survivor {
    kernel: String,
    code: &'static str,
    change: Change,
    instruction: String,
}

/// Every mutant of every kernel of the stage is noticed or listed, and what is listed is not noticed.
pub fn all_are_noticed(stage: &Stage, listed: &[Equivalent]) {
    all_are_noticed_at(stage, &SIZES, listed);
}

/// [`all_are_noticed`] for a stage whose kernels want other sizes. A kernel that several rungs launch is changed in the
/// first of them.
pub fn all_are_noticed_at(stage: &Stage, sizes: &Sizes, listed: &[Equivalent]) {
    let _turn = turn();
    let (mut survivors, mut done) = (Vec::new(), BTreeSet::new());
    println!("{}", Tally::head());
    for subject in stage.rungs.iter().flat_map(|rung| Subject::of_rung(stage, rung)) {
        if !done.insert(subject.entry.clone()) {
            continue;
        }
        let (mut judge, mut tally) = (Judge::new(&subject, sizes), Tally::default());
        let is_wanted = |mutation: &Mutation| sizes.changes.contains(&mutation.change);
        for mutation in subject.mutations().into_iter().filter(is_wanted) {
            let noticed = judge.notices(&mutation.apply(&subject.ptx));
            if noticed.is_empty() {
                survivors.push(Survivor {
                    kernel: subject.entry.clone(),
                    code: subject.code(&mutation),
                    change: mutation.change,
                    instruction: format!("line {}: {}", mutation.cuda_line, mutation.describe()),
                });
            }
            tally.add(noticed);
        }
        println!("{:<36}{tally}", subject.entry);
    }
    let complaints = complaints(&survivors, listed);
    assert!(complaints.is_empty(), "{complaints}");
}

/// In what survivors and the list differ, a line or two each.
fn complaints(survivors: &[Survivor], listed: &[Equivalent]) -> String {
    let (mut text, mut explained) = (String::new(), BTreeSet::new());
    for Equivalent { kernels, code, changes, reason } in listed {
        for (kernel, (change, count)) in kernels.iter().flat_map(|kernel| changes.iter().map(move |it| (kernel, it))) {
            let is_meant = |it: &Survivor| it.kernel == *kernel && it.code.starts_with(code) && it.change == *change;
            let found: Vec<_> = (0..survivors.len()).filter(|&index| is_meant(&survivors[index])).collect();
            if found.len() != *count || *count == 0 {
                let listed = format!("the list has {count} of {change:?} in {kernel}, `{code}` ({reason})");
                text += &format!("{listed}, but {} go unnoticed\n", found.len());
            }
            explained.extend(found);
        }
    }
    for (_, survivor) in survivors.iter().enumerate().filter(|(index, _)| !explained.contains(index)) {
        let Survivor { kernel, code, change, instruction } = survivor;
        text += &format!("nobody notices in {kernel}: {change:?}, `{code}`\n    {instruction}\n");
    }
    text
}
