//! Launches of which only some blocks run, so that a large grid takes little time.
//!
//! The blocks of a grid differ by their place: those at an end of an axis may have a part of the others' work. So a sample has
//! blocks of each kind of place: along each axis the first, the last, and some between them, each in a stretch of its own. The
//! counts of a block stand for all blocks of its stretch.
//!
//! The first block of all, the last and one between them run before others. If they have the same counts, no others run, and the
//! counts of the launch are exact unless another block differs: a block at an end of one axis is between a block without ends and one
//! at the ends of all axes. Otherwise the counts are an estimate.
//!
//! The clusters of a launch are sampled as a whole.

use super::block_scheduler::BlockScheduler;
use super::counted::launch as launch_all;
use super::monitor::{Budgets, Monitor};
use super::shape::check_shape;
use super::streamed::run_alone;
use super::workers::{Options, fault, has_order, run_sharing};
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::Fault;
use crate::ground::refusal::LaunchError;
use crate::lower::listing::ListedInstruction;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::stop::Stop;
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::observers::counters::{Counters, Counting};
use crate::vector::simd::Simd;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The stretches between the ends of all axes.
const INNER: u64 = 2;

/// The same if their blocks differ and are short.
const FINE: u64 = 128;

/// The warp instructions of all fine stretches together, from which on their blocks are too long: less than a tenth of a second.
const MAX_FINE: u64 = 1 << 23;

/// The part of a launch that ran.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    /// The numbers of the blocks that ran, in ascending order.
    pub blocks: Vec<u64>,
    /// The number of blocks of the launch.
    pub of: u64,
    /// Whether the sampled blocks have the same counts, so that those of the launch are exact.
    pub is_uniform: bool,
    /// Whether blocks add to values of others, so that values are incomplete without all blocks.
    pub adds: bool,
}

/// Runs a sample of a launch's blocks, and returns the counters of the whole launch with the sample, which has all blocks if they are
/// few. Returns `None`, and runs no block, if a block may depend on what others do: if the launch is cooperative, or the kernel has
/// volatile or ordered accesses to global memory, uses results of atomics there, prints or allocates. A block that waits for others
/// nevertheless leaves what it did.
///
/// # Errors
/// As [`crate::launch`], for the blocks that run.
pub fn launch_sampled(
    kernel: &Kernel,
    memory: &Memory,
    launch: &Launch<'_>,
    options: &Options,
) -> Result<Option<(Counters, Sample)>, LaunchError> {
    let invalid = |reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason };
    check_shape(kernel, launch).map_err(invalid)?;
    let clusters = kernel.clusters(launch).map_err(invalid)?;
    let extent = clusters.extent();
    let dependence = dependence(kernel);
    if launch.cooperative || dependence == Dependence::Reads || has_order(kernel) {
        return Ok(None);
    }
    let adds = dependence == Dependence::Adds;
    let coarse = stretches(extent, INNER);
    let of = launch.grid.volume();
    if 2 * coarse.len() as u64 >= extent.volume() {
        let blocks = (0..of).collect();
        let counters = launch_all(kernel, memory, launch, options)?;
        return Ok(Some((counters, Sample { blocks, of, is_uniform: true, adds })));
    }
    memory.mark_all_written();
    let simd = if options.baseline_vectors { Simd::Baseline } else { Simd::detect() };
    let bound = Bound::new(kernel.program(), launch, clusters, simd, 0);
    let budgets = Budgets { launch: options.instruction_budget, block: options.block_budget };
    let monitor = Monitor::new(BlockScheduler::new(extent.volume(), 1), budgets);
    let mut sampler = Sampler {
        kernel,
        memory,
        monitor: &monitor,
        bound: &bound,
        simd,
        threads: options.threads,
        counted: Vec::new(),
    };
    let counters = match sampler.count_launch(extent, &coarse) {
        Ok(counters) => counters,
        Err(Ended::Waits) => return Ok(None),
        Err(Ended::Fault(fault)) => return Err(LaunchError::Fault(fault)),
    };
    let blocks_of = |(cluster, _): &(Dim3, Counters)| {
        let cluster = extent.number(*cluster);
        (0..clusters.blocks()).map(move |rank| clusters.block(cluster, rank))
    };
    let mut blocks: Vec<u64> = sampler.counted.iter().flat_map(blocks_of).collect();
    blocks.sort_unstable();
    Ok(Some((counters, Sample { blocks, of, is_uniform: sampler.is_uniform(), adds })))
}

/// Runs clusters, each on its own.
struct Sampler<'a> {
    kernel: &'a Kernel,
    memory: &'a Memory,
    monitor: &'a Monitor,
    bound: &'a Bound<'a>,
    simd: Simd,
    threads: usize,
    /// The clusters that ran, with their counts.
    counted: Vec<(Dim3, Counters)>,
}

/// The end of a cluster that has no counts.
enum Ended {
    /// It waits for another block, in a way that the code does not show.
    Waits,
    Fault(Box<Fault>),
}

/// The number and the index of a block that stopped, and the reason; none if it waits.
type Stopped = ((u64, Dim3), Option<Box<Stop>>);

impl Sampler<'_> {
    /// Returns the counts of a launch from those of a sample: of three clusters if they are equal, else of one of each coarse stretch,
    /// or of many finer ones if those between the ends differ and are short.
    fn count_launch(&mut self, extent: Dim3, coarse: &[Stretch]) -> Result<Counters, Ended> {
        let longest = coarse.iter().max_by_key(|stretch| stretch.length);
        let first = [coarse.first(), longest, coarse.last()];
        self.count(first.into_iter().flatten())?;
        if self.is_uniform() {
            let mut sum = Counters::default();
            sum.add(&self.counted[0].1, extent.volume());
            return Ok(sum);
        }
        self.count(coarse)?;
        let is_inner = |stretch: &&Stretch| stretch.is_inner;
        let mut inner = coarse.iter().filter(is_inner).map(|stretch| self.counts(stretch));
        let one = inner.next();
        let are_equal = inner.all(|other| Some(other) == one);
        let instructions: u64 = self.counted.iter().map(|(_, counters)| counters.warp_instructions).sum();
        if are_equal || instructions / self.counted.len() as u64 * FINE > MAX_FINE {
            return Ok(self.sum(coarse));
        }
        let fine = stretches(extent, FINE);
        self.count(&fine)?;
        Ok(self.sum(&fine))
    }

    /// Returns whether all clusters that ran have the same counts.
    fn is_uniform(&self) -> bool {
        self.counted.iter().all(|(_, counters)| *counters == self.counted[0].1)
    }

    /// Returns the counts of the sampled cluster of a stretch.
    fn counts(&self, stretch: &Stretch) -> Counters {
        let found = self.counted.iter().find(|(cluster, _)| *cluster == stretch.sampled);
        found.map_or_else(Counters::default, |(_, counters)| *counters)
    }

    /// Returns the sum of stretches whose sampled clusters ran.
    fn sum(&self, stretches: &[Stretch]) -> Counters {
        let mut sum = Counters::default();
        stretches.iter().for_each(|stretch| sum.add(&self.counts(stretch), stretch.length));
        sum
    }

    /// Runs the sampled clusters of stretches, unless they ran before.
    fn count<'s>(&mut self, stretches: impl IntoIterator<Item = &'s Stretch>) -> Result<(), Ended> {
        let has_run = |cluster: &Dim3| self.counted.iter().any(|(other, _)| other == cluster);
        let mut clusters: Vec<Dim3> = stretches.into_iter().map(|stretch| stretch.sampled).collect();
        clusters.retain(|cluster| !has_run(cluster));
        let next = AtomicUsize::new(0);
        let work = || {
            let claims = std::iter::from_fn(|| clusters.get(next.fetch_add(1, Relaxed)));
            claims.map(|cluster| (*cluster, self.count_cluster(*cluster))).collect::<Vec<_>>()
        };
        let outcomes = run_sharing(self.threads, clusters.len(), work).concat();
        let mut counted = Vec::new();
        let mut stopped = Vec::new();
        for (cluster, outcome) in outcomes {
            match outcome {
                Ok(counters) => counted.push((cluster, counters)),
                Err((_, None)) => return Err(Ended::Waits),
                Err((place, Some(stop))) => stopped.push((place, *stop)),
            }
        }
        self.counted.extend(counted);
        let first = stopped.into_iter().min_by_key(|((number, _), _)| *number);
        let fault = first.and_then(|((_, block), stop)| fault(self.kernel, self.bound.launch, block, stop));
        fault.map_or(Ok(()), |fault| Err(Ended::Fault(Box::new(fault))))
    }

    /// Runs a cluster.
    fn count_cluster(&self, cluster: Dim3) -> Result<Counters, Stopped> {
        let view = MemoryView::new(self.memory, self.bound.steps.len());
        let mut machine = BlockMachine::<Counting>::new(self.bound, self.simd, view, self.memory, self.monitor);
        machine.start_cluster(self.bound.clusters.extent().number(cluster));
        run_alone(&mut machine).map_err(|stop| (machine.place(), stop))?;
        Ok(machine.into_observer().finish(&self.kernel.program().blocks))
    }
}

/// The way in which blocks depend on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Dependence {
    /// Not at all.
    None,
    /// They add to values of others, and do not see the sum.
    Adds,
    /// They may see what others do.
    Reads,
}

/// Returns how blocks of a kernel depend on others, as far as its instructions tell.
fn dependence(kernel: &Kernel) -> Dependence {
    let instructions = || kernel.listing().blocks.iter().flatten();
    let read: HashSet<u32> = instructions()
        .flat_map(|one| {
            let address = one.address.and_then(|(base, _)| base);
            one.reads.iter().copied().chain(one.guard).chain(address)
        })
        .collect();
    let is_used = |one: &ListedInstruction| one.writes.iter().any(|register| read.contains(register));
    instructions().map(|one| dependence_of(&one.opcode, is_used(one))).max().unwrap_or(Dependence::None)
}

/// Returns the dependence by one instruction, whose result is used or not.
fn dependence_of(opcode: &str, is_used: bool) -> Dependence {
    const ORDERS: [&str; 6] = ["volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"];
    let words: Vec<&str> = opcode.split('.').collect();
    let is_shared = words.iter().any(|word| word.starts_with("shared"));
    match words[0] {
        "atom" if !is_shared && is_used => Dependence::Reads,
        "atom" | "red" if !is_shared => Dependence::Adds,
        "ld" | "st" if !is_shared && words.iter().any(|word| ORDERS.contains(word)) => Dependence::Reads,
        "cp" if words.contains(&"reduce") => Dependence::Adds,
        "multimem" => Dependence::Reads,
        _ => Dependence::None,
    }
}

/// A stretch of clusters of one kind of place, one of which runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    sampled: Dim3,
    length: u64,
    /// Whether its clusters are between the ends of all axes.
    is_inner: bool,
}

/// Divides the clusters of a grid into stretches: those of each edge and corner, and `inner` ones between them.
fn stretches(extent: Dim3, inner: u64) -> Vec<Stretch> {
    let [x, y, z] = [extent.x, extent.y, extent.z].map(places);
    let mut all = Vec::new();
    for (between_z, depth) in &z {
        for (between_y, height) in &y {
            for (between_x, width) in &x {
                let is_inner = *between_x && *between_y && *between_z;
                let most = if is_inner { inner } else { 1 };
                all.extend(stretches_of_box([width, height, depth], is_inner, most));
            }
        }
    }
    all
}

/// Returns the indices along an axis of this length by their place: the first, those between, the last. Those of a short axis count as
/// between.
fn places(length: u32) -> Vec<(bool, Range<u32>)> {
    match length {
        0 | 1 => vec![(true, 0..length)],
        2 => vec![(true, 0..1), (true, 1..2)],
        _ => vec![(false, 0..1), (true, 1..length - 1), (false, length - 1..length)],
    }
}

/// Divides a box of clusters into at most this many stretches.
fn stretches_of_box([x, y, z]: [&Range<u32>; 3], is_inner: bool, most: u64) -> impl Iterator<Item = Stretch> {
    let start = Dim3 { x: x.start, y: y.start, z: z.start };
    let sides = Dim3 { x: x.len() as u32, y: y.len() as u32, z: z.len() as u32 };
    let clusters = sides.volume();
    let count = most.min(clusters);
    (0..count).map(move |index| {
        let from = index * clusters / count;
        let length = (index + 1) * clusters / count - from;
        let inside = sides.at(from + scattered(index, length));
        let sampled = Dim3 { x: start.x + inside.x, y: start.y + inside.y, z: start.z + inside.z };
        Stretch { sampled, length, is_inner }
    })
}

/// Returns a place in a stretch that differs between stretches, so that a sample of blocks follows no period of the grid: the fraction
/// of a multiple of the golden ratio.
fn scattered(index: u64, length: u64) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9;
    let fraction = (index + 1) * GOLDEN & 0xFFFF_FFFF;
    (u128::from(fraction) * u128::from(length) >> 32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(x: u32, y: u32, z: u32) -> Dim3 {
        Dim3 { x, y, z }
    }

    #[test]
    fn stretches_cover_a_grid_and_have_their_sampled_cluster() {
        for extent in
            [grid(1, 1, 1), grid(2, 1, 1), grid(3, 1, 1), grid(128, 1, 1), grid(64, 3, 1), grid(7, 1, 9), grid(5, 4, 3)]
        {
            let all = stretches(extent, INNER);
            assert_eq!(all.iter().map(|stretch| stretch.length).sum::<u64>(), extent.volume(), "{extent}");
            let mut sampled: Vec<u64> = all.iter().map(|stretch| extent.number(stretch.sampled)).collect();
            sampled.sort_unstable();
            sampled.dedup();
            assert!(sampled.len() == all.len() && sampled.iter().all(|&number| number < extent.volume()), "{extent}");
            assert!(sampled.contains(&0) && sampled.contains(&(extent.volume() - 1)), "{extent}");
        }
        assert_eq!(stretches(grid(128, 1, 1), INNER).len(), 4);
        assert_eq!(stretches(grid(64, 64, 1), INNER).len(), 4 + 4 + 2);
    }

    #[test]
    fn blocks_depend_by_their_instructions() {
        let of = |opcode| dependence_of(opcode, opcode.starts_with("atom") || opcode.starts_with("ld"));
        assert_eq!(["ld.global.f32", "atom.shared.add.u32", "st.volatile.shared.u32"].map(of), [Dependence::None; 3]);
        assert_eq!(
            ["red.global.add.f32", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"].map(of),
            [Dependence::Adds; 2]
        );
        assert_eq!(
            ["atom.global.add.u32", "ld.volatile.global.u32", "ld.acquire.gpu.u32"].map(of),
            [Dependence::Reads; 3]
        );
        assert_eq!(dependence_of("atom.global.add.u32", false), Dependence::Adds);
    }

    #[test]
    fn sampled_clusters_follow_no_period() {
        let columns: Vec<u32> = stretches(grid(4096, 1, 1), FINE).iter().map(|stretch| stretch.sampled.x % 8).collect();
        assert!((0..8).all(|column| columns.contains(&column)), "{columns:?}");
    }
}
