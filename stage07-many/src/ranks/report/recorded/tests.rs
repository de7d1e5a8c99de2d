//! The record in `results`, and what other kernels have in place of it.

use super::*;
use crate::STRATEGIES;

fn h200() -> Vec<Recorded> {
    read(Gpu::from_id("h200").expect("a model of it"))
}

#[test]
fn every_strategy_as_shipped_has_recorded_times() {
    for strategy in STRATEGIES {
        let found = find(&h200(), strategy, false).map(|record| (record.ranks, record.device));
        assert_eq!(found, Ok((2, "NVIDIA H200".into())), "{}", strategy.name());
    }
}

#[test]
fn other_kernels_have_a_reason_of_at_most_five_words() {
    let strategy = STRATEGIES[0];
    let mut older = h200();
    older.iter_mut().for_each(|record| record.kernel_sha256 = Some("12ab".into()));
    let reasons = [find(&older, strategy, false), find(&h200(), strategy, true), find(&[], strategy, false)];
    let reasons = reasons.map(|found| found.map(|record| record.size));
    let missing = Err("not recorded on this GPU");
    assert_eq!(reasons, [Err("an older version is recorded"), missing, missing]);
}
