//! The twins in Rust do what the kernels do.

use common::problem::convolution::RADIUS;
use common::problem::sparse::MATRIX;
use common::problem::{Parameters, Size};
use common::stage::{Rung, Shape};
use stage_tests::languages::{SIZES, does_the_same, takes_no_more_instructions};
use stage_tests::results::shapes;
use stage09_patterns::STAGE;
use stage09_patterns::sparse::SPARSE_MERGE;

#[test]
fn histograms_do_the_same() {
    for rung in STAGE.rungs.iter().filter(|rung| rung.work.facts().letter == "K") {
        does_the_same(rung, &SIZES.map(Size::new), Shape::grid(3, 128));
        takes_no_more_instructions(rung, &Size::new(1 << 16), Shape::grid(2, 128), 0.05);
    }
}

/// Returns the rungs of problems J and Q.
fn scans() -> impl Iterator<Item = &'static Rung> {
    STAGE.rungs.iter().copied().filter(|rung| ["J", "Q"].contains(&rung.work.facts().letter))
}

#[test]
fn scans_do_the_same() {
    for rung in scans() {
        does_the_same(rung, &[33, 5001].map(Size::new), Shape::block(256));
        takes_no_more_instructions(rung, &Size::new(1 << 13), Shape::block(256), 0.1);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn scans_do_the_same_at_every_size_and_block() {
    for rung in scans() {
        shapes(rung).into_iter().for_each(|shape| does_the_same(rung, &SIZES.map(Size::new), shape));
        does_the_same(rung, &[Size::new(20_001)], Shape::block(256));
        takes_no_more_instructions(rung, &Size::new(1 << 16), Shape::block(256), 0.1);
    }
}

/// Returns the rungs of problems L and P.
fn sorts() -> impl Iterator<Item = &'static Rung> {
    STAGE.rungs.iter().copied().filter(|rung| ["L", "P"].contains(&rung.work.facts().letter))
}

#[test]
fn sorts_do_the_same() {
    for rung in sorts().filter(|rung| ["sortLocal", "sortOneSweep", "sortPairs"].contains(&rung.kernel)) {
        does_the_same(rung, &[Size::new(33)], Shape::block(rung.block));
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn sorts_do_the_same_at_every_size_and_block() {
    for rung in sorts() {
        shapes(rung).into_iter().for_each(|shape| does_the_same(rung, &SIZES.map(Size::new), shape));
        // In Rust a vote for each bit of a digit has no inverted form.
        let share = if ["sortOneSweep", "sortPairs"].contains(&rung.kernel) { 0.2 } else { 0.1 };
        takes_no_more_instructions(rung, &Size::new(20_001), Shape::block(rung.block), share);
    }
}

/// Loops of a few instructions, in which a check of bounds and an address of its own for each array show.
const SHORT_LOOPS: [&str; 2] = ["sparseRowPerThread", "sparseRowPerGroup"];

#[test]
fn products_do_the_same() {
    let sized = |n, kind: u32| Size { parameters: Parameters::default().with(MATRIX, kind), ..Size::new(n) };
    for rung in STAGE.rungs.iter().filter(|rung| rung.work.facts().letter == "N") {
        let sizes = SIZES.map(|n| sized(n, 0)).into_iter().chain([sized(1025, 3)]);
        does_the_same(rung, &sizes.collect::<Vec<_>>(), Shape::block(rung.block));
        let share = if SHORT_LOOPS.contains(&rung.kernel) { 0.65 } else { 0.05 };
        takes_no_more_instructions(rung, &sized(2048, 0), Shape::block(rung.block), share);
    }
    does_the_same(&SPARSE_MERGE, &[sized(12_001, 3)], Shape::block(512));
}

#[test]
fn heat_does_the_same() {
    for rung in STAGE.rungs.iter().filter(|rung| rung.work.facts().letter == "M") {
        does_the_same(rung, &[1, 33, 130].map(Size::new), Shape::block(256));
        takes_no_more_instructions(rung, &Size::new(256), Shape::block(256), 0.1);
    }
}

#[test]
fn convolutions_do_the_same() {
    for rung in STAGE.rungs.iter().filter(|rung| rung.work.facts().letter == "O") {
        for radius in [1, 3] {
            let size = |n| Size { parameters: Parameters::default().with(RADIUS, radius), ..Size::new(n) };
            does_the_same(rung, &[1, 33, 130].map(size), Shape::block(rung.block));
            takes_no_more_instructions(rung, &size(128), Shape::block(rung.block), 0.15);
        }
    }
}
