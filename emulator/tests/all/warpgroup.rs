//! Products of a warpgroup: exact for small integers, in all shapes and layouts; and what is refused.

use crate::support::machine::{Machine, Shape};
use crate::support::warpgroup::{DEPTH, Layout, Product, ROWS, module, products};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The layout without a swizzle.
const PLAIN: Layout = Layout { row_bytes: 16, part: 0 };

/// Returns the bits of a small integer.
fn bits(factor: &str, value: i32) -> u16 {
    match (factor, value) {
        (_, 0) => 0,
        ("bf16", _) => ((value as f32).to_bits() >> 16) as u16,
        _ => {
            let single = (value as f32).to_bits();
            let exponent = (single >> 23 & 0xFF) - 127 + 15;
            (single >> 16 & 0x8000 | exponent << 10 | single >> 13 & 0x3FF) as u16
        }
    }
}

/// Runs a product of random integers, and returns how many elements of D are wrong.
fn wrong(machine: &Machine, product: Product, layouts: [Layout; 2]) -> usize {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut integers = |rows: usize, columns: usize| -> Vec<Vec<i32>> {
        (0..rows).map(|_| (0..columns).map(|_| random.random_range(-8..9)).collect()).collect()
    };
    let (a, b, c) = (integers(ROWS, DEPTH), integers(DEPTH, product.columns), integers(ROWS, product.columns));
    let of_a: Vec<[u16; DEPTH]> =
        a.iter().map(|row| std::array::from_fn(|column| bits(product.factor, row[column]))).collect();
    let of_b: Vec<Vec<u16>> =
        b.iter().map(|row| row.iter().map(|&value| bits(product.factor, value)).collect()).collect();
    let arguments = product.arguments(layouts, &of_a, &of_b);
    let places: Vec<(usize, usize)> = (0..128)
        .flat_map(|thread| (0..product.columns / 2).map(move |register| Product::place_of_sum(thread, register)))
        .collect();
    let old: Vec<u8> = places.iter().flat_map(|&(row, column)| (c[row][column] as f32).to_le_bytes()).collect();
    let words: Vec<u8> = arguments.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (image, words, sums) = (machine.upload(&arguments.image), machine.upload(&words), machine.upload(&old));
    let [a_descriptor, b_descriptor] = arguments.descriptors;
    let arguments = [image, words, sums, a_descriptor, b_descriptor].map(u64::to_le_bytes);
    let arguments: Vec<&[u8]> = arguments.iter().map(<[u8; 8]>::as_slice).collect();
    let counters = machine.run(&product.kernel(), Shape::threads(128), &arguments);
    assert_eq!(counters.classes.matrix, 4, "one product of each warp");
    let sign = product.signs[0] * product.signs[1];
    let expected = |(row, column): (usize, usize)| {
        c[row][column] + sign * (0..DEPTH).map(|depth| a[row][depth] * b[depth][column]).sum::<i32>()
    };
    let results = machine.floats(sums, places.len());
    places.iter().zip(results).filter(|&(&place, result)| expected(place) as f32 != result).count()
}

#[test]
fn products_of_all_shapes_are_exact_for_integers() {
    let products = products();
    let machine = Machine::new(&module(&products));
    for product in products {
        assert_eq!(wrong(&machine, product, [PLAIN; 2]), 0, "{product:?}");
    }
}

#[test]
fn products_are_exact_in_all_layouts() {
    let of_64: Vec<Product> = products().into_iter().filter(|product| product.columns == 64).collect();
    let machine = Machine::new(&module(&of_64));
    let layouts: Vec<Layout> = [(16, 0), (32, 0), (64, 0), (64, 1), (128, 0), (128, 3)]
        .map(|(row_bytes, part)| Layout { row_bytes, part })
        .to_vec();
    for product in of_64 {
        for layouts in layouts.iter().flat_map(|&a| layouts.iter().map(move |&b| [a, b])) {
            // A part is a part of a row of A or of a column of B.
            if (0..2).any(|index| product.transposed[index] && layouts[index].part > 0) {
                continue;
            }
            assert_eq!(wrong(&machine, product, layouts), 0, "{product:?} {layouts:?}");
        }
    }
}
