//! The errors of estimates in the book are those of today's model, kernels and records.

use book::estimates::{rows, written};
use std::path::Path;

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_written_estimates_are_those_of_the_model() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (rows, written) = (rows(book).unwrap(), written(book).unwrap());
    assert_eq!(rows.len(), written.len());
    for (row, written) in rows.iter().zip(&written) {
        assert_eq!(row, written, "`cargo run -p book -- estimates` writes book/estimates.json");
    }
}
