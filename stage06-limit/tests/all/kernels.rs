//! Every kernel of the stage, on whichever device there is, at sizes around a warp, a tile and a block.

use common::stage::Shape;
use stage_tests::planes::each_report;
use stage_tests::results::{passes, ptx_is_of_the_sources, run};
use stage06_limit::{
    COULOMB_SOFTWARE_ROOT, COULOMB_SPLIT_ATOMS, COULOMB_TILE, FORCES_FAST_ROOT, FORCES_FLOAT4, FORCES_MIXED_ROOTS,
    FORCES_MIXED_ROOTS_SHARED, FORCES_REGISTER_TILE, FORCES_SPLIT_SOURCES, FORCES_TENSOR_CORES, FORCES_THIRD_LAW,
    FORCES_THIRD_LAW_SHARED, FORCES_THIRD_LAW_VECTOR, GALAXY_MIXED_ROOTS, GALAXY_THIRD_LAW, PERIODIC_ARRAYS,
    PERIODIC_FRACTIONS, PERIODIC_FUSED, PERIODIC_GRAPH, PERIODIC_PERSISTENT, REDUCE_ASYNC_COPY, REDUCE_BULK_COPY,
    REDUCE_GRID_STRIDE, REDUCE_INTERLEAVED, REDUCE_ONE_PASS, REDUCE_STREAMING, REDUCE_VECTOR, STAGE,
};

#[test]
fn forces_are_right_at_every_size_and_block() {
    for rung in [&FORCES_FLOAT4, &FORCES_REGISTER_TILE, &FORCES_SPLIT_SOURCES, &FORCES_FAST_ROOT] {
        passes(rung, &[64, 128, 256, 512].map(Shape::block));
    }
}

#[test]
fn forces_by_the_third_law_are_right_at_every_size_and_block() {
    for rung in [
        &FORCES_THIRD_LAW,
        &FORCES_THIRD_LAW_SHARED,
        &FORCES_THIRD_LAW_VECTOR,
        &FORCES_MIXED_ROOTS,
        &FORCES_MIXED_ROOTS_SHARED,
    ] {
        passes(rung, &[32, 64, 128, 256].map(Shape::block));
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn forces_by_tensor_cores_are_right_at_larger_sizes() {
    let judge = |what: &str, report: common::verify::Report| assert!(report.passed(), "{what}: {report:?}");
    run(&FORCES_TENSOR_CORES, &[2049, 4096], &[Shape::block(128)], judge);
}

#[test]
fn forces_by_tensor_cores_are_right_at_every_size() {
    passes(&FORCES_TENSOR_CORES, &[Shape::block(128)]);
}

#[test]
fn every_rung_of_the_stage_has_its_prebuilt_ptx() {
    ptx_is_of_the_sources(STAGE.rungs);
}

#[test]
fn steps_in_the_box_are_right_at_every_size() {
    passes(&PERIODIC_ARRAYS, &[Shape::block(256)]);
    passes(&PERIODIC_FRACTIONS, &[Shape::block(256)]);
    passes(&PERIODIC_FUSED, &[Shape::block(1024)]);
    passes(&PERIODIC_GRAPH, &[Shape::block(1024)]);
    passes(&PERIODIC_PERSISTENT, &[Shape::block(1024)]);
}

#[test]
fn steps_of_the_galaxy_are_right_at_every_size_and_block() {
    for rung in [&GALAXY_THIRD_LAW, &GALAXY_MIXED_ROOTS] {
        passes(rung, &[32, 64, 128, 256].map(Shape::block));
    }
}

const TREES: [Shape; 5] =
    [Shape::block(64), Shape::block(128), Shape::block(256), Shape::block(512), Shape::block(1024)];

#[test]
fn sums_with_a_block_per_slice_are_right_at_every_size_and_block() {
    for rung in [&REDUCE_INTERLEAVED, &REDUCE_VECTOR] {
        passes(rung, &TREES);
    }
}

#[test]
fn sums_in_a_grid_stride_loop_are_right_with_more_and_fewer_threads_than_values() {
    let shapes = [(1, 64), (7, 64), (2, 128), (5, 256), (1, 512), (3, 1024)];
    for rung in [&REDUCE_GRID_STRIDE, &REDUCE_ONE_PASS, &REDUCE_STREAMING] {
        passes(rung, &shapes.map(|(grid, block)| Shape::grid(grid, block)));
    }
}

#[test]
fn sums_of_asynchronous_copies_are_right_with_more_and_fewer_threads_than_values() {
    passes(&REDUCE_ASYNC_COPY, &[(1, 64), (7, 64), (2, 128), (5, 256), (3, 512)].map(|(g, b)| Shape::grid(g, b)));
    let around_chunks = [4095, 4096, 4097, 5 * 4096, 40_000];
    let judge = |what: &str, report: common::verify::Report| assert!(report.passed(), "{what}: {report:?}");
    for rung in [&REDUCE_ASYNC_COPY, &REDUCE_BULK_COPY] {
        run(rung, &around_chunks, &[Shape::grid(1, 256), Shape::grid(2, 256), Shape::grid(7, 256)], judge);
    }
    passes(&REDUCE_BULK_COPY, &[Shape::grid(1, 256), Shape::grid(7, 256)]);
}

#[test]
fn potentials_are_right_at_every_size() {
    let judge = |what: &str, report: common::verify::Report| assert!(report.passed(), "{what}: {report:?}");
    for rung in [&COULOMB_TILE, &COULOMB_SPLIT_ATOMS, &COULOMB_SOFTWARE_ROOT] {
        each_report(rung, &[(1, 1), (1, 129), (129, 1), (127, 65), (128, 64)], &[1, 31, 33], Shape::block(128), judge);
        each_report(rung, &[(7, 7), (129, 7)], &[255, 256, 257, 2049], Shape::block(128), judge);
    }
}
