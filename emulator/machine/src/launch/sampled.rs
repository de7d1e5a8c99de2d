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
use super::dependence::{Dependence, dependence};
use super::monitor::{Budgets, Monitor};
use super::places::{INNER, Stretch, stretches};
use super::shape::check_shape;
use super::streamed::run_alone;
use super::workers::{Options, fault, has_order, run_sharing};
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::Fault;
use crate::ground::refusal::LaunchError;
use crate::machine::bind::Bound;
use crate::machine::block::BlockMachine;
use crate::machine::stop::Stop;
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::module::kernel::Kernel;
use crate::observers::counters::{Counters, Counting};
use crate::vector::simd::Simd;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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
