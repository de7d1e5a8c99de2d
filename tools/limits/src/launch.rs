//! The launches, with arguments in the order of the kernels' parameters.

use common::ceilings::bench::launch::{At, Launched};
use cudarc::driver::{CudaSlice, PushKernelArg};

/// A circular linked list.
pub struct Links {
    /// The successor of each element.
    pub next: CudaSlice<i32>,
    /// The element at which the last launch ended.
    pub at: CudaSlice<i32>,
    /// Clocks of the last launch.
    pub elapsed: CudaSlice<i64>,
}

/// Launches one warp or warpgroup of a kernel with the parameters `(next, at, elapsed, turns)`.
pub fn links(at: &At<'_>, links: &mut Links, turns: i32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(&links.next).arg(&mut links.at).arg(&mut links.elapsed).arg(&turns);
    // SAFETY: the kernels have these parameters; every element of `next` is a valid index, and there are at least as many
    // elements as the kernel copies.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(data, sums, groups)`.
pub fn flight(at: &At<'_>, data: &CudaSlice<i32>, sums: &mut CudaSlice<i32>, groups: i32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(data).arg(sums).arg(&groups);
    // SAFETY: the kernels have these parameters; `data` has `groups` groups of four integers, a multiple of what the grid
    // reads at a time, and `sums` has one integer per warp.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches one warp of a kernel with the parameters `(places, turns)`.
pub fn constant_chain(at: &At<'_>, places: &mut CudaSlice<u32>, turns: u32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(places).arg(&turns);
    // SAFETY: the kernel has these parameters; `places` has an offset per lane, and every link is the offset of a word.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(sums, count, turns)`.
pub fn constant_stream(at: &At<'_>, sums: &mut CudaSlice<f32>, count: u32, turns: u32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(sums).arg(&count).arg(&turns);
    // SAFETY: the kernel has these parameters; `sums` has a float per warp, and the constants are `count` words or more.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// The parameters of atomic additions.
pub struct Additions {
    /// Different cells of a warp.
    pub addresses: u32,
    /// Cells from a warp's first to the next warp's.
    pub apart: u32,
    /// The bits of what is added, an integer or a float.
    pub term: u32,
    /// Additions of a thread.
    pub turns: u32,
}

/// Launches a kernel with the parameters `(cells, addresses, apart, term, turns)`.
pub fn atomics(at: &At<'_>, cells: &mut CudaSlice<u32>, how: &Additions) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(cells).arg(&how.addresses).arg(&how.apart).arg(&how.term).arg(&how.turns);
    // SAFETY: the kernels have these parameters, integers and floats of 4 bytes; `cells` has one per thread of the grid, and
    // `apart` is 0 or 32.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(out, span, log_stride)`.
pub fn stores(at: &At<'_>, out: &mut CudaSlice<u32>, log_stride: u32) -> Launched {
    let span = u32::try_from(out.len()).unwrap_or(u32::MAX);
    let mut arguments = at.arguments();
    arguments.arg(out).arg(&span).arg(&log_stride);
    // SAFETY: the kernel has these parameters; `span` is the length of `out` and a power of two.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(data, sums, rows, stride)`.
pub fn strided(at: &At<'_>, data: &CudaSlice<i32>, sums: &mut CudaSlice<i32>, rows: u32, stride: u32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(data).arg(sums).arg(&rows).arg(&stride);
    // SAFETY: the kernel has these parameters; `data` has at least `rows * stride` integers, and `sums` one per warp.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(out, rows, stride)`.
pub fn sparse(at: &At<'_>, out: &mut CudaSlice<i32>, rows: u32, stride: u32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(out).arg(&rows).arg(&stride);
    // SAFETY: the kernel has these parameters; `out` has at least `rows * stride` integers.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(data, out, groups, reads)`.
pub fn copies(at: &At<'_>, data: &CudaSlice<i32>, out: &mut CudaSlice<i32>, reads: u32) -> Launched {
    let groups = u32::try_from(out.len() / 4).unwrap_or(u32::MAX);
    let mut arguments = at.arguments();
    arguments.arg(data).arg(out).arg(&groups).arg(&reads);
    // SAFETY: the kernel has these parameters; `out` has `groups` groups of four integers, and `data` `reads` times as many.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(cells, count, turns)`.
pub fn scatter(at: &At<'_>, cells: &mut CudaSlice<i32>, turns: u32) -> Launched {
    let count = u32::try_from(cells.len()).unwrap_or(u32::MAX);
    let mut arguments = at.arguments();
    arguments.arg(cells).arg(&count).arg(&turns);
    // SAFETY: the kernels have these parameters; `cells` has `count` integers, a power of two, and at most 4,096 if they are in
    // shared memory.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(data, sums, groups, turns, sharing)`.
pub fn cache(at: &At<'_>, data: &CudaSlice<i32>, sums: &mut CudaSlice<i32>, turns: u32, sharing: u32) -> Launched {
    let groups = u32::try_from(data.len() / 4).unwrap_or(u32::MAX);
    let mut arguments = at.arguments();
    arguments.arg(data).arg(sums).arg(&groups).arg(&turns).arg(&sharing);
    // SAFETY: the kernel has these parameters; `data` has `groups` groups of four integers, `sums` an integer per warp, and the grid
    // is a multiple of `sharing`, which is positive.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// The parameters of bulk copies.
pub struct Chunks {
    /// The bytes of a copy.
    pub bytes: u32,
    /// The blocks that copy the same ones.
    pub sharing: u32,
    /// Copies of a block.
    pub turns: u32,
}

/// Launches a kernel with the parameters `(data, sums, count, bytes, sharing, turns)`.
pub fn bulk(at: &At<'_>, data: &CudaSlice<i32>, sums: &mut CudaSlice<i32>, chunks: &Chunks) -> Launched {
    let count = u32::try_from(data.len()).unwrap_or(u32::MAX);
    let mut arguments = at.arguments();
    arguments.arg(data).arg(sums).arg(&count).arg(&chunks.bytes).arg(&chunks.sharing).arg(&chunks.turns);
    // SAFETY: the kernel has these parameters; `data` has `count` integers, a multiple of those of `bytes` bytes, `sums` one per
    // block, and the launch has shared memory for four copies.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(out, turns)`.
pub fn code(at: &At<'_>, out: &mut CudaSlice<f32>, turns: u32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(out).arg(&turns);
    // SAFETY: the kernel has these parameters; `out` has a float per thread of the grid, and `turns` is positive.
    unsafe { arguments.launch(at.config) }.map(drop)
}
