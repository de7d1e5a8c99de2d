//! Honest sums pass, wrong ones fail.

use super::*;
use crate::SIZES_AROUND_WARPS;

fn partials(values: &Values, block: usize) -> Vec<i32> {
    values.data.chunks(block).map(|slice| slice.iter().sum()).collect()
}

#[test]
fn honest_sums_pass_at_every_size() {
    for n in SIZES_AROUND_WARPS {
        let values = Values::new(&Size { seed: 7, ..Size::new(n) });
        assert!(values.check(&partials(&values, 128), Some(128)).passed(), "n = {n}");
        assert!(values.check(&partials(&values, 128), None).passed(), "n = {n}");
    }
}

#[test]
fn the_exact_sum_of_few_values_is_that_of_its_values() {
    let values = Values { data: vec![127, -3, 40], sum: 164 };
    assert!(values.check(&[164], Some(128)).passed());
    assert!(!values.check(&[163], Some(128)).passed());
}

#[test]
fn a_missing_value_a_swapped_block_and_a_short_output_fail() {
    let values = Values::new(&Size { seed: 7, ..Size::new(1025) });
    let good = partials(&values, 128);
    let mut wrong = good.clone();
    wrong[3] -= values.data[3 * 128].max(1);
    assert!(!values.check(&wrong, Some(128)).passed());
    let mut swapped = good.clone();
    swapped.rotate_left(1);
    assert!(!values.check(&swapped, Some(128)).passed());
    assert!(!values.check(&good[..good.len() - 1], Some(128)).passed());
    assert!(!values.check(&vec![poison_i32(); good.len()], Some(128)).passed());
    assert!(!values.check(&vec![0; good.len()], Some(128)).passed());
}

#[test]
fn sums_beyond_32_bits_are_taken_modulo() {
    assert_eq!(modulo_32_bits((1 << 32) - 5), -5);
    assert_eq!(modulo_32_bits(i64::from(i32::MAX) + 1), i32::MIN);
}

#[test]
fn no_order_of_adding_the_published_size_leaves_32_bits() {
    assert!(i64::from(LARGEST) * (1 << 24) <= i64::from(i32::MAX));
}

#[test]
fn the_partial_sums_that_were_written_are_compared() {
    let values = Values::new(&Size { seed: 7, ..Size::new(1025) });
    let good = partials(&values, 128);
    let failed = |place: usize, partial: i32| {
        let mut partials = vec![poison_i32(); 9];
        [0, 4, 8].into_iter().for_each(|block| partials[block] = good[block]);
        partials[place] = partial;
        values.check_written(&partials, 128, 3).failed
    };
    let cases = [(8, good[8]), (4, good[4] + 1), (4, poison_i32()), (5, good[5] + 1), (5, good[5])];
    assert_eq!(cases.map(|(place, partial)| failed(place, partial)), [0, 1, 1, 2, 1]);
}
