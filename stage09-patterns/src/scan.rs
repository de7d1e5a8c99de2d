//! The rungs of problem J, an exclusive scan, and of problem Q, an inclusive one, with their launches.

use common::Error;
use common::kernel_source;
use common::problem::scan::{Addends, Buffers, Floats, Level, Numbers, Scan};
use common::problem::{Launch, LaunchResult, Layout, Setup};
use common::stage::{Blocks, Entry, Grid, Rung, Shape};
use cudarc::driver::{CudaSlice, LaunchConfig, PushKernelArg};

/// Numbers per thread in the kernel that loads groups of four.
pub const NUMBERS_EACH: u32 = 32;

/// The same in that of one launch.
pub const NUMBERS_EACH_LOOKING_BACK: u32 = 64;

/// Problem J: each thread adds the sum of a thread before it, ever farther apart.
pub static SCAN_HILLIS_STEELE: Rung = Rung {
    entry: Entry::PerBlock("scanHillisSteele"),
    companion: Some((kernel_source!("06_scan_add_sums", rust), "scanAddSums")),
    block: 256,
    blocks: Blocks::OneOf(&[64, 128, 256, 512, 1024]),
    sweep: &[Shape::block(64), Shape::block(128), Shape::block(256), Shape::block(512), Shape::block(1024)],
    ..Rung::new(
        "scanHillisSteele",
        kernel_source!("01_scan_hillis_steele", rust),
        &Scan { scan: slices, add: Some(add_sums) },
    )
};

/// Problem J: a tree of sums, up and down.
pub static SCAN_WORK_EFFICIENT: Rung =
    SCAN_HILLIS_STEELE.next("scanWorkEfficient", kernel_source!("02_scan_work_efficient", rust));

/// Problem J: shuffles within a warp, and then over the sums of the warps.
pub static SCAN_SHUFFLE: Rung = SCAN_WORK_EFFICIENT.next("scanShuffle", kernel_source!("03_scan_shuffle", rust));

/// Problem J: eight groups of four numbers per thread.
pub static SCAN_VECTOR: Rung = Rung {
    companion: Some((kernel_source!("07_scan_add_sums_vector", rust), "scanAddSumsVector")),
    grid: Grid::Covering(NUMBERS_EACH),
    blocks: Blocks::OneOf(&[128, 256, 512]),
    sweep: &[Shape::block(128), Shape::block(256), Shape::block(512)],
    ..SCAN_SHUFFLE.next("scanVector", kernel_source!("04_scan_vector", rust))
};

/// Problem J: one launch, in which a block adds up what the blocks before it publish.
pub static SCAN_LOOK_BACK: Rung = Rung {
    companion: None,
    grid: Grid::Covering(NUMBERS_EACH_LOOKING_BACK),
    work: &Scan { scan: look_back::<Numbers>, add: None },
    ..SCAN_VECTOR.next("scanLookBack", kernel_source!("05_scan_look_back", rust))
};

/// Problem Q: the same in single precision, with additions alone.
pub static SCAN_INCLUSIVE: Rung = Rung {
    entry: Entry::PerBlock("scanInclusive"),
    grid: Grid::Covering(NUMBERS_EACH_LOOKING_BACK),
    block: 256,
    blocks: Blocks::OneOf(&[128, 256, 512]),
    sweep: &[Shape::block(128), Shape::block(256), Shape::block(512)],
    ..Rung::new(
        "scanInclusive",
        kernel_source!("08_scan_inclusive", rust),
        &Scan { scan: look_back::<Floats>, add: None },
    )
};

/// Launches a kernel with the parameters `(numbers, prefixes, sums, n)` on a level.
fn slices(launch: &Launch, buffers: &mut Buffers, level: usize) -> LaunchResult {
    let (own, above) = buffers.levels.split_at_mut(level + 1);
    let (own, above) = (&mut own[level], &mut above[0]);
    let config = LaunchConfig { grid_dim: (above.n, 1, 1), ..launch.config };
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&own.values).arg(&mut own.prefixes).arg(&mut above.values).arg(&own.n);
    // SAFETY: the kernels have these parameters; the level has n values and prefixes, no thread goes past them, and there is a
    // sum for each block.
    unsafe { arguments.launch(config) }.map(drop)
}

/// Launches a kernel with the parameters `(prefixes, sums, n)` on a level.
fn add_sums(launch: &Launch, buffers: &mut Buffers, level: usize) -> LaunchResult {
    let (own, above) = buffers.levels.split_at_mut(level + 1);
    let (own, above) = (&mut own[level], &above[0]);
    let config = LaunchConfig { grid_dim: (above.n, 1, 1), ..launch.config };
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&mut own.prefixes).arg(&above.prefixes).arg(&own.n);
    // SAFETY: as above.
    unsafe { arguments.launch(config) }.map(drop)
}

/// The numbers, and what blocks publish about their slices.
#[derive(Debug)]
pub struct LookBack<I: Addends = Numbers> {
    /// The numbers, and the sum of all before each, or up to each.
    pub numbers: Level<I::Number>,
    /// The number of slices that blocks have taken, and the state of each slice.
    pub words: CudaSlice<u64>,
}

impl<I: Addends> Layout for LookBack<I> {
    type Inputs = I;
    type Results = Vec<I::Number>;

    fn prepare(setup: &Setup, numbers: &I) -> Result<Self, Error> {
        let words = setup.room(1 + setup.config.grid_dim.0 as usize)?;
        Ok(Self { numbers: Level::new(setup, numbers.data().len(), numbers.data())?, words })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.numbers.prefixes)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<I::Number>, Error> {
        self.numbers.results(setup)
    }
}

/// Launches a kernel with the parameters `(numbers, prefixes, words, n)`, after the words are set to zero, which is part of a run.
fn look_back<I: Addends>(launch: &Launch, data: &mut LookBack<I>, _: usize) -> LaunchResult {
    launch.stream.memset_zeros(&mut data.words)?;
    look_back_from(launch, data)
}

/// Launches such a kernel for the slices that are not taken yet.
///
/// # Errors
/// The driver's.
pub fn look_back_from<I: Addends>(launch: &Launch, LookBack { numbers, words }: &mut LookBack<I>) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&numbers.values).arg(&mut numbers.prefixes).arg(words).arg(&numbers.n);
    // SAFETY: the kernels have these parameters; there are n numbers and prefixes, which no thread goes past, and a word for each
    // block and one for all.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
