//! A launch that is checked: what its kernel does wrong and goes on.
//!
//! Blocks run one after the other on one core, so that the findings are the same each time. Against the same launch
//! without checks on one core, force loops take 2.3 to 3.9 times as long, where a load of all lanes from one address is
//! one access, and sums by a tree or by shuffles 10 to 13 times.

use super::workers::{Options, run};
use crate::ground::dimensions::Launch;
use crate::ground::fault::{Fault, Place};
use crate::ground::refusal::LaunchError;
use crate::memory::device::Memory;
use crate::module::kernel::Kernel;
use crate::observers::checks::accessed::{Accessed, accessed};
use crate::observers::checks::checking::Checking;
use crate::observers::checks::finding::{Diagnosis, Finding, FindingKind};
use crate::observers::checks::order::Touch;
use crate::observers::checks::shadow::Shadow;
use crate::observers::checks::sighting::{Key, Sighting, merged};
use std::collections::BTreeMap;

/// What [`check`] says of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// What the kernel did wrong and went on, in the order of its lines.
    pub findings: Vec<Finding>,
    /// What ended it.
    pub fault: Option<Box<Fault>>,
}

impl Verdict {
    /// All of it in one form, the fault last.
    #[must_use]
    pub fn diagnoses(&self) -> Vec<Diagnosis> {
        let fault = self.fault.as_deref().map(Diagnosis::from);
        self.findings.iter().map(Diagnosis::from).chain(fault).collect()
    }
}

/// What a launch accessed in global memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Each byte in one range at most of each way of access.
    pub ranges: Vec<Accessed>,
    /// Threads at the lines of source that accessed them.
    pub places: Vec<Place>,
}

/// Runs a kernel as [`crate::launch`] does and returns what it does wrong with memory and barriers; nothing for a clean
/// kernel. What the launch computes is the same; counters are not taken, and the blocks run one after the other, so
/// that the findings are the same each time. One finding stands for all of the same lines of source. Reads of
/// uninitialized global memory are found in allocations made under [`Memory::track_writes`].
///
/// # Errors
/// [`LaunchError::Invalid`], as [`crate::launch`].
pub fn check(kernel: &Kernel, memory: &Memory, launch: &Launch<'_>, options: &Options) -> Result<Verdict, LaunchError> {
    Ok(observed(kernel, memory, launch, options)?.0)
}

/// Runs a kernel as [`check`] does, and says which bytes of global memory it accessed.
///
/// # Errors
/// As [`check`].
pub fn check_accesses(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<(Verdict, Accesses), LaunchError> {
    let (verdict, shadow) = observed(kernel, memory, launch, options)?;
    let (ranges, touches) = accessed(&shadow, |position| kernel.source_line(position));
    let place = |touch: Touch| kernel.place(launch, launch.grid.at(touch.block), touch.thread(), touch.position);
    Ok((verdict, Accesses { ranges, places: touches.into_iter().map(place).collect() }))
}

/// The verdict, and what the worker, which is one, knows of global memory.
fn observed(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<(Verdict, Shadow), LaunchError> {
    let options = Options { threads: 1, ..*options };
    let (parts, fault) = run(kernel, memory, launch, &options, |job| job.work::<Checking>().into_parts())?;
    let (parts, shadows): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let findings = findings(kernel, launch, parts);
    Ok((Verdict { findings, fault: fault.map(Box::new) }, shadows.into_iter().next().unwrap_or_default()))
}

/// What was seen, by its lines.
fn findings(kernel: &Kernel, launch: &Launch<'_>, parts: Vec<BTreeMap<Key, Sighting>>) -> Vec<Finding> {
    // A compiler may make several instructions of one line, as where it unrolls a loop: parts that meet there are together.
    let is_apart = |&((kind, earlier, position), _): &(Key, Sighting)| {
        kind != FindingKind::MetApart || kernel.source_line(earlier) != kernel.source_line(position)
    };
    let sightings = parts.into_iter().flatten().filter(is_apart);
    let sightings = merged(sightings, |position| kernel.source_line(position));
    let finding = |(kind, earlier, position): Key, sighting: Sighting| {
        let place = |block, thread, position| kernel.place(launch, launch.grid.at(block), thread, position);
        let earlier = || place(sighting.earlier_block, sighting.earlier_thread, earlier);
        Finding {
            kind,
            kernel: kernel.name().to_owned(),
            address: sighting.address,
            access: place(sighting.block, sighting.thread, position),
            earlier: kind.has_two_sides().then(earlier),
            count: sighting.count,
        }
    };
    let mut findings: Vec<Finding> = sightings.into_iter().map(|(key, sighting)| finding(key, sighting)).collect();
    findings.sort_by_key(|finding| (finding.access.line, finding.earlier.as_ref().map(|place| place.line)));
    findings
}
