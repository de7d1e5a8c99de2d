//! The twins in Rust do what the kernels do.

use common::problem::matmul::{Buffers, Matmul};
use common::problem::{Launch, LaunchResult, Size};
use common::stage::Shape;
use stage_tests::kept::keep;
use stage_tests::languages::{does_the_same, takes_no_more_instructions};
use stage_tests::twins::with_work;
use stage08_matmul::{MATMUL_COALESCED, MATMUL_NAIVE, MATMUL_TILE, launch};

fn kept(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    launch::plain(launch, buffers)?;
    keep(launch.stream.clone_dtoh(&buffers.c)?.into_iter().map(f32::to_bits));
    Ok(())
}

/// One element, one more than a warp or a tile, and several tiles with a remainder.
const SIZES: [usize; 3] = [1, 33, 130];

#[test]
fn products_do_the_same() {
    for (rung, block) in [(&MATMUL_NAIVE, 256), (&MATMUL_COALESCED, 256), (&MATMUL_TILE, 1024)] {
        let kept = with_work(rung, Matmul { launch: kept });
        let shape = Shape::block(block);
        does_the_same(&kept, &SIZES.map(Size::new), shape);
        // LLVM takes one more instruction for each address of b in global memory.
        takes_no_more_instructions(&kept, &Size::new(128), shape, 0.25);
    }
}
