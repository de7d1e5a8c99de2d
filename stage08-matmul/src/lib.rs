//! Stage 8: the product of two matrices, up to the rate of the vendor's library.

pub mod attention;
pub mod launch;
pub mod softmax;

use common::columns::Column;
use common::kernel_source;
use common::problem::matmul::{Bf16, Matmul, Single, TILE};
use common::stage::{Blocks, Grid, Rung, Shape, Stage};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "products of matrices, softmax and attention",
    rungs: &[
        &MATMUL_NAIVE,
        &MATMUL_COALESCED,
        &MATMUL_TILE,
        &MATMUL_REGISTER_COLUMN,
        &MATMUL_REGISTER_TILE,
        &MATMUL_VECTOR,
        &MATMUL_WARP_TILE,
        &MATMUL_ASYNC_COPY,
        &MATMUL_PREFETCH,
        &MATMUL_REGISTER_BANKS,
        &MATMUL_TALL_TILE,
        &MATMUL_TENSOR,
        &MATMUL_TENSOR_SWIZZLE,
        &MATMUL_TENSOR_PIPELINE,
        &MATMUL_TENSOR_WIDE_TILE,
        &MATMUL_TENSOR_PREFETCH,
        &MATMUL_WARPGROUP,
        &MATMUL_CLUSTER,
        &softmax::SOFTMAX_THREE_PASSES,
        &softmax::SOFTMAX_ONLINE,
        &softmax::SOFTMAX_REGISTERS,
        &softmax::SOFTMAX_PREFETCH,
        &attention::ATTENTION_THROUGH_MEMORY,
        &attention::ATTENTION_FUSED,
        &attention::ATTENTION_TENSOR,
        &attention::ATTENTION_WARPGROUP,
        &attention::ATTENTION_OVERLAP,
        &attention::ATTENTION_TURNS,
    ],
    counts: |problem| match problem {
        "G" => &[Column::SectorsPerLoad, Column::Instructions],
        "G16" => &[Column::ConflictsPerLoad, Column::Instructions],
        _ => &[Column::Traffic, Column::Instructions],
    },
    read_on: "cargo run -p book, Stage 8; diff each file of stage08-matmul/kernels with the one before",
};

/// Problem G: one thread an element, neighboring threads in neighboring rows.
pub static MATMUL_NAIVE: Rung = Rung {
    grid: Grid::Computed(launch::columns),
    block: 256,
    blocks: Blocks::MultiplesOf(32),
    sweep: &[Shape::block(128), Shape::block(256), Shape::block(512), Shape::block(1024)],
    ..Rung::new("matmulNaive", kernel_source!("01_matmul_naive", rust), &Matmul { launch: launch::plain })
};

/// Problem G: neighboring threads in neighboring columns.
pub static MATMUL_COALESCED: Rung = Rung {
    grid: Grid::Computed(launch::rows),
    ..MATMUL_NAIVE.next("matmulCoalesced", kernel_source!("02_matmul_coalesced", rust))
};

/// Problem G: tiles of both factors in shared memory.
pub static MATMUL_TILE: Rung = Rung {
    grid: Grid::Computed(launch::tiles::<32>),
    block: 1024,
    blocks: Blocks::OneOf(&[1024]),
    sweep: &[],
    below: Some(&MATMUL_COALESCED),
    ..MATMUL_NAIVE.with_kernel("matmulTile", kernel_source!("03_matmul_tile", rust))
};

/// Problem G: eight elements of a column per thread, in registers.
pub static MATMUL_REGISTER_COLUMN: Rung = Rung {
    grid: Grid::Computed(launch::tiles::<64>),
    block: 512,
    blocks: Blocks::OneOf(&[512]),
    ..MATMUL_TILE.next("matmulRegisterColumn", kernel_source!("04_matmul_register_column"))
};

/// Problem G: 8 x 8 elements per thread.
pub static MATMUL_REGISTER_TILE: Rung = Rung {
    grid: Grid::Computed(launch::tiles::<128>),
    block: 256,
    blocks: Blocks::OneOf(&[256]),
    below: Some(&MATMUL_REGISTER_COLUMN),
    ..MATMUL_TILE.with_kernel("matmulRegisterTile", kernel_source!("05_matmul_register_tile"))
};

/// Problem G: loads and stores of 16 bytes, of matrices padded to whole tiles.
pub static MATMUL_VECTOR: Rung = Rung {
    work: &Matmul { launch: launch::padded::<Single, TILE> },
    ..MATMUL_REGISTER_TILE.next("matmulVector", kernel_source!("06_matmul_vector"))
};

/// Problem G: a tile per warp, without bank conflicts.
pub static MATMUL_WARP_TILE: Rung = MATMUL_VECTOR.next("matmulWarpTile", kernel_source!("07_matmul_warp_tile"));

/// Problem G: asynchronous copies fill the next tiles while the warps compute.
pub static MATMUL_ASYNC_COPY: Rung = Rung {
    below: Some(&MATMUL_WARP_TILE),
    ..MATMUL_VECTOR.with_kernel("matmulAsyncCopy", kernel_source!("08_matmul_async_copy"))
};

/// Problem G: a term's words are loaded while those of the term before are multiplied.
pub static MATMUL_PREFETCH: Rung = Rung {
    below: Some(&MATMUL_ASYNC_COPY),
    ..MATMUL_VECTOR.with_kernel("matmulPrefetch", kernel_source!("09_matmul_prefetch"))
};

/// Problem G: stores and an order of multiply-adds that suit the banks of the register file.
pub static MATMUL_REGISTER_BANKS: Rung = Rung {
    below: Some(&MATMUL_PREFETCH),
    ..MATMUL_VECTOR.with_kernel("matmulRegisterBanks", kernel_source!("10_matmul_register_banks"))
};

/// Problem G: 16 x 8 elements per thread.
pub static MATMUL_TALL_TILE: Rung = Rung {
    block: 128,
    blocks: Blocks::OneOf(&[128]),
    below: Some(&MATMUL_REGISTER_BANKS),
    ..MATMUL_VECTOR.with_kernel("matmulTallTile", kernel_source!("11_matmul_tall_tile"))
};

/// Problem G16: products of matrices on tensor cores.
pub static MATMUL_TENSOR: Rung = Rung {
    grid: Grid::Computed(launch::tiles::<128>),
    block: 256,
    blocks: Blocks::OneOf(&[256]),
    ..Rung::new("matmulTensor", kernel_source!("12_matmul_tensor"), &Matmul { launch: launch::padded::<Bf16, 128> })
};

/// Problem G16: matrices loaded from shared memory as such, without bank conflicts.
pub static MATMUL_TENSOR_SWIZZLE: Rung =
    MATMUL_TENSOR.next("matmulTensorSwizzle", kernel_source!("13_matmul_tensor_swizzle"));

/// Problem G16: three stages of asynchronous copies.
pub static MATMUL_TENSOR_PIPELINE: Rung = Rung {
    // three tiles of 128 x 64 numbers of each factor
    shared_bytes_per_thread: 3 * 2 * 128 * 64 * 2 / 256,
    below: Some(&MATMUL_TENSOR_SWIZZLE),
    ..MATMUL_TENSOR.with_kernel("matmulTensorPipeline", kernel_source!("14_matmul_tensor_pipeline"))
};

/// Problem G16: 64 x 64 elements per warp, and 128 x 256 per block.
pub static MATMUL_TENSOR_WIDE_TILE: Rung = Rung {
    grid: Grid::Computed(launch::wide_tiles::<128, 256>),
    work: &Matmul { launch: launch::padded::<Bf16, 256> },
    // three tiles of 64 terms for 128 rows and 256 columns
    shared_bytes_per_thread: 3 * 64 * (128 + 256) * 2 / 256,
    below: Some(&MATMUL_TENSOR_PIPELINE),
    ..MATMUL_TENSOR.with_kernel("matmulTensorWideTile", kernel_source!("15_matmul_tensor_wide_tile"))
};

/// Problem G16: factors loaded a step ahead, between the products.
pub static MATMUL_TENSOR_PREFETCH: Rung =
    MATMUL_TENSOR_WIDE_TILE.next("matmulTensorPrefetch", kernel_source!("16_matmul_tensor_prefetch"));

/// Problem G16: tensor maps copy whole tiles, and warpgroups multiply them in shared memory.
pub static MATMUL_WARPGROUP: Rung = Rung {
    grid: Grid::Computed(launch::block_per_multiprocessor),
    block: 384,
    blocks: Blocks::OneOf(&[384]),
    // four tiles of 64 terms for 128 rows and 256 columns, and two barriers for each
    shared_bytes_per_thread: (4_u32 * (64 * (128 + 256) * 2 + 2 * 8)).div_ceil(384),
    below: Some(&MATMUL_TENSOR_PREFETCH),
    ..Rung::new("matmulWarpgroup", kernel_source!("17_matmul_warpgroup"), &Matmul { launch: launch::mapped::<4> })
};

/// Problem G16: copies that write to both blocks of a cluster.
pub static MATMUL_CLUSTER: Rung = Rung {
    grid: Grid::Computed(launch::cluster_per_two_multiprocessors),
    work: &Matmul { launch: launch::clusters },
    ..MATMUL_WARPGROUP.next("matmulCluster", kernel_source!("18_matmul_cluster"))
};
