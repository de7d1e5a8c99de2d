//! The costs of single accesses by a warp, and the sources of shuffles, without a launch.

use emulator::{ShuffleMode, WarpAccess, shuffle_sources};

/// Returns the sectors, and the wavefronts with the conflicts among them, of a load with this stride in bytes.
fn load(stride: u64, bytes: u32) -> (u64, (u64, u64)) {
    let addresses = std::array::from_fn(|lane| lane as u64 * stride);
    let access = WarpAccess { addresses: &addresses, active: u32::MAX, bytes };
    (access.sectors(), access.wavefronts(true))
}

#[test]
fn adjacent_lanes_share_sectors_and_a_stride_of_32_words_hits_one_bank() {
    assert_eq!(load(4, 4), (4, (1, 0)));
    assert_eq!(load(128, 4), (32, (32, 31)));
    assert_eq!(load(132, 4).1, (1, 0));
    assert_eq!(load(0, 4), (1, (1, 0)));
}

#[test]
fn an_access_without_active_lanes_costs_nothing() {
    let access = WarpAccess { addresses: &[0; 32], active: 0, bytes: 4 };
    assert_eq!((access.sectors(), access.wavefronts(false)), (0, (0, 0)));
}

#[test]
fn shuffles_stay_in_their_segment() {
    let down = shuffle_sources(ShuffleMode::Down, 1, 8);
    assert_eq!((down[0], down[7], down[8]), ((1, true), (7, false), (9, true)));
    assert_eq!(shuffle_sources(ShuffleMode::Up, 1, 32)[0], (0, false));
    assert_eq!(shuffle_sources(ShuffleMode::Butterfly, 16, 32)[3], (19, true));
    assert_eq!(shuffle_sources(ShuffleMode::Index, 5, 16)[20], (21, true));
}
