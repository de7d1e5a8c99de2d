//! Mutants: every kernel of a stage with one instruction changed, and whether anything notices.
//!
//! A mutant that neither the emulator's checks nor the comparison with the reference notices is a hole in one of them,
//! or does the same as the kernel; the latter are listed, each with its reason. The mutants are of PTX, so that what a
//! compiler makes of a condition decides: `i != n` for `i < n` has no strictness, and what became a select no branch.

mod judge;
mod mutation;
mod share;
#[cfg(test)]
mod tests;

pub use judge::{SIZES, Sizes};
pub use mutation::Change;

use crate::turn;
use common::kernel::KernelSource;
use common::stage::{Rung, Stage};
use judge::{Judge, Tally};
use mutation::{Mutation, module_of, mutations, representative};
use serde::{Deserialize, Serialize};
use share::Share;
use std::collections::BTreeSet;

/// Mutants that nobody can notice.
#[derive(Debug)]
pub struct Equivalent {
    /// The entry points, which have the line in common; of kernels in Rust with ` in Rust` behind.
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
    /// Whether it is the twin in Rust.
    in_rust: bool,
    /// The text of a module with this entry point alone.
    ptx: String,
}

impl<'a> Subject<'a> {
    fn new(rung: &'a Rung, source: KernelSource, entry: String, in_rust: bool) -> Option<Self> {
        let source = if in_rust { *source.rust? } else { source };
        let ptx = module_of(source.ptx, &entry);
        Some(Self { rung, source, entry, in_rust, ptx })
    }

    /// `reduceGmem in Rust`
    fn name(&self) -> String {
        format!("{}{}", self.entry, if self.in_rust { " in Rust" } else { "" })
    }

    /// The kernel of a rung and its companion in one language, as far as their files are the stage's.
    fn of_rung(stage: &Stage, rung: &'a Rung, in_rust: bool) -> Vec<Self> {
        let kernel = Self::new(rung, rung.source, rung.entry.name(rung.block), in_rust);
        let companion = rung.companion.and_then(|(source, entry)| Self::new(rung, source, entry.into(), in_rust));
        let is_own = |subject: &Self| !stage.is_baseline(&Rung { source: subject.source, ..*rung });
        [kernel, companion].into_iter().flatten().filter(is_own).collect()
    }

    /// The line of the kernel file that a mutation is about.
    fn code(&self, mutation: &Mutation) -> &'static str {
        self.source.text.lines().nth(mutation.cuda_line.wrapping_sub(1)).map_or("", str::trim)
    }

    /// What to say of a mutant that nobody noticed.
    fn survivor(&self, mutation: &Mutation) -> Survivor {
        Survivor {
            kernel: self.name(),
            code: self.code(mutation).into(),
            change: mutation.change,
            instruction: format!("line {}: {}", mutation.cuda_line, mutation.describe()),
        }
    }

    /// Every mutation, at least one of each barrier that the kernel file has. Of a twin in Rust, which is to do what its
    /// kernel does, one of each kind for a line, and none of the checks of bounds: they never fail.
    fn mutations(&self) -> Vec<Mutation> {
        let mutations = if self.in_rust { representative(&self.ptx) } else { mutations(&self.ptx) };
        let barriers = ["__syncthreads();", "__syncwarp();", " sync_threads();", " sync_warp("];
        let has_barriers = barriers.iter().any(|barrier| self.source.text.contains(barrier));
        let changes_barriers = mutations.iter().any(|mutation| mutation.change == Change::Barrier);
        assert!(!mutations.is_empty() && has_barriers == changes_barriers, "{}: {mutations:?}", self.entry);
        mutations
    }
}

/// A mutant that nobody noticed.
#[derive(Serialize, Deserialize)]
struct Survivor {
    kernel: String,
    code: String,
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
    judge_all(stage, sizes, listed, false);
}

/// [`all_are_noticed`] for the twins in Rust, by a mutant of each kind for a line.
pub fn all_in_rust_are_noticed(stage: &Stage, listed: &[Equivalent]) {
    all_in_rust_are_noticed_at(stage, &SIZES, listed);
}

/// [`all_in_rust_are_noticed`] for a stage whose kernels want other sizes.
pub fn all_in_rust_are_noticed_at(stage: &Stage, sizes: &Sizes, listed: &[Equivalent]) {
    judge_all(stage, sizes, listed, true);
}

fn judge_all(stage: &Stage, sizes: &Sizes, listed: &[Equivalent], in_rust: bool) {
    let _turn = turn();
    let Some(judged) = share::out(|share| judge_share(stage, sizes, in_rust, share)) else { return };
    println!("{}", Tally::head());
    judged.kernels.iter().for_each(|(name, tally)| println!("{name:<36}{tally}"));
    assert!(!judged.kernels.is_empty(), "{} has no such kernel", stage.name);
    let complaints = complaints(&judged.survivors, listed);
    assert!(complaints.is_empty(), "{complaints}");
}

/// What became of mutants: those of each kernel counted, in the order of the stage.
#[derive(Default, Serialize, Deserialize)]
struct Judged {
    kernels: Vec<(String, Tally)>,
    survivors: Vec<Survivor>,
}

impl Judged {
    /// Adds what became of the other mutants of the same kernels.
    fn add(&mut self, other: Self) {
        if self.kernels.is_empty() {
            self.kernels = other.kernels;
        } else {
            for ((name, tally), (its_name, its_tally)) in self.kernels.iter_mut().zip(other.kernels) {
                assert_eq!(*name, its_name, "shares of other kernels");
                tally.merge(its_tally);
            }
        }
        self.survivors.extend(other.survivors);
    }
}

fn judge_share(stage: &Stage, sizes: &Sizes, in_rust: bool, share: Share) -> Judged {
    let (mut judged, mut done, mut index) = (Judged::default(), BTreeSet::new(), 0);
    for subject in stage.rungs.iter().flat_map(|rung| Subject::of_rung(stage, rung, in_rust)) {
        if !done.insert(subject.entry.clone()) {
            continue;
        }
        let (mut judge, mut tally) = (Judge::new(&subject, sizes), Tally::default());
        let is_wanted = |mutation: &Mutation| sizes.changes.contains(&mutation.change);
        for mutation in subject.mutations().into_iter().filter(is_wanted) {
            index += 1;
            if !share.has(index) {
                continue;
            }
            let noticed = judge.notices(&mutation.apply(&subject.ptx));
            if noticed.is_empty() {
                judged.survivors.push(subject.survivor(&mutation));
            }
            tally.add(noticed);
        }
        judged.kernels.push((subject.name(), tally));
    }
    judged
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
