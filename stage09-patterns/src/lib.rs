//! Stage 9: patterns of parallel programs: results that threads share, and neighbors that they share.

pub mod convolution;
pub mod heat;
pub mod histogram;
pub mod scan;
pub mod sort;
pub mod sparse;

use common::columns::Column;
use common::stage::Stage;

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "patterns of parallel programs",
    rungs: &[
        &scan::SCAN_HILLIS_STEELE,
        &scan::SCAN_WORK_EFFICIENT,
        &scan::SCAN_SHUFFLE,
        &scan::SCAN_VECTOR,
        &scan::SCAN_LOOK_BACK,
        &scan::SCAN_INCLUSIVE,
        &histogram::HISTOGRAM_GLOBAL,
        &histogram::HISTOGRAM_SHARED,
        &histogram::HISTOGRAM_PER_WARP,
        &histogram::HISTOGRAM_VECTOR,
        &histogram::HISTOGRAM_PER_BANK,
        &histogram::HISTOGRAM_TWO_LOADS,
        &sort::SORT_SPLIT,
        &sort::SORT_DIGITS,
        &sort::SORT_LOCAL,
        &sort::SORT_ONE_SWEEP,
        &sort::SORT_PAIRS,
        &heat::HEAT_DIRECT,
        &heat::HEAT_SHARED,
        &heat::HEAT_ROWS,
        &heat::HEAT_TWO_STEPS,
        &sparse::SPARSE_ROW_PER_THREAD,
        &sparse::SPARSE_ROW_PER_WARP,
        &sparse::SPARSE_ROW_PER_GROUP,
        &sparse::SPARSE_FOUR_IN_FLIGHT,
        &sparse::SPARSE_STREAMING,
        &sparse::SPARSE_MERGE,
        &sparse::SPARSE_SEGMENTS,
        &convolution::CONVOLUTION_DIRECT,
        &convolution::CONVOLUTION_SHARED,
        &convolution::CONVOLUTION_REGISTERS,
    ],
    counts: |letter| match letter {
        "J" | "Q" => &[Column::Traffic, Column::Barriers, Column::Instructions],
        "M" | "O" => &[Column::Traffic, Column::SectorsPerLoad, Column::Instructions],
        "N" => &[Column::Traffic, Column::Lanes, Column::Instructions],
        _ => &[Column::ConflictsPerAtomic, Column::Traffic, Column::Instructions],
    },
    read_on: "cargo run -p book, Stage 9; diff each file of stage09-patterns/kernels with the one before",
};
