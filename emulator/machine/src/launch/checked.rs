//! Launches with checks, which find mistakes that do not stop the kernel.
//!
//! Blocks run one after the other on one core, so that the findings are the same in each run. A plain load or store is compared
//! with the last barrier and with its own lane first, which settles most accesses; a load of all lanes from one address is one
//! access.

use super::dependence::{Dependence, dependence};
use super::workers::{Job, Options, has_order, run};
use crate::ground::dimensions::Launch;
use crate::ground::fault::{Fault, Place};
use crate::ground::refusal::LaunchError;
use crate::lower::step::Origin;
use crate::memory::device::Memory;
use crate::module::kernel::Kernel;
use crate::observers::checks::accessed::{Accessed, collect_ranges};
use crate::observers::checks::checking::Checking;
use crate::observers::checks::finding::{Diagnosis, Finding, FindingKind, Tool};
use crate::observers::checks::occurrence::{Key, Occurrence, merge};
use crate::observers::checks::shadow::Shadow;
use crate::observers::checks::touch::{Moments, Touch};
use crate::observers::counters::Counters;
use crate::observers::lines::InstructionCounters;
use std::collections::BTreeMap;

/// The result of [`check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The mistakes that did not stop the kernel, causes first, and then in the order of its lines.
    pub findings: Vec<Finding>,
    /// The fault that stopped it.
    pub fault: Option<Box<Fault>>,
}

impl Verdict {
    /// Returns the findings, followed by the fault.
    #[must_use]
    pub fn diagnoses(&self) -> Vec<Diagnosis> {
        let fault = self.fault.as_deref().map(Diagnosis::from);
        self.findings.iter().map(Diagnosis::from).chain(fault).collect()
    }
}

/// The accesses of a launch to global memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// The accessed ranges. Ranges of the same kind of access do not overlap.
    pub ranges: Vec<Accessed>,
    /// The lines of source that accessed them, each with one of its threads.
    pub places: Vec<Place>,
}

/// Runs a kernel as [`crate::launch`] does and returns its mistakes with memory and barriers; nothing for a clean kernel.
///
/// The launch computes the same results. There are no counters, and the blocks run one after the other, so that the findings
/// are the same in each run. A finding represents all occurrences at the same lines of source. Reads of uninitialized global
/// memory are found in allocations made under [`Memory::track_writes`].
///
/// # Errors
/// Returns [`LaunchError::Invalid`] if shape or parameters are invalid.
pub fn check(kernel: &Kernel, memory: &Memory, launch: &Launch<'_>, options: &Options) -> Result<Verdict, LaunchError> {
    Ok(observe(kernel, memory, launch, options)?.0)
}

/// Runs a kernel as [`check`] does, and also returns the bytes of global memory that it accessed.
///
/// # Errors
/// Returns [`LaunchError::Invalid`] if shape or parameters are invalid.
pub fn check_accesses(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<(Verdict, Accesses), LaunchError> {
    let (verdict, shadow) = observe(kernel, memory, launch, options)?;
    let (ranges, touches) = collect_ranges(&shadow, |position| kernel.source_line(position));
    let place = |touch: Touch| kernel.place(launch, launch.grid.at(touch.block), touch.thread(), touch.position);
    Ok((verdict, Accesses { ranges, places: touches.into_iter().map(place).collect() }))
}

/// The counters of the checked blocks of a launch; those up to the fault if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// The number of checked blocks: all, unless the launch has more warp instructions than [`Options::check_limit`].
    pub blocks: u64,
    /// The counters of these blocks.
    pub total: Counters,
    /// The counters of each PTX line that a warp executed, in the order of the text.
    pub instructions: Vec<InstructionCounters>,
}

/// Runs a kernel as [`check`] does, and counts in the same launch. It may have a limit: [`Options::check_limit`].
///
/// # Errors
/// Returns [`LaunchError::Invalid`] if shape or parameters are invalid.
pub fn check_counted(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<(Verdict, Counted), LaunchError> {
    let options = Options { counters: true, threads: 1, ..*options };
    let program = kernel.program();
    let depends = launch.cooperative || dependence(kernel) == Dependence::Reads || has_order(kernel);
    let limit = options.check_limit.filter(|_| !depends).unwrap_or(u64::MAX);
    let work = |job: &Job<'_>| {
        let (mut checking, clusters) = job.work_partly::<Checking>(limit);
        let counted = checking.take_lines().map(|lines| lines.finish(program));
        (checking.into_parts().0, (counted, clusters))
    };
    let (parts, fault) = run(kernel, memory, launch, &options, work)?;
    let (parts, counted): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let verdict = Verdict { findings: findings(kernel, launch, parts), fault: fault.map(Box::new) };
    let (counted, clusters) = counted.into_iter().next().unwrap_or_default();
    let (total, instructions) = counted.unwrap_or_default();
    let of_cluster = kernel.clusters(launch).map_or(1, |clusters| clusters.blocks());
    let mut lines: BTreeMap<u32, InstructionCounters> = BTreeMap::new();
    for (origin, counters, shape) in instructions {
        let Origin { line, source, .. } = program.origins[origin as usize];
        let new = || InstructionCounters { line, location: kernel.named(source), ..InstructionCounters::default() };
        let sum = lines.entry(line).or_insert_with(new);
        sum.counters.add(&counters, 1);
        sum.shape.add(&shape);
    }
    let blocks = of_cluster * clusters;
    Ok((verdict, Counted { blocks, total, instructions: lines.into_values().collect() }))
}

/// Returns the verdict, and the shadow of global memory of the only worker, with the moments of its accesses.
fn observe(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<(Verdict, (Shadow, Moments)), LaunchError> {
    let options = Options { threads: 1, counters: false, ..*options };
    let (parts, fault) = run(kernel, memory, launch, &options, |job| job.work::<Checking>().into_parts())?;
    let (parts, shadows): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let findings = findings(kernel, launch, parts);
    Ok((Verdict { findings, fault: fault.map(Box::new) }, shadows.into_iter().next().unwrap_or_default()))
}

/// Returns the findings in the order of their lines, wrong uses of barriers and warp-level instructions first: the accesses
/// that these leave unordered follow from them.
fn findings(kernel: &Kernel, launch: &Launch<'_>, parts: Vec<BTreeMap<Key, Occurrence>>) -> Vec<Finding> {
    // A compiler may generate several instructions for one line, for instance when it unrolls a loop. Parts of a warp that
    // meet at two of them are at the same line.
    let is_finding = |&((kind, earlier, position), _): &(Key, Occurrence)| {
        kind != FindingKind::DifferentLines || kernel.source_line(earlier) != kernel.source_line(position)
    };
    let occurrences = parts.into_iter().flatten().filter(is_finding);
    let occurrences = merge(occurrences, |position| kernel.source_line(position));
    let finding = |(kind, earlier, position): Key, occurrence: Occurrence| {
        let place = |block, thread, position| kernel.place(launch, launch.grid.at(block), thread, position);
        let earlier = || place(occurrence.earlier_block, occurrence.earlier_thread, earlier);
        Finding {
            kind,
            kernel: kernel.name().to_owned(),
            address: occurrence.address,
            access: place(occurrence.block, occurrence.thread, position),
            earlier: kind.has_two_sides().then(earlier),
            count: occurrence.count,
        }
    };
    let mut findings: Vec<Finding> =
        occurrences.into_iter().map(|(key, occurrence)| finding(key, occurrence)).collect();
    findings.sort_by_key(|finding| {
        let follows = finding.kind.tool() != Tool::Synccheck;
        (follows, finding.access.line, finding.earlier.as_ref().map(|place| place.line))
    });
    findings
}
