//! The twins in Rust do what the kernels do.

use common::problem::Size;
use common::stage::Shape;
use stage_tests::languages::{does_the_same, takes_no_more_instructions};
use stage08_matmul::{MATMUL_COALESCED, MATMUL_NAIVE, MATMUL_TILE};

/// One element, one more than a warp or a tile, and several tiles with a remainder.
const SIZES: [usize; 3] = [1, 33, 130];

#[test]
fn products_do_the_same() {
    for (rung, block) in [(&MATMUL_NAIVE, 256), (&MATMUL_COALESCED, 256), (&MATMUL_TILE, 1024)] {
        let shape = Shape::block(block);
        does_the_same(rung, &SIZES.map(Size::new), shape);
        // LLVM takes one more instruction for each address of b in global memory.
        takes_no_more_instructions(rung, &Size::new(128), shape, 0.25);
    }
}
