//! Honest products pass, wrong ones fail.

use super::*;
use crate::verify::poison_f32;
use crate::verify::tests::require_written;

/// Sizes around a warp and a tile.
const SIZES: [usize; 7] = [1, 2, 31, 33, 127, 128, 129];

/// Matrices, and their product in single precision with the terms in this order.
fn both<P: Precision>(n: usize, terms: impl Fn(usize) -> usize) -> (Matrices<P>, Vec<f32>) {
    let matrices = Matrices::<P>::new(&Size::new(n));
    let element = |place: usize| {
        let row = place / n;
        let column = place % n;
        (0..n).map(&terms).fold(0.0, |sum, k| sum + matrices.a[row * n + k] * matrices.b[k * n + column])
    };
    let product = (0..n * n).map(element).collect();
    (matrices, product)
}

#[test]
fn honest_products_pass_at_every_size_in_any_order() {
    for n in SIZES {
        passes(n, both::<Single>(n, |k| k));
        passes(n, both::<Single>(n, |k| n - 1 - k));
        passes(n, both::<Bf16>(n, |k| k));
        passes(n, both::<Bf16>(n, |k| n - 1 - k));
    }
}

fn passes<P: Precision>(n: usize, (matrices, product): (Matrices<P>, Vec<f32>)) {
    let report = matrices.check(&product);
    assert!(report.passed() && report.compared == n * n, "n = {n}: {report:?}");
}

#[test]
fn a_product_of_two_by_two_is_what_one_writes_down() {
    let a = vec![1.0, 2.0, 3.0, 4.0];
    let b = vec![5.0, 6.0, 7.0, 8.0];
    let matrices: Matrices = Matrices { a, b, ..Matrices::new(&Size::new(2)) };
    assert!(matrices.check(&[19.0, 22.0, 43.0, 50.0]).passed());
    assert_eq!(matrices.check(&[23.0, 34.0, 31.0, 46.0]).failed, 4);
}

#[test]
fn entries_are_of_both_signs_and_the_factors_differ() {
    let Matrices::<Single> { a, b, .. } = Matrices::new(&Size::new(64));
    for factor in [&a, &b] {
        assert!(factor.iter().all(|entry| (-1.0..1.0).contains(entry)));
        assert!(factor.iter().any(|&entry| entry < -0.9) && factor.iter().any(|&entry| entry > 0.9));
    }
    assert_ne!(a, b);
}

#[test]
fn wrong_products_fail() {
    let (matrices, good) = both::<Single>(33, |k| k);
    let changed = |change: fn(&mut Vec<f32>)| {
        let mut wrong = good.clone();
        change(&mut wrong);
        matrices.check(&wrong)
    };
    assert!(changed(|_| ()).passed());
    assert!(changed(|wrong| wrong[..66].rotate_left(33)).failed >= 60);
    assert_eq!(changed(|wrong| wrong[40] = poison_f32()).failed, 1);
    assert_eq!(changed(|wrong| wrong[40] += 1e-4).failed, 1);
    assert!(!changed(|wrong| _ = wrong.pop()).passed());
}

#[test]
fn a_product_without_its_last_term_fails() {
    let (matrices, product) = both::<Single>(128, |k| if k == 127 { 0 } else { k });
    assert!(matrices.check(&product).failed > 128 * 100);
    let (matrices, product) = both::<Bf16>(128, |k| if k == 127 { 0 } else { k });
    assert!(matrices.check(&product).failed > 128 * 100);
}

#[test]
fn entries_of_bf16_are_the_nearest_with_ties_to_even() {
    let bits = [0x3F80_0000, 0x3F80_7FFF, 0x3F80_8000, 0x3F80_8001, 0x3F81_8000, 0xBF7F_FFFF, 0x8000_0000];
    let rounded = bits.map(|bits| Bf16::round(f32::from_bits(bits)).to_bits());
    assert_eq!(rounded, [0x3F80_0000, 0x3F80_0000, 0x3F80_0000, 0x3F81_0000, 0x3F82_0000, 0xBF80_0000, 0x8000_0000]);
    let Matrices::<Bf16> { a, .. } = Matrices::new(&Size::new(64));
    assert!(a.iter().all(|entry| entry.to_bits() & 0xFFFF == 0));
}

/// Sums whose additions truncate, as those of tensor cores do, are off by more than rounding to nearest allows in the mean.
#[test]
fn sums_that_truncate_pass() {
    let n = 256;
    let matrices = Matrices::<Bf16>::new(&Size::new(n));
    let toward_zero = |sum: f64| {
        let nearest = sum as f32;
        let is_larger = f64::from(nearest).abs() > sum.abs();
        if is_larger { f32::from_bits(nearest.to_bits() - 1) } else { nearest }
    };
    let element = |place: usize| {
        let term = |k: usize| f64::from(matrices.a[place / n * n + k]) * f64::from(matrices.b[k * n + place % n]);
        (0..n).fold(0.0_f32, |sum, k| toward_zero(f64::from(sum) + term(k)))
    };
    let product: Vec<f32> = (0..n * n).map(element).collect();
    passes(n, (matrices, product));
}

#[test]
fn factors_rounded_once_more_fail() {
    let n = 128;
    let matrices = Matrices::<Bf16>::new(&Size::new(n));
    let coarse = |entry: &f32| f32::from_bits(entry.to_bits() & 0xFFFE_0000);
    let product = |a: &[f32]| -> Vec<f32> {
        let element = |place: usize| (0..n).map(|k| a[place / n * n + k] * matrices.b[k * n + place % n]).sum();
        (0..n * n).map(element).collect()
    };
    assert!(matrices.check(&product(&matrices.a)).passed());
    let a: Vec<f32> = matrices.a.iter().map(coarse).collect();
    assert!(matrices.check(&product(&a)).failed > n * n / 2);
}

#[test]
fn rows_beyond_a_sample_must_be_written_and_finite() {
    let n = 64;
    let matrices = Matrices::<Single>::with_sample(&Size::new(n), 4);
    let mut product: Vec<f32> = (0..n).flat_map(|row| matrices.factors().row_f32(row)).collect();
    let report = matrices.check(&product);
    assert!(report.passed() && report.compared == 4 * n && report.sample.is_some(), "{report:?}");
    let beyond = (0..n * n).find(|place| !matrices.sample.contains(place)).expect("most rows are not compared");
    product[beyond] = poison_f32();
    assert_eq!(matrices.check(&product).failed, 1);
}

#[test]
fn the_elements_that_were_written_are_compared() {
    let (matrices, product) = both::<Single>(33, |k| k);
    let tile: Vec<usize> = (8..16).flat_map(|row| row * 33 + 25..row * 33 + 33).collect();
    let rows: Vec<usize> = (33..99).collect();
    let n = matrices.n;
    let term =
        |place: usize, k: usize| f64::from(matrices.a[place / n * n + k]) * f64::from(matrices.b[k * n + place % n]);
    let sum = |place: usize| (0..n).map(|k| term(place, k)).fold(0.0, |sum, term| sum + term);
    let magnitude = |place: usize| (0..n).map(|k| term(place, k).abs()).fold(0.0, |sum, term| sum + term);
    for part in [tile, rows] {
        require_written(&product, &part, |product, count| matrices.check_written(product, count));
        for (&place, expected) in part.iter().zip(matrices.factors().expected_at(&part)) {
            assert_eq!([expected.value, expected.magnitude], [sum(place), magnitude(place)], "{place}");
        }
    }
}

/// Threads make parts of the factors, whose numbers are those of one generator in a row.
#[test]
fn factors_are_the_numbers_of_the_generator_in_order() {
    let size = Size::new(300);
    let matrices = Matrices::<Single>::new(&size);
    let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
    let mut next = || 2.0 * rng.random::<f32>() - 1.0;
    let [a, b] = [(); 2].map(|()| -> Vec<f32> { (0..300 * 300).map(|_| next()).collect() });
    assert!(matrices.a == a && matrices.b == b);
    assert_eq!(matrices.sample, places_in_rows(&sample(&mut rng, 300, 300), 300));
}
