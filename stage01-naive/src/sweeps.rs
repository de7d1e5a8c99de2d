//! The launch shapes that the tutorial of problem A tries.

use common::stage::Shape;

/// Block sizes of kernels whose grid follows from n.
pub static SWEEP_OF_BLOCKS: [Shape; 6] =
    [Shape::block(1024), Shape::block(512), Shape::block(256), Shape::block(128), Shape::block(64), Shape::block(32)];

/// Grids and block sizes of grid-stride kernels: as many threads as bodies, half as many, and a quarter.
pub static SWEEP_OF_GRIDS: [Shape; 18] = [
    Shape::grid(16, 1024),
    Shape::grid(8, 1024),
    Shape::grid(4, 1024),
    Shape::grid(32, 512),
    Shape::grid(16, 512),
    Shape::grid(8, 512),
    Shape::grid(64, 256),
    Shape::grid(32, 256),
    Shape::grid(16, 256),
    Shape::grid(128, 128),
    Shape::grid(64, 128),
    Shape::grid(32, 128),
    Shape::grid(256, 64),
    Shape::grid(128, 64),
    Shape::grid(64, 64),
    Shape::grid(512, 32),
    Shape::grid(256, 32),
    Shape::grid(128, 32),
];
