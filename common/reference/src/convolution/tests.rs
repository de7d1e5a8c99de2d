//! Honest convolutions pass, wrong ones fail.

use super::*;
use crate::verify::poison_f32;

const SIZES: [usize; 9] = [1, 2, 3, 4, 6, 7, 32, 33, 100];

/// Returns an image, and its convolution in single precision.
fn both(n: usize, radius: u32) -> (Image, Vec<f32>) {
    let image = Image::new(&Size { parameters: Parameters::default().with(RADIUS, radius), ..Size::new(n) });
    let mut output = vec![0.0; n * n];
    output.chunks_mut(n).enumerate().for_each(|(row, to)| image.convolve(row, to));
    (image, output)
}

/// Returns the definition's sum for a pixel.
fn by_definition(image: &Image, row: usize, column: usize) -> f64 {
    let Filter { radius, taps } = image.filter;
    let (radius, side) = (radius as isize, 2 * radius + 1);
    let pixel = |row: isize, column: isize| {
        let inside = 0..image.n as isize;
        let is_inside = inside.contains(&row) && inside.contains(&column);
        if is_inside { image.pixels[row as usize * image.n + column as usize] } else { 0.0 }
    };
    let product = |place: usize| {
        let (down, across) = ((place / side) as isize - radius, (place % side) as isize - radius);
        f64::from(taps[place]) * f64::from(pixel(row as isize + down, column as isize + across))
    };
    (0..side * side).map(product).sum()
}

#[test]
fn the_reference_is_the_definition() {
    for (n, radius) in SIZES.into_iter().flat_map(|n| [(n, 1), (n, 3)]) {
        let (image, _) = both(n, radius);
        for (place, expected) in image.expected().iter().enumerate() {
            let difference = (expected.value - by_definition(&image, place / n, place % n)).abs();
            assert!(difference < 1e-14, "n = {n}, radius {radius}, {place}: {difference:e}");
        }
    }
}

#[test]
fn honest_convolutions_pass_at_every_size() {
    for (n, radius) in SIZES.into_iter().flat_map(|n| [(n, 1), (n, 3)]) {
        let (image, output) = both(n, radius);
        let report = image.check(&output);
        assert!(report.passed() && report.compared == n * n, "n = {n}, radius {radius}: {report:?}");
    }
}

#[test]
fn a_missing_tap_a_turned_filter_and_other_pixels_outside_fail() {
    for radius in [1, 3] {
        let (image, output) = both(33, radius);
        let last = (2 * radius as usize + 1).pow(2);
        for place in 0..last {
            let mut filter = image.filter;
            filter.taps[place] = 0.0;
            let mut without = vec![0.0; output.len()];
            let other = Image { pixels: image.pixels.clone(), filter, ..both(33, radius).0 };
            without.chunks_mut(33).enumerate().for_each(|(row, to)| other.convolve(row, to));
            assert!(image.check(&without).failed > 850, "radius {radius}, tap {place}");
        }
        let mut filter = image.filter;
        filter.taps[..last].reverse();
        let turned = Image { filter, ..both(33, radius).0 };
        assert!(turned.check(&output).failed > 850);
    }
}

#[test]
fn a_value_beyond_the_bound_a_missing_one_and_a_missing_row_fail() {
    let (image, output) = both(33, 3);
    let Expected { value, tolerance, .. } = image.expected()[100];
    for direction in [1.0, -1.0] {
        let mut wrong = output.clone();
        wrong[100] = (value + direction * 1.5 * tolerance) as f32;
        assert_eq!(image.check(&wrong).failed, 1);
    }
    let mut missing = output.clone();
    missing[100] = poison_f32();
    assert_eq!(image.check(&missing).failed, 1);
    assert!(!image.check(&output[..32 * 33]).passed());
}

#[test]
fn a_large_image_is_compared_in_some_rows_and_at_its_border() {
    let n = 1025;
    let (image, output) = both(n, 1);
    let report = image.check(&output);
    assert!(report.passed(), "{report:?}");
    let rows: Vec<usize> = image.compared.iter().step_by(n).map(|place| place / n).collect();
    assert!((SAMPLED_ROWS..=SAMPLED_ROWS + 2).contains(&rows.len()));
    assert_eq!((rows[0], rows[rows.len() - 1]), (0, n - 1));
}
