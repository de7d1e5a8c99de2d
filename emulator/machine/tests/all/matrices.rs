//! Matrix products: exact for small integers, within a derived bound for other numbers, and compared with recorded results of a
//! GPU.

use crate::support::fragments::{FRAGMENTS, PRODUCTS, Product, Recording, module};
use crate::support::machine::{Machine, Shape};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The operands of a product, by rows.
#[derive(Clone, Debug)]
struct Matrices {
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
    c: Vec<Vec<f64>>,
}

fn depth(product: &Product) -> usize {
    product.shape.rsplit_once('k').unwrap().1.parse().unwrap()
}

/// Returns the row and column of each element of a lane's registers of A, as in the figures of the PTX manual.
fn places_of_a(product: &Product, lane: usize) -> Vec<(usize, usize)> {
    let g = lane / 4;
    let t = lane % 4;
    match (product.factor, depth(product)) {
        ("tf32", 4) => vec![(g, t), (g + 8, t)],
        ("tf32", _) => vec![(g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)],
        (_, 8) => vec![(g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1)],
        _ => vec![
            (g, 2 * t),
            (g, 2 * t + 1),
            (g + 8, 2 * t),
            (g + 8, 2 * t + 1),
            (g, 2 * t + 8),
            (g, 2 * t + 9),
            (g + 8, 2 * t + 8),
            (g + 8, 2 * t + 9),
        ],
    }
}

fn places_of_b(product: &Product, lane: usize) -> Vec<(usize, usize)> {
    let g = lane / 4;
    let t = lane % 4;
    match (product.factor, depth(product)) {
        ("tf32", 4) => vec![(t, g)],
        ("tf32", _) => vec![(t, g), (t + 4, g)],
        (_, 8) => vec![(2 * t, g), (2 * t + 1, g)],
        _ => vec![(2 * t, g), (2 * t + 1, g), (2 * t + 8, g), (2 * t + 9, g)],
    }
}

fn places_of_c(lane: usize) -> [(usize, usize); 4] {
    let g = lane / 4;
    let t = lane % 4;
    [(g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1)]
}

/// Decodes a half, which is normal or zero.
fn from_half(bits: u32) -> f64 {
    if bits & 0x7FFF == 0 {
        return 0.0;
    }
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    sign * f64::from(1024 + (bits & 0x3FF)) * 2_f64.powi((bits >> 10 & 31) as i32 - 25)
}

/// Returns the elements of a lane's registers of A or B, given their type.
fn elements(factor: &str, words: &[u32]) -> Vec<f64> {
    let halves = words.iter().flat_map(|word| [word & 0xFFFF, word >> 16]);
    match factor {
        "tf32" => words.iter().map(|&word| f64::from(f32::from_bits(word))).collect(),
        "f16" => halves.map(from_half).collect(),
        _ => halves.map(|half| f64::from(f32::from_bits(half << 16))).collect(),
    }
}

/// Returns the elements of registers of C or D, in the order of [`places_of_c`].
fn sums(product: &Product, words: &[u32]) -> Vec<f32> {
    if product.has_halves() {
        words.iter().flat_map(|word| [word & 0xFFFF, word >> 16]).map(|bits| from_half(bits) as f32).collect()
    } else {
        words.iter().map(|&word| f32::from_bits(word)).collect()
    }
}

/// Returns the matrices of one fragment.
fn matrices(product: &Product, words: &[u32]) -> Matrices {
    let depth = depth(product);
    let per_lane = product.words();
    let mut all = Matrices { a: vec![vec![0.0; depth]; 16], b: vec![vec![0.0; 8]; depth], c: vec![vec![0.0; 8]; 16] };
    for (lane, words) in words.chunks_exact(per_lane).enumerate() {
        let (a, rest) = words.split_at(product.a);
        let (b, c) = rest.split_at(product.b);
        for ((row, column), value) in places_of_a(product, lane).into_iter().zip(elements(product.factor, a)) {
            all.a[row][column] = value;
        }
        for ((row, column), value) in places_of_b(product, lane).into_iter().zip(elements(product.factor, b)) {
            all.b[row][column] = value;
        }
        for ((row, column), value) in places_of_c(lane).into_iter().zip(sums(product, c)) {
            all.c[row][column] = value.into();
        }
    }
    all
}

impl Matrices {
    /// Returns an element of D, and the magnitude of its largest term.
    fn sum(&self, (row, column): (usize, usize)) -> (f64, f64) {
        let products = self.a[row].iter().zip(&self.b).map(|(a, b)| a * b[column]);
        let terms = products.chain([self.c[row][column]]);
        terms.fold((0.0, 0.0), |(sum, largest): (f64, f64), term| (sum + term, largest.max(term.abs())))
    }
}

/// Runs the product and returns D of each fragment, by lane.
fn run(product: &Product, operands: &[u32]) -> Vec<f32> {
    let machine = Machine::new(&module());
    let bytes: Vec<u8> = operands.iter().flat_map(|word| word.to_le_bytes()).collect();
    let fragments = operands.len() / product.words() / 32;
    let input = machine.upload(&bytes);
    let output = machine.allocate(fragments * 128 * product.c);
    let shape = Shape::threads(32).blocks(fragments as u32);
    let counters = machine.run(&product.kernel(), shape, &[&input.to_le_bytes(), &output.to_le_bytes()]);
    assert_eq!(counters.classes.matrix, fragments as u64);
    let words: Vec<u32> = machine.floats(output, 32 * product.c * fragments).into_iter().map(f32::to_bits).collect();
    sums(product, &words)
}

/// Returns the largest error of D, relative to its bound.
fn worst(product: &Product, operands: &[u32], sums: &[f32], bits_below: i32) -> f64 {
    let mut worst = 0.0_f64;
    for (words, sums) in operands.chunks_exact(32 * product.words()).zip(sums.chunks_exact(128)) {
        let all = matrices(product, words);
        for (index, &found) in sums.iter().enumerate() {
            let (exact, largest) = all.sum(places_of_c(index / 4)[index % 4]);
            let of_half = if product.has_halves() { to_half(exact) } else { 0.0 };
            let lost = bound(depth(product), largest, exact, bits_below) + of_half;
            worst = worst.max((f64::from(found) - exact).abs() / lost);
        }
    }
    worst
}

/// Returns the bound of the error of rounding a sum to the nearest half: half of its last bit, with the least exponent of -14.
/// The error before may round it to the other neighbor, which is another last bit away.
fn to_half(sum: f64) -> f64 {
    1.5 * 2_f64.powi((sum.abs().log2().floor() as i32).max(-14) - 10)
}

/// Returns the bound of the error of a sum. Each term loses less than a unit, which is `bits_below` bits below the last bit of a
/// single with the largest exponent, and the sum loses less than its last bit. A product below 4 may have the exponent of 1.
fn bound(depth: usize, largest: f64, sum: f64, bits_below: i32) -> f64 {
    let unit = |value: f64, bits: i32| 2_f64.powi(value.abs().max(f64::MIN_POSITIVE).log2().floor() as i32 - bits);
    (depth + 1) as f64 * unit(largest, 23 + bits_below) + unit(sum, 23)
}

#[test]
fn small_integers_are_multiplied_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(16);
    for product in &PRODUCTS {
        let mut operands = product.operands();
        for (index, word) in operands.iter_mut().enumerate() {
            let mut number = || random.random_range(-8..9_i32) as f32;
            let brain = |value: f32| value.to_bits() >> 16;
            let half = |value: f32| match value as i32 {
                0 => 0,
                _ => value.to_bits() >> 16 & 0x8000 | (value.to_bits() >> 13 & 0x3FFFF) - (112 << 10) & 0x7FFF,
            };
            let place = index % product.words();
            let is_old = place >= product.a + product.b;
            *word = match product.factor {
                _ if is_old && product.has_halves() => half(number()) << 16 | half(number()),
                _ if is_old => number().to_bits(),
                "tf32" => number().to_bits(),
                "f16" => half(number()) << 16 | half(number()),
                _ => brain(number()) << 16 | brain(number()),
            };
        }
        let sums = run(product, &operands);
        assert_eq!(worst(product, &operands, &sums, 1000), 0.0, "{}", product.kernel());
        // An error of one is noticed.
        let off: Vec<f32> = sums.iter().map(|sum| sum + 1.0).collect();
        assert!(worst(product, &operands, &off, 2) > 1.0);
    }
}

#[test]
fn errors_are_within_the_bound_of_truncation() {
    for product in &PRODUCTS {
        let operands = product.operands();
        let sums = run(product, &operands);
        let worst_here = worst(product, &operands, &sums, 2);
        assert!(worst_here < 1.0, "{}: {worst_here} of the bound", product.kernel());
        // Sums are truncated, so something is lost.
        assert!(worst_here > 0.0);
    }
}

/// Compares recorded sums of an H200 with the bound, and prints their distance from ours. The arithmetic of tensor cores is not
/// documented, so the bound assumes no bits below the last bit of a single.
#[test]
fn recorded_sums_of_a_gpu_are_within_the_bound() {
    let Ok(text) = std::fs::read_to_string(crate::support::folder("hardware/fragments.json")) else {
        println!("not recorded");
        return;
    };
    let recording: Recording = serde_json::from_str(&text).unwrap();
    assert_eq!(recording.products.len(), PRODUCTS.len());
    for (product, (name, fragments)) in PRODUCTS.iter().zip(&recording.products) {
        assert_eq!((name, fragments.len()), (&product.kernel(), FRAGMENTS));
        let words = fragments.iter().flat_map(|words| words.split_whitespace());
        let words: Vec<u32> = words.map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
        let theirs = sums(product, &words);
        let operands = product.operands();
        let ours = run(product, &operands);
        let same = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours.to_bits() == theirs.to_bits()).count();
        let ulps = |(ours, theirs): (&f32, &f32)| (i64::from(ours.to_bits()) - i64::from(theirs.to_bits())).abs();
        let most = ours.iter().zip(&theirs).map(ulps).max().unwrap_or(0);
        println!("{name}: {same} of {} the same, {most} last bits apart at most", ours.len());
        assert!(worst(product, &operands, &theirs, 0) < 1.0, "{name}: beyond the bound");
    }
}

/// Returns the first element of D: the old sum plus the products of these pairs of factors, which are given as bits.
fn dot(product: &Product, old: u32, pairs: &[(u32, u32)]) -> f32 {
    let per_lane = product.words();
    let is_packed = product.factor != "tf32";
    let mut operands = vec![0; 32 * per_lane];
    for (lane, words) in operands.chunks_exact_mut(per_lane).enumerate() {
        let mut put = |register: usize, element: usize, bits: u32| {
            if is_packed {
                words[register + element / 2] |= bits << (16 * (element % 2))
            } else {
                words[register + element] = bits
            }
        };
        for (element, (row, column)) in places_of_a(product, lane).into_iter().enumerate() {
            put(0, element, pairs.get(column).filter(|_| row == 0).map_or(0, |pair| pair.0));
        }
        for (element, (row, column)) in places_of_b(product, lane).into_iter().enumerate() {
            put(product.a, element, pairs.get(row).filter(|_| column == 0).map_or(0, |pair| pair.1));
        }
    }
    operands[product.a + product.b] = old;
    run(product, &operands)[0]
}

/// Like [`dot`], for a depth of 8 and factors in TF32.
fn dot_of(old: f32, pairs: &[(f32, f32)]) -> f32 {
    let bits: Vec<(u32, u32)> = pairs.iter().map(|(a, b)| (a.to_bits(), b.to_bits())).collect();
    dot(&PRODUCTS[1], old.to_bits(), &bits)
}

#[test]
fn sums_of_small_integers_are_exact() {
    assert_eq!(dot_of(7.0, &[(2.0, 3.0), (-4.0, 5.0), (0.0, 9.0)]), -7.0);
    assert_eq!(dot_of(0.0, &[]).to_bits(), 0);
    assert_eq!(dot_of(-0.0, &[(0.0, -1.0)]).to_bits(), 0);
    assert_eq!(dot_of(0.0, &[(1023.0, 2047.0)]), 1023.0 * 2047.0);
}

#[test]
fn sums_are_truncated_and_not_rounded() {
    let ulp = 2_f32.powi(-23);
    // Three quarters of a last bit are lost, above and below zero.
    assert_eq!(dot_of(1.0, &[(3.0, 0.25 * ulp)]), 1.0);
    assert_eq!(dot_of(-1.0, &[(-3.0, 0.25 * ulp)]), -1.0);
    // Two bits below the last one are kept, so four quarters add up to one. Eighths are truncated one by one.
    assert_eq!(dot_of(1.0, &[(1.0, 0.25 * ulp); 4]), 1.0 + ulp);
    assert_eq!(dot_of(1.0, &[(1.0, 0.125 * ulp); 8]), 1.0);
    // A difference of adjacent numbers is exact.
    assert_eq!(dot_of(1.0 + ulp, &[(-1.0, 1.0)]), ulp);
}

#[test]
fn infinities_and_nans_propagate() {
    assert_eq!(dot_of(f32::INFINITY, &[(1.0, 1.0)]), f32::INFINITY);
    assert_eq!(dot_of(1.0, &[(f32::NEG_INFINITY, 2.0)]), f32::NEG_INFINITY);
    assert_eq!(dot_of(1.0, &[(f32::INFINITY, 0.0)]).to_bits(), 0x7FFF_FFFF);
    assert_eq!(dot_of(f32::INFINITY, &[(f32::INFINITY, -1.0)]).to_bits(), 0x7FFF_FFFF);
    assert_eq!(dot_of(f32::NAN, &[]).to_bits(), 0x7FFF_FFFF);
    assert_eq!(dot_of(0.0, &[(2_f32.powi(127), 2.0)]), f32::INFINITY);
}

#[test]
fn subnormal_numbers_are_not_flushed() {
    assert_eq!(dot_of(f32::from_bits(1), &[]), f32::from_bits(1));
    // of exponent -140, which `powi` may compute as the reciprocal of infinity
    assert_eq!(dot_of(0.0, &[(2_f32.powi(-70), 2_f32.powi(-70))]), f32::from_bits(1 << 9));
    // The smallest number of each format times 1 and times 2.
    let [half, brain] = [PRODUCTS[2], PRODUCTS[4]];
    assert_eq!(dot(&half, 0, &[(1, 0x3C00)]), 2_f32.powi(-24));
    assert_eq!(dot(&brain, 0, &[(1, 0x4000)]), f32::from_bits(1 << 17));
}
