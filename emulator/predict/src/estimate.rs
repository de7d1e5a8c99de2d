//! The estimate of one launch.

use crate::code::operation::Operation;
use crate::gpu::Gpu;
use crate::machine_code::MachineCode;
use crate::refusal::Refusal;
use crate::share::{self, Share, Weights};
use crate::simulate::{Busy, Setting, Simulation, Stalls, Work, simulate};
use crate::source::{Source, Stop, Way};
use crate::together::{self, Together};
use emulator::{BlockStream, Replay, Resources, Scene, WARP_SIZE};
use serde::{Deserialize, Serialize};
use std::collections::btree_map::{BTreeMap, Entry};

/// The number of blocks whose work is compared, and of those by which unequal work is dealt out.
const FEW_BLOCKS: u64 = 12;
const MANY_BLOCKS: u64 = 128;

/// The largest number of issue slots that are simulated.
const MAX_SLOTS: u64 = 600_000;

/// The largest number of events of all streams.
const MAX_EVENTS: usize = 1 << 19;

/// The same if blocks differ.
const MAX_DIFFERENT_EVENTS: usize = 1 << 21;

/// All, in thousandths.
const ALL: u64 = 1000;

/// The largest number of issue slots of the blocks that run on the emulator. Their streams serve for further blocks, too.
const MAX_EMULATED_SLOTS: u64 = 4_000_000;

/// The capacity of the emulated memory: only what the launch uses is allocated.
const CAPACITY_BYTES: u64 = 1 << 40;

/// The cycles that a launch takes on a GPU, without the time to launch it, and their reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// The kernel.
    pub kernel: String,
    /// The cycles.
    pub cycles: u64,
    /// The limiter, which takes most of the time.
    pub limiter: Limiter,
    /// The cycles that warps wait, by reason, in the simulated part.
    pub stalls: Stalls,
    /// The cycles that each unit needs for its work: the launch cannot be faster.
    pub floors: Floors,
    /// The number of blocks that can be resident on a multiprocessor, by the estimate of registers.
    pub resident_blocks: u32,
    /// Whether a part of the launch was extrapolated from its beginning.
    pub is_extrapolated: bool,
    /// What it was made from.
    #[serde(default)]
    pub way: Way,
    /// The reason why machine code that was there did not serve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// The limiter, which takes most of the time. It serializes as text, such as `block starts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limiter {
    /// Warps wait for results of arithmetic and of shared memory.
    Dependency,
    /// Warps wait for global memory.
    Memory,
    /// Warps wait at barriers.
    Barrier,
    /// Pipes or issue slots are busy.
    Issue,
    /// Warps wait for constants.
    Constant,
    /// Blocks end as fast as new ones can start.
    #[serde(rename = "block starts")]
    BlockStarts,
}

impl Limiter {
    /// Returns the limiter in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dependency => "dependency",
            Self::Memory => "memory",
            Self::Barrier => "barrier",
            Self::Issue => "issue",
            Self::Constant => "constant",
            Self::BlockStarts => "block starts",
        }
    }
}

/// The cycles that each unit of a multiprocessor needs for its share of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floors {
    /// Issue slots.
    pub issue: u64,
    /// Single-precision arithmetic and integer products.
    pub fma: u64,
    /// Other integer operations.
    pub integer: u64,
    /// Special functions.
    pub special: u64,
    /// Shared memory and shuffles.
    pub shared: u64,
    /// The L1 cache.
    pub l1: u64,
    /// The L2 cache.
    pub l2: u64,
    /// Device memory.
    pub device_memory: u64,
    /// Starts of blocks.
    pub block_starts: u64,
}

impl Floors {
    /// Returns the unit that needs most cycles, in words.
    #[must_use]
    pub fn busiest(&self) -> &'static str {
        let units = [
            (self.issue, "issue slots"),
            (self.fma, "arithmetic"),
            (self.integer, "integers"),
            (self.special, "special functions"),
            (self.shared, "shared memory"),
            (self.l1, "L1 cache"),
            (self.l2, "L2 cache"),
            (self.device_memory, "device memory"),
            (self.block_starts, "block starts"),
        ];
        units.into_iter().max_by_key(|(cycles, _)| *cycles).map_or("", |(_, name)| name)
    }
}

/// Estimates a recorded launch on a GPU: from machine code of its kernel, if there is any and its warps can be followed, else
/// from the PTX.
///
/// # Errors
/// [`Refusal`] for a launch outside of what was validated.
pub fn predict(gpu: &Gpu, scene: &Scene, machine_code: Option<&MachineCode>) -> Result<Estimate, Refusal> {
    let replay = scene.set_up(CAPACITY_BYTES)?;
    let from = |source: Result<Source<'_>, Stop>| source.and_then(|source| estimate(gpu, scene, &replay, &source));
    let fallback = match machine_code.map(|code| from(Source::from_machine_code(&replay, scene, code))) {
        Some(Ok(estimate)) => return Ok(estimate),
        Some(Err(Stop::Refused(refusal))) => return Err(refusal),
        Some(Err(Stop::NotFollowed(reason))) => Some(reason),
        None => None,
    };
    match from(Ok(Source::from_ptx(&replay))) {
        Ok(estimate) => Ok(Estimate { fallback, ..estimate }),
        Err(Stop::Refused(refusal)) => Err(refusal),
        Err(Stop::NotFollowed(reason)) => Err(Refusal::Launch(reason)),
    }
}

fn estimate(gpu: &Gpu, scene: &Scene, replay: &Replay<'_>, source: &Source<'_>) -> Result<Estimate, Stop> {
    let shared_bytes = replay.kernel.static_shared_bytes() + scene.shared_bytes;
    let threads = scene.block.iter().product();
    let resident = gpu.resident_blocks(resident_blocks(replay, source.registers()), threads, shared_bytes).max(1);
    let share = share(gpu, replay.launch().grid.volume(), resident.into(), source)?;
    let streams = record(source, &share)?;
    source.check(&streams)?;
    // The first blocks of a grid are often special.
    let middle = streams.len() / 2;
    let at_a_time = share.occupied * u64::from(resident);
    let beside = together::beside(source, streams[middle].block, scene.grid, at_a_time)?;
    let together = Together::new(&streams, &streams[middle], &beside);
    if together.many_lanes_share_addresses {
        return Err(Refusal::SameAddress.into());
    }
    let footprint: usize = scene.memory.iter().map(|place| place.contents.len()).sum();
    let setting = Setting {
        gpu,
        occupied: share.occupied,
        resident: u64::from(resident).min(share.blocks) as usize,
        l1_bytes: gpu.memory.l1_bytes.saturating_sub(u64::from(shared_bytes) * u64::from(resident).min(share.blocks)),
        uses_device_memory: footprint as u64 > gpu.memory.l2_bytes,
        warps: u64::from(threads).div_ceil(WARP_SIZE as u64),
        together: &together,
        fetched: ALL,
        registers: source.places(),
        max_slots: MAX_SLOTS,
    };
    let of = |block: &u64| streams.iter().find(|stream| stream.block == *block);
    let blocks: Vec<&BlockStream> = match share.slots {
        Some(_) => share.simulated.iter().filter_map(of).collect(),
        None => streams.iter().cycle().take(share.simulated.len()).collect(),
    };
    let work = Work { code: &source.code, heads: &source.heads, blocks: &blocks };
    let mut simulation = simulate(&setting, &work);
    if simulation.is_stuck {
        return Err(Refusal::Barriers.into());
    }
    let slots: u64 = streams.iter().map(|stream| slots_of(&source.code, stream)).sum();
    let slots = share.slots.unwrap_or(slots / streams.len() as u64 * share.blocks);
    let whole = Whole { slots, resident };
    let lacked = simulation.lacked * slots / simulation.busy.issue.max(1) * share.occupied * gpu.memory.device.granule;
    let is_reused = together.share_sectors || together.is_irregular;
    if setting.uses_device_memory && is_reused && lacked > footprint as u64 * 5 / 4 {
        // A part of it was fetched before, by other multiprocessors. What neighbors need at about the same time is there. Of what
        // is read in no order, the L2 cache has its share.
        let others = if together.share_sectors { 0 } else { ALL - ALL * gpu.memory.l2_bytes / footprint as u64 };
        let fetched = others.max(ALL * footprint as u64 / lacked);
        simulation = simulate(&Setting { fetched, ..setting }, &work);
    }
    let estimate = assemble(gpu, replay.kernel.name(), &share, &whole, &simulation);
    // One code takes 3.8 or 11.7 ms by the order of such loads (`coulombConstant` in Rust and in CUDA C++).
    let displaced = simulation.busy.displaced_constants / ALL * slots / simulation.busy.issue.max(1);
    if displaced > estimate.cycles {
        return Err(Refusal::Constants.into());
    }
    Ok(Estimate { way: source.way(), ..estimate })
}

/// Returns the number of blocks that can be resident.
fn resident_blocks(replay: &Replay<'_>, registers: u32) -> u32 {
    let kernel = &replay.kernel;
    let launch = replay.launch();
    let resources = Resources {
        registers,
        static_shared_bytes: kernel.static_shared_bytes(),
        max_threads: kernel.max_threads_per_block(),
        max_dynamic_shared_bytes: u32::MAX,
    };
    let threads = launch.block.volume() as u32;
    resources.blocks_per_multiprocessor(threads, launch.dynamic_shared_bytes as usize).max(1)
}

/// Returns the share of a multiprocessor, by the work of blocks all over the grid.
fn share(gpu: &Gpu, grid: u64, resident: u64, source: &Source<'_>) -> Result<Share, Stop> {
    let mut weighed = BTreeMap::new();
    let mut slots = 0;
    let mut weigh = |count: u64| -> Result<Weights, Stop> {
        // The numbers with reversed bits: of blocks so long that only some are weighed, these are all over the grid, too.
        let mut blocks: Vec<(u64, u64)> = (0..).map(u64::reverse_bits).zip(share::spread(grid, count)).collect();
        blocks.sort_unstable();
        for (_, block) in blocks {
            if slots > MAX_EMULATED_SLOTS && weighed.len() > 1 {
                break;
            }
            if let Entry::Vacant(place) = weighed.entry(block) {
                slots += *place.insert(slots_of(&source.code, &source.beginning(block)?));
            }
        }
        Ok(Weights::new(weighed.iter().map(|(block, slots)| (*block, *slots)).collect()))
    };
    if weigh(FEW_BLOCKS)?.are_equal() {
        return Ok(Share::of_equal_blocks(gpu, grid, resident));
    }
    Ok(Share::that_ends_last(gpu, grid, resident, &weigh(MANY_BLOCKS)?))
}

/// Returns the streams of the different blocks that are simulated, or of fewer if all are alike and long.
fn record(source: &Source<'_>, share: &Share) -> Result<Vec<BlockStream>, Stop> {
    let mut different = share.simulated.clone();
    different.sort_unstable();
    different.dedup();
    let are_alike = share.slots.is_none();
    let most_events = if are_alike { MAX_EVENTS } else { MAX_DIFFERENT_EVENTS } / different.len();
    let mut streams = Vec::new();
    let mut slots = 0;
    for block in different {
        let stream = source.stream(block, most_events)?;
        slots += slots_of(&source.code, &stream);
        streams.push(stream);
        if slots > MAX_EMULATED_SLOTS && are_alike {
            break;
        }
    }
    Ok(streams)
}

/// Returns the number of issue slots of a block, including the part of its streams that was cut off.
fn slots_of(code: &[Vec<Operation>], stream: &BlockStream) -> u64 {
    let slots = |block: &Vec<Operation>| block.iter().map(|operation| operation.slots).sum::<u64>();
    code.iter().zip(&stream.entries).map(|(block, entries)| slots(block) * entries).sum()
}

/// The whole share of a multiprocessor.
struct Whole {
    slots: u64,
    resident: u32,
}

fn assemble(gpu: &Gpu, kernel: &str, share: &Share, whole: &Whole, simulation: &Simulation) -> Estimate {
    let simulated = simulation.busy.issue.max(1);
    let floors = floors(gpu, share, &simulation.busy, |part| part * whole.slots.max(simulated) / simulated);
    let cycles = extrapolate(share, whole, simulation).max(floors.block_starts);
    Estimate {
        kernel: kernel.to_owned(),
        cycles,
        limiter: limiter(cycles, &floors, &simulation.stalls),
        stalls: simulation.stalls,
        floors,
        resident_blocks: whole.resident,
        is_extrapolated: simulation.is_cut || !share.is_whole(),
        way: Way::Ptx,
        fallback: None,
    }
}

/// Returns the cycles of the whole share. Equal blocks follow at the rate of the middle waves; a part of the blocks, at the rate
/// of the later half of what was simulated.
fn extrapolate(share: &Share, whole: &Whole, simulation: &Simulation) -> u64 {
    let ends = &simulation.ends;
    let first = whole.resident as usize;
    let last = ends.len().saturating_sub(whole.resident as usize);
    if !simulation.is_cut && share.is_whole() {
        return simulation.cycles;
    }
    if !simulation.is_cut && share.slots.is_some() {
        let slots = simulation.busy.issue.max(1);
        return (u128::from(simulation.cycles) * u128::from(whole.slots) / u128::from(slots)) as u64;
    }
    if !simulation.is_cut && last > first {
        let missing = share.blocks - ends.len() as u64;
        return simulation.cycles + (ends[last] - ends[first]) * missing / (last - first) as u64;
    }
    let (end, done) = simulation.progress.last().copied().unwrap_or_default();
    let half = simulation.progress.iter().find(|(_, slots)| slots * 2 >= done);
    let (start, before) = half.copied().filter(|(cycle, _)| *cycle < end).unwrap_or_default();
    let missing = whole.slots.saturating_sub(done);
    end + missing * (end - start) / (done - before).max(1)
}

fn floors(gpu: &Gpu, share: &Share, busy: &Busy, whole: impl Fn(u64) -> u64) -> Floors {
    Floors {
        issue: whole(busy.issue) / 4,
        fma: whole(busy.fma) / 4,
        integer: whole(busy.integer) / 4,
        special: whole(busy.special) / 4,
        shared: whole(busy.shared),
        l1: whole(busy.l1),
        l2: whole(busy.l2 / 1000),
        device_memory: whole(busy.device_memory / 1000),
        block_starts: gpu.block_start_millicycles(share.occupied) * share.blocks / 1000,
    }
}

/// Returns what takes most of the time: a unit that is busy at least nine tenths of it, or the most frequent reason to wait.
fn limiter(cycles: u64, floors: &Floors, stalls: &Stalls) -> Limiter {
    let is_busy = |floor: u64| floor * 10 >= cycles * 9;
    let pipes = [floors.issue, floors.fma, floors.integer, floors.special, floors.shared];
    if is_busy(floors.block_starts) {
        return Limiter::BlockStarts;
    }
    if [floors.l1, floors.l2, floors.device_memory].into_iter().any(is_busy) {
        return Limiter::Memory;
    }
    if pipes.into_iter().any(is_busy) {
        return Limiter::Issue;
    }
    let waits = [
        (stalls.dependency, Limiter::Dependency),
        (stalls.memory, Limiter::Memory),
        (stalls.barrier, Limiter::Barrier),
        (stalls.issue, Limiter::Issue),
        (stalls.constant, Limiter::Constant),
    ];
    waits.into_iter().max_by_key(|(cycles, _)| *cycles).map_or(Limiter::Dependency, |(_, limiter)| limiter)
}
