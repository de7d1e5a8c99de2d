//! Mutation tests: every kernel of a stage with one instruction changed, which a check or a comparison must detect.
//!
//! A mutant that neither the emulator's checks nor the comparison with the reference detects reveals a gap in one of them, or
//! is equivalent to the kernel. Equivalent mutants are listed, each with its reason. The mutations are of PTX, so that they
//! depend on the compiler: it may compile `i < n` to `i != n`, or a branch to a select.

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

/// A list entry for equivalent mutants, which cannot be detected.
#[derive(Debug)]
pub struct Equivalent {
    /// The entry points that share the line; for kernels in Rust followed by ` in Rust`.
    pub kernels: &'static [&'static str],
    /// The beginning of the line in the kernel file, without indentation.
    pub code: &'static str,
    /// The mutations of the line, each with the number of mutants, since a line compiles to several instructions.
    pub changes: &'static [(Change, usize)],
    /// The reason why they are equivalent to the kernel.
    pub reason: &'static str,
}

/// Returns an entry of such a list.
#[must_use]
pub const fn same(
    kernels: &'static [&'static str],
    code: &'static str,
    changes: &'static [(Change, usize)],
    reason: &'static str,
) -> Equivalent {
    Equivalent { kernels, code, changes, reason }
}

/// An entry point that is mutated.
struct Subject<'a> {
    /// The rung that launches it.
    rung: &'a Rung,
    /// The kernel file.
    source: KernelSource,
    /// The name of the entry point.
    entry: String,
    /// Whether it is the Rust version.
    in_rust: bool,
    /// The PTX of a module with only this entry point.
    ptx: String,
}

impl<'a> Subject<'a> {
    fn new(rung: &'a Rung, source: KernelSource, entry: String, in_rust: bool) -> Option<Self> {
        let source = if in_rust { *source.rust? } else { source };
        let ptx = module_of(source.ptx(), &entry);
        Some(Self { rung, source, entry, in_rust, ptx })
    }

    /// Returns the name for messages: `reduceGmem in Rust`.
    fn name(&self) -> String {
        format!("{}{}", self.entry, if self.in_rust { " in Rust" } else { "" })
    }

    /// Returns the kernel of a rung and its companion in one language, if their files belong to the stage.
    fn for_rung(stage: &Stage, rung: &'a Rung, in_rust: bool) -> Vec<Self> {
        let kernel = Self::new(rung, rung.source, rung.entry.name(rung.block), in_rust);
        let companion = rung.companion.and_then(|(source, entry)| Self::new(rung, source, entry.into(), in_rust));
        let is_own = |subject: &Self| !stage.is_baseline(&Rung { source: subject.source, ..*rung });
        [kernel, companion].into_iter().flatten().filter(is_own).collect()
    }

    /// Returns the line of the kernel file that a mutation changes.
    fn code(&self, mutation: &Mutation) -> &'static str {
        self.source.text.lines().nth(mutation.cuda_line.wrapping_sub(1)).map_or("", str::trim)
    }

    /// Describes a mutant that was not detected.
    fn survivor(&self, mutation: &Mutation) -> Survivor {
        Survivor {
            kernel: self.name(),
            code: self.code(mutation).into(),
            change: mutation.change,
            instruction: format!("line {}: {}", mutation.cuda_line, mutation.describe()),
        }
    }

    /// Returns all mutations, with at least one for each barrier in the kernel file. For a Rust version, returns one of each kind per
    /// line, and none of bounds checks, which never fail.
    fn mutations(&self) -> Vec<Mutation> {
        let mutations = if self.in_rust { representative(&self.ptx) } else { mutations(&self.ptx) };
        let barriers = ["__syncthreads();", "__syncwarp();", "barrier.cluster.", " sync_threads();", " sync_warp("];
        let has_barriers = barriers.iter().any(|barrier| self.source.text.contains(barrier));
        let changes_barriers = mutations.iter().any(|mutation| mutation.change == Change::Barrier);
        assert!(!mutations.is_empty() && has_barriers == changes_barriers, "{}: {mutations:?}", self.entry);
        mutations
    }
}

/// A mutant that was not detected.
#[derive(Serialize, Deserialize)]
struct Survivor {
    kernel: String,
    code: String,
    change: Change,
    instruction: String,
}

/// Requires that every mutant of every kernel of the stage is either detected or listed. A kernel that several rungs launch is
/// mutated in the first one.
pub fn all_are_noticed(stage: &Stage, sizes: &Sizes, listed: &[Equivalent]) {
    judge_all(stage, sizes, listed, false);
}

/// The same as [`all_are_noticed`], for the Rust versions, with one mutant of each kind per line.
pub fn all_in_rust_are_noticed(stage: &Stage, sizes: &Sizes, listed: &[Equivalent]) {
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

/// Panics unless the checks or the results show the first mutant of this kind of the stage's own kernels.
pub fn one_is_noticed(stage: &Stage, sizes: &Sizes, change: Change) {
    let _turn = turn();
    let subjects = stage.rungs.iter().flat_map(|rung| Subject::for_rung(stage, rung, false));
    let of_kind = |subject: &Subject| subject.mutations().into_iter().find(|mutation| mutation.change == change);
    let (subject, mutation) = subjects
        .filter_map(|subject| of_kind(&subject).map(|mutation| (subject, mutation)))
        .next()
        .unwrap_or_else(|| panic!("no kernel of {} has a mutant of the kind {change:?}", stage.name));
    let noticed = Judge::new(&subject, sizes).notices(&mutation.apply(&subject.ptx));
    assert!(!noticed.is_empty(), "{}: {} goes unnoticed", subject.name(), mutation.describe());
}

/// The results: a tally for each kernel, in the order of the stage, and the mutants that were not detected.
#[derive(Default, Serialize, Deserialize)]
struct Judged {
    kernels: Vec<(String, Tally)>,
    survivors: Vec<Survivor>,
}

impl Judged {
    /// Adds the results of other mutants of the same kernels.
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
    let mut judged = Judged::default();
    let mut done = BTreeSet::new();
    let mut index = 0;
    for subject in stage.rungs.iter().flat_map(|rung| Subject::for_rung(stage, rung, in_rust)) {
        if !done.insert(subject.entry.clone()) {
            continue;
        }
        let mut judge = Judge::new(&subject, sizes);
        let mut tally = Tally::default();
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

/// Returns the differences between the survivors and the list, in one or two lines each.
fn complaints(survivors: &[Survivor], listed: &[Equivalent]) -> String {
    let mut text = String::new();
    let mut explained = BTreeSet::new();
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
