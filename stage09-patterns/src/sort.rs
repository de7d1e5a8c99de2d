//! The rungs of problem L, a sort of 32-bit keys, and of problem P, a sort of pairs, with their launches.

use common::Error;
use common::kernel_source;
use common::problem::sort::{Buffers, Keys, Pairs, Sort};
use common::problem::{Launch, LaunchResult, Layout, Setup};
use common::stage::{Blocks, Entry, Grid, Rung, Shape};
use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaSlice, LaunchConfig, PushKernelArg};

/// Problem L: one bit per pass.
pub static SORT_SPLIT: Rung = Rung {
    companion: Some((kernel_source!("25_sort_count", rust), "sortCount")),
    companion_shape: Some((Grid::Covering(4), 1024, 0)),
    grid: Grid::Covering(16),
    block: 256,
    blocks: Blocks::OneOf(&[256]),
    sweep: &[Shape::block(256)],
    ..Rung::new(
        "sortSplit",
        kernel_source!("21_sort_split", rust),
        &Sort { passes: 32, count: count::<1>, counts_once: false, pass: pass::<1> },
    )
};

/// Problem L: four bits per pass.
pub static SORT_DIGITS: Rung = Rung {
    work: &Sort { passes: 8, count: count::<4>, counts_once: false, pass: pass::<4> },
    ..SORT_SPLIT.next("sortDigits", kernel_source!("22_sort_digits", rust))
};

/// Problem L: a tile is sorted in shared memory.
pub static SORT_LOCAL: Rung = SORT_DIGITS.next("sortLocal", kernel_source!("23_sort_local", rust));

/// Keys per thread in the kernel of one launch per pass.
pub const KEYS_EACH: u32 = 23;

/// Problem L: eight bits per pass, and one launch, in which a block adds up what the blocks before it publish.
pub static SORT_ONE_SWEEP: Rung = Rung {
    entry: Entry::PerBlock("sortOneSweep"),
    companion: Some((kernel_source!("26_sort_histograms", rust), "sortHistograms")),
    // As many blocks as can be resident on an H200.
    // The variables are a sum for each warp, and whether the block is the last one.
    companion_shape: Some((Grid::Stride(264), 1024, BYTES_OF_BINS + 4 * 1024 / 32 + 4)),
    grid: Grid::Covering(KEYS_EACH),
    block: 384,
    blocks: Blocks::OneOf(&[256, 384, 512]),
    // The keys, and 256 counters for each warp.
    shared_bytes_per_thread: 4 * KEYS_EACH + 4 * 256 / 32,
    sweep: &[Shape::block(256), Shape::block(384), Shape::block(512)],
    work: &Sort { passes: 4, count: histograms, counts_once: true, pass: sweep },
    ..SORT_LOCAL.next("sortOneSweep", kernel_source!("24_sort_one_sweep", rust))
};

/// Problem P: a value moves with each key.
pub static SORT_PAIRS: Rung = Rung {
    entry: Entry::PerBlock("sortPairs"),
    companion: SORT_ONE_SWEEP.companion,
    companion_shape: SORT_ONE_SWEEP.companion_shape,
    grid: Grid::Covering(KEYS_EACH),
    block: 384,
    blocks: Blocks::OneOf(&[256, 384]),
    // The pairs, and 256 counters for each warp.
    shared_bytes_per_thread: 8 * KEYS_EACH + 4 * 256 / 32,
    sweep: &[Shape::block(256), Shape::block(384)],
    ..Rung::new(
        "sortPairs",
        kernel_source!("27_sort_pairs", rust),
        &Sort { passes: 4, count: histograms_of_pairs, counts_once: true, pass: sweep_pairs },
    )
};

/// The keys, and where those of each tile begin.
#[derive(Debug)]
pub struct Counted<const BITS: u32> {
    /// The keys.
    pub keys: Buffers,
    /// For each digit, and in it for each tile; filled up to a multiple of eight words.
    pub starts: CudaSlice<u32>,
    /// The number of tiles, and of blocks of each launch.
    pub tiles: u32,
    /// The number of blocks that have counted, 0 between launches.
    pub done: CudaSlice<u32>,
}

impl<const BITS: u32> Layout for Counted<BITS> {
    type Inputs = Keys;
    type Results = Vec<i32>;

    fn prepare(setup: &Setup, keys: &Keys) -> Result<Self, Error> {
        let tiles = setup.config.grid_dim.0;
        let starts = setup.room((tiles << BITS).next_multiple_of(8) as usize)?;
        Ok(Self { keys: Buffers::prepare(setup, keys)?, starts, tiles, done: setup.room(1)? })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.clear(&mut self.done)?;
        // A sample of the blocks leaves starts as they are, and then all places are among the keys.
        setup.clear(&mut self.starts)?;
        self.keys.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<i32>, Error> {
        self.keys.results(setup)
    }
}

/// Launches a kernel with the parameters `(keys, starts, done, n, shift, bits)`.
///
/// # Errors
/// The driver's.
pub fn count<const BITS: u32>(launch: &Launch, data: &mut Counted<BITS>, pass: u32) -> LaunchResult {
    let Counted { keys: all, starts, tiles, done } = data;
    let config = LaunchConfig { grid_dim: (*tiles, 1, 1), ..launch.config };
    let n = all.n;
    let (keys, _) = all.of_pass(pass);
    let shift = BITS * pass;
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(keys).arg(starts).arg(done).arg(&n).arg(&shift).arg(&BITS);
    // SAFETY: the kernel has these parameters; there are n keys, which no thread goes past, and a start for each digit and tile.
    unsafe { arguments.launch(config) }.map(drop)
}

/// Launches a kernel with the parameters `(keys, sorted, starts, n, shift)`.
///
/// # Errors
/// The driver's.
pub fn pass<const BITS: u32>(
    launch: &Launch,
    Counted { keys: all, starts, tiles, .. }: &mut Counted<BITS>,
    pass: u32,
) -> LaunchResult {
    let n = all.n;
    let config = LaunchConfig { grid_dim: (*tiles, 1, 1), ..launch.config };
    let (keys, sorted) = all.of_pass(pass);
    let shift = BITS * pass;
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(keys).arg(sorted).arg(&*starts).arg(&n).arg(&shift);
    // SAFETY: the kernels have these parameters; there are n keys, which no thread goes past, and starts for each digit and tile.
    // A key's place is below n, because the starts count the same keys.
    unsafe { arguments.launch(config) }.map(drop)
}

/// The digits of a pass of one launch.
const BINS: usize = 256;
/// The words of the passes.
const COUNTED: usize = 4 * (BINS + 1);

/// The keys, and what blocks publish about their tiles.
#[derive(Debug)]
pub struct Swept {
    /// The keys.
    pub keys: Buffers,
    /// For each pass, where the keys with each digit begin; then, for each pass, the number of tiles that blocks have taken;
    /// then the number of blocks that have counted.
    pub words: CudaSlice<u32>,
    /// For each tile, of two passes in turn, the state of each digit.
    pub states: CudaSlice<u32>,
}

impl Layout for Swept {
    type Inputs = Keys;
    type Results = Vec<i32>;

    fn prepare(setup: &Setup, keys: &Keys) -> Result<Self, Error> {
        let tiles = setup.config.grid_dim.0 as usize;
        let words = setup.room(COUNTED + 1)?;
        Ok(Self { keys: Buffers::prepare(setup, keys)?, words, states: setup.room(2 * tiles * BINS)? })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.clear(&mut self.states)?;
        self.keys.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<i32>, Error> {
        self.keys.results(setup)
    }
}

/// The dynamic shared memory of a block that counts: 16 copies of the bins of all passes.
const BYTES_OF_BINS: u32 = 16 * 4 * 4 * BINS as u32;

/// Launches a kernel with the parameters `(keys, starts, done, n)`, after the words are set to zero.
///
/// # Errors
/// The driver's.
pub fn histograms(launch: &Launch, Swept { keys, words, .. }: &mut Swept, _: u32) -> LaunchResult {
    launch.stream.memset_zeros(words)?;
    let (mut starts, mut done) = words.split_at_mut(COUNTED);
    // Each kernel has 48 KB without this.
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    launch.kernel.set_attribute(attribute, BYTES_OF_BINS.cast_signed())?;
    let (most, block) = (launch.config.grid_dim.0, launch.config.block_dim.0);
    let blocks = keys.n.div_ceil(4 * block).min(most);
    let config = LaunchConfig { grid_dim: (blocks, 1, 1), shared_mem_bytes: BYTES_OF_BINS, ..launch.config };
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&keys.keys).arg(&mut starts).arg(&mut done).arg(&keys.n);
    // SAFETY: the kernel has these parameters; there are n keys, which no thread goes past, and a word for each digit of each pass.
    unsafe { arguments.launch(config) }.map(drop)
}

/// Launches a kernel with the parameters `(keys, sorted, words, states, n, pass)`.
///
/// # Errors
/// The driver's.
pub fn sweep(launch: &Launch, Swept { keys: all, words, states, .. }: &mut Swept, pass: u32) -> LaunchResult {
    let n = all.n;
    let (keys, sorted) = all.of_pass(pass);
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(keys).arg(sorted).arg(words).arg(states).arg(&n).arg(&pass);
    // SAFETY: the kernels have these parameters; there are n keys, which no thread goes past, and two states for each digit and tile.
    // A key's place is below n, because the starts count the same keys.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// The keys with their values.
#[derive(Debug)]
pub struct SweptPairs {
    /// The keys, and what blocks publish.
    pub keys: Swept,
    /// The value of each key.
    pub values: Buffers,
}

impl Layout for SweptPairs {
    type Inputs = Pairs;
    type Results = [Vec<i32>; 2];

    fn prepare(setup: &Setup, pairs: &Pairs) -> Result<Self, Error> {
        let values = Buffers::new(setup, &pairs.values())?;
        Ok(Self { keys: Swept::prepare(setup, &pairs.keys)?, values })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.keys.restore(setup)?;
        self.values.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<[Vec<i32>; 2], Error> {
        Ok([self.keys.results(setup)?, self.values.results(setup)?])
    }
}

/// Launches the kernel that counts, as [`histograms`] does.
///
/// # Errors
/// The driver's.
pub fn histograms_of_pairs(launch: &Launch, pairs: &mut SweptPairs, pass: u32) -> LaunchResult {
    histograms(launch, &mut pairs.keys, pass)
}

/// Launches a kernel with the parameters `(keys, values, sorted, sorted_values, words, states, n, pass)`.
///
/// # Errors
/// The driver's.
pub fn sweep_pairs(launch: &Launch, pairs: &mut SweptPairs, pass: u32) -> LaunchResult {
    let SweptPairs { keys: Swept { keys: all, words, states }, values } = pairs;
    let n = all.n;
    let ((keys, sorted), (values, sorted_values)) = (all.of_pass(pass), values.of_pass(pass));
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(keys).arg(values).arg(sorted).arg(sorted_values).arg(words).arg(states).arg(&n).arg(&pass);
    // SAFETY: as above, and there is a value for each key.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
