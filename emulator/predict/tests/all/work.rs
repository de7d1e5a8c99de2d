//! The work of a count on a multiprocessor.

use emulator::Counters;
use predict::H200;

#[test]
fn more_of_one_count_is_more_work() {
    let base = Counters { warp_instructions: 100, global_load_requests: 10, ..Counters::default() };
    let with = |change: fn(&mut Counters)| {
        let mut counters = base;
        change(&mut counters);
        H200.work(&counters)
    };
    assert_eq!(with(|_| ()), 25_000);
    assert_eq!(with(|counters| counters.shared_load_wavefronts = 7), 32_000);
    assert_eq!(with(|counters| counters.classes.special = 4), 32_000);
    let [few, many] =
        [with(|counters| counters.global_load_sectors = 40), with(|counters| counters.global_load_sectors = 320)];
    assert!(few > 35_000 && many > few + 70_000, "{few} {many}");
}
