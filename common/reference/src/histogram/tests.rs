//! Honest counts pass, wrong ones fail.

use super::*;
use crate::SIZES_AROUND_WARPS;

fn bytes(n: usize, skew: u32) -> Bytes {
    Bytes::new(&Size { parameters: Parameters::default().with(SKEW, skew), ..Size::new(n) })
}

#[test]
fn honest_bins_pass_at_every_size() {
    for n in SIZES_AROUND_WARPS {
        assert!(bytes(n, 0).check(&count(&bytes(n, 0).data)).passed(), "n = {n}");
    }
}

#[test]
fn few_bytes_are_counted_as_a_reader_does() {
    let some = Bytes { data: vec![3, 255, 3, 0, 3], expected: OnceLock::new() };
    let mut bins = vec![0; BINS];
    (bins[0], bins[3], bins[255]) = (1, 3, 1);
    assert!(some.check(&bins).passed());
}

#[test]
fn a_lost_byte_one_in_another_bin_and_a_missing_bin_fail() {
    let some = bytes(1025, 0);
    let good = count(&some.data);
    let place = usize::from(some.data[7]);
    let mut lost = good.clone();
    lost[place] -= 1;
    assert_eq!(some.check(&lost).failed, 1);
    lost[(place + 1) % BINS] += 1;
    assert_eq!(some.check(&lost).failed, 2);
    assert!(!some.check(&good[..BINS - 1]).passed());
}

#[test]
fn the_skew_is_the_share_of_equal_bytes() {
    let n = 3 * PART + 5;
    let share = |skew| {
        let found = bytes(n, skew).data.iter().filter(|&&byte| byte == FREQUENT).count();
        100.0 * found as f64 / n as f64
    };
    // A percentage is rounded up to 256ths. Five times the standard deviation of n draws is less than 0.6 %.
    let expected = |skew: f64| (skew * 2.56).ceil() / 2.56;
    for skew in [0, 1, 50, 99] {
        let equal = expected(skew.into());
        let uniform = (100.0 - equal) / 256.0;
        assert!((share(skew) - equal - uniform).abs() < 0.6, "{skew} %: {}", share(skew));
    }
    assert!(bytes(n, 100).data.iter().all(|&byte| byte == FREQUENT));
}

#[test]
fn parts_differ_and_every_value_occurs() {
    let some = bytes(2 * PART, 0);
    assert_ne!(some.data[..PART], some.data[PART..]);
    assert!(some.expected().iter().all(|&bin| bin > 0));
}
