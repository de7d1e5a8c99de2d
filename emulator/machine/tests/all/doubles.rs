//! Matrix products of doubles. An H200 (driver 580) adds the products in the order of their index, each with a fused
//! multiply-add: 3,584 sums of random numbers were compared.

use crate::support::doubles::{SHAPES, Shape, module};
use crate::support::machine::{Machine, Shape as Launch};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Returns the rows and columns of a lane's registers of A and of B, as in the figures of the PTX manual.
fn places(shape: &Shape, lane: usize) -> [Vec<(usize, usize)>; 2] {
    let group = lane / 4;
    let thread = lane % 4;
    let rows = if shape.name == "m8n8k4" { 1 } else { 2 };
    let a = (0..shape.a).map(|register| (group + 8 * (register % rows), thread + 4 * (register / rows)));
    let b = (0..shape.b).map(|register| (thread + 4 * register, group));
    [a.collect(), b.collect()]
}

/// Runs a product of random numbers, and returns the operands and D by lane.
fn run(shape: &Shape, mut number: impl FnMut() -> f64) -> (Vec<f64>, Vec<f64>) {
    let machine = Machine::new(&module());
    let operands: Vec<f64> = (0..32 * shape.words()).map(|_| number()).collect();
    let bytes: Vec<u8> = operands.iter().flat_map(|value| value.to_le_bytes()).collect();
    let input = machine.upload(&bytes);
    let output = machine.allocate(8 * 32 * shape.c);
    let counters = machine.run(shape.name, Launch::threads(32), &[&input.to_le_bytes(), &output.to_le_bytes()]);
    assert_eq!(counters.classes.matrix, 1);
    let sums = machine.download(output, 8 * 32 * shape.c);
    (operands, sums.chunks_exact(8).map(|sum| f64::from_le_bytes(sum.try_into().unwrap())).collect())
}

/// Returns D by lane. `add` adds the product of two factors to a sum.
fn expected(shape: &Shape, operands: &[f64], add: fn(f64, f64, f64) -> f64) -> Vec<f64> {
    let (mut a, mut b) = ([[0.0; 16]; 16], [[0.0; 8]; 16]);
    let lanes = || operands.chunks_exact(shape.words()).enumerate();
    for (lane, words) in lanes() {
        let [of_a, of_b] = places(shape, lane);
        of_a.iter().zip(words).for_each(|(&(row, column), word)| a[row][column] = *word);
        of_b.iter().zip(&words[shape.a..]).for_each(|(&(row, column), word)| b[row][column] = *word);
    }
    let sum = |lane: usize, register: usize, old: f64| {
        let row = lane / 4 + 8 * (register / 2);
        let column = 2 * (lane % 4) + register % 2;
        (0..4 * shape.b).fold(old, |sum, k| add(a[row][k], b[k][column], sum))
    };
    let of_lane = |(lane, words): (usize, &[f64])| -> Vec<f64> {
        let old = &words[shape.a + shape.b..];
        old.iter().enumerate().map(|(register, &old)| sum(lane, register, old)).collect()
    };
    lanes().flat_map(of_lane).collect()
}

#[test]
fn small_integers_are_multiplied_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(64);
    for shape in &SHAPES {
        let (operands, sums) = run(shape, || random.random_range(-9..10_i32).into());
        assert_eq!(sums, expected(shape, &operands, |a, b, sum| a * b + sum), "{}", shape.name);
        let transposed: Vec<f64> = operands.iter().rev().copied().collect();
        assert_ne!(sums, expected(shape, &transposed, |a, b, sum| a * b + sum));
    }
}

#[test]
fn products_are_added_in_order_by_fused_multiply_adds() {
    let mut random = ChaCha8Rng::seed_from_u64(65);
    for shape in &SHAPES {
        let (operands, sums) = run(shape, || random.random_range(-1.0..1.0));
        assert_eq!(sums, expected(shape, &operands, f64::mul_add), "{}", shape.name);
        // Rounding after each product gives other bits.
        assert_ne!(sums, expected(shape, &operands, |a, b, sum| a * b + sum));
    }
}
