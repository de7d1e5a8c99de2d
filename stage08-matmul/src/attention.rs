//! The rungs of problem I, attention, with their launches.

use common::kernel_source;
use common::problem::attention::{Attention, Buffers, Element, HEAD_SIZES, Heads, Mapped, WithScores};
use common::problem::{Launch, LaunchResult, Size, as_u32};
use common::stage::{Blocks, Entry, Grid, Rung};
use cudarc::driver::PushKernelArg;

/// Problem I: scores go through memory.
pub static ATTENTION_THROUGH_MEMORY: Rung = Rung {
    entry: per_head_size("attentionThroughMemory"),
    grid: Grid::Computed(tiles::<64>),
    block: 256,
    blocks: Blocks::OneOf(&[256]),
    shared_bytes_per_thread: 272,
    ..Rung::new(
        "attentionThroughMemory",
        kernel_source!("31_attention_through_memory"),
        &Attention { launch: through_memory },
    )
};

/// Problem I: one loop over the keys, with an online softmax.
pub static ATTENTION_FUSED: Rung = Rung {
    work: &Attention { launch: fused::<f32> },
    shared_bytes_per_thread: 340,
    ..ATTENTION_THROUGH_MEMORY.next("attentionFused", kernel_source!("32_attention_fused"))
};

/// Problem I of bf16: tensor cores compute both products.
pub static ATTENTION_TENSOR: Rung = Rung {
    work: &Attention { launch: fused::<u16> },
    block: 128,
    blocks: Blocks::OneOf(&[128]),
    shared_bytes_per_thread: 272,
    ..ATTENTION_FUSED.next("attentionTensor", kernel_source!("33_attention_tensor"))
};

/// Problem I of bf16: warpgroups multiply tiles in shared memory, which a thread copies by tensor maps.
pub static ATTENTION_WARPGROUP: Rung = Rung {
    work: &Attention { launch: mapped },
    grid: Grid::Computed(tiles::<128>),
    block: 384,
    blocks: Blocks::OneOf(&[384]),
    // the queries and two tiles of keys and of values, of 128 positions of 128 numbers of bf16, and nine barriers
    shared_bytes_per_thread: (5_u32 * 128 * 128 * 2 + 9 * 8).div_ceil(384),
    ..ATTENTION_TENSOR.next("attentionWarpgroup", kernel_source!("34_attention_warpgroup"))
};

/// Problem I of bf16: a warpgroup's products and exponentials overlap.
pub static ATTENTION_OVERLAP: Rung =
    ATTENTION_WARPGROUP.next("attentionOverlap", kernel_source!("35_attention_overlap"));

/// Problem I of bf16: two warpgroups take turns with their products.
pub static ATTENTION_TURNS: Rung = Rung {
    below: Some(&ATTENTION_OVERLAP),
    ..ATTENTION_WARPGROUP.with_kernel("attentionTurns", kernel_source!("36_attention_turns"))
};

/// Returns the entry points of a kernel whose code depends on the elements of a head.
const fn per_head_size(prefix: &'static str) -> Entry {
    Entry::PerOption { prefix, option: "head-size", values: HEAD_SIZES }
}

/// Returns a block for each tile of `TILE` queries of each head.
fn tiles<const TILE: u32>(size: &Size, _: u32) -> [u32; 3] {
    [as_u32(size.n).div_ceil(TILE), as_u32(Heads::from_parameters(&size.parameters).count), 1]
}

/// Launches a kernel with the parameters `(q, k, v, outputs, scores, n, causal)`.
pub fn through_memory(launch: &Launch, data: &mut WithScores) -> LaunchResult {
    let WithScores { buffers, scores } = data;
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&buffers.q).arg(&buffers.k).arg(&buffers.v).arg(&mut buffers.outputs).arg(scores);
    arguments.arg(&buffers.n).arg(&buffers.causal);
    // SAFETY: the kernel has these parameters; there are n rows of each head, of as many elements as the entry point's name
    // says, and a row of scores for each. No thread goes past row n of its head, or past the padding of a row of scores.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(q, k, v, outputs, n, causal)`, with inputs of `E`.
pub fn fused<E: Element>(launch: &Launch, data: &mut Buffers<E>) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.q).arg(&data.k).arg(&data.v).arg(&mut data.outputs).arg(&data.n).arg(&data.causal);
    // SAFETY: the kernels have these parameters; there are n rows of each head, of as many elements as the entry point's name
    // says, and no thread goes past row n of its head.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the same parameters, of which the inputs are tensor maps.
pub fn mapped(launch: &Launch, data: &mut Mapped) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    let buffers = &mut data.buffers;
    arguments.arg(&data.q).arg(&data.k).arg(&data.v).arg(&mut buffers.outputs).arg(&buffers.n).arg(&buffers.causal);
    // SAFETY: as above; the maps describe the inputs, which `buffers` keeps.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
