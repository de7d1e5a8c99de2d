//! Products of a warpgroup: exact for small integers, in all shapes and layouts; and what is refused.

use crate::support::machine::{Machine, Shape, counting};
use crate::support::warpgroup::{Arguments, DEPTH, Layout, Product, ROWS, module, products};
use chacha20::ChaCha8Rng;
use emulator::{FindingKind, Swizzle, TensorMap};
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
    let a = integers(ROWS, DEPTH);
    let b = integers(DEPTH, product.columns);
    let c = integers(ROWS, product.columns);
    let of_a: Vec<[u16; DEPTH]> =
        a.iter().map(|row| std::array::from_fn(|column| bits(product.factor, row[column]))).collect();
    let of_b: Vec<Vec<u16>> =
        b.iter().map(|row| row.iter().map(|&value| bits(product.factor, value)).collect()).collect();
    let arguments = product.arguments(layouts, &of_a, &of_b);
    let places: Vec<(usize, usize)> = (0..128)
        .flat_map(|thread| (0..product.columns / 2).map(move |register| Product::place_of_sum(thread, register)))
        .collect();
    let old: Vec<f32> = places.iter().map(|&(row, column)| c[row][column] as f32).collect();
    let sign = product.signs[0] * product.signs[1];
    let expected = |(row, column): (usize, usize)| {
        c[row][column] + sign * (0..DEPTH).map(|depth| a[row][depth] * b[depth][column]).sum::<i32>()
    };
    let results = run(machine, product, &arguments, &old);
    places.iter().zip(results).filter(|&(&place, result)| expected(place) as f32 != result).count()
}

/// Runs a product, and returns D by thread and register.
fn run(machine: &Machine, product: Product, arguments: &Arguments, old: &[f32]) -> Vec<f32> {
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let old: Vec<u32> = old.iter().map(|value| value.to_bits()).collect();
    let words = machine.upload(&bytes(&arguments.words));
    let sums = machine.upload(&bytes(&old));
    let [a, b] = arguments.descriptors;
    let parameters = [machine.upload(&arguments.image), words, sums, a, b].map(u64::to_le_bytes);
    let parameters: Vec<&[u8]> = parameters.iter().map(<[u8; 8]>::as_slice).collect();
    let counters = machine.run(&product.kernel(), Shape::threads(128), &parameters);
    assert_eq!(counters.classes.matrix, 4, "one product of each warp");
    assert_eq!(counters.warpgroup_operations, 2 * 64 * 16 * product.columns as u64);
    machine.floats(sums, old.len())
}

/// Returns products of all kinds, each with its layouts.
fn compared() -> impl Iterator<Item = (Product, [Layout; 2])> {
    let wide = Layout { row_bytes: 128, part: 0 };
    products().into_iter().filter_map(move |product| match product.columns {
        64 => Some((product, [wide; 2])),
        8 | 24 | 136 | 256 => Some((product, [PLAIN; 2])),
        _ => None,
    })
}

/// The FNV-1a hash of the bits of all sums of [`compared`]. An H200 (driver 580) returned the same bits as this arithmetic for
/// 954,368 sums of other random numbers, in all shapes, types and layouts.
const HASH: u64 = 0x89B2_61C0_8D1A_195D;

#[test]
fn sums_of_random_numbers_keep_their_bits() {
    let all: Vec<(Product, [Layout; 2])> = compared().collect();
    let products: Vec<Product> = all.iter().map(|(product, _)| *product).collect();
    let machine = Machine::new(&module(&products));
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for (product, layouts) in all {
        let numbers = product.random();
        let arguments = product.arguments(layouts, &numbers.a, &numbers.b);
        for byte in run(&machine, product, &arguments, &numbers.c).into_iter().flat_map(f32::to_le_bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    assert_eq!(hash, HASH, "{hash:#018x}");
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

/// A whole kernel: tensor copies by one warpgroup, products by two, and mbarriers between them.
const MATMUL: &str = include_str!("../../../../stage08-matmul/ptx/17_matmul_warpgroup.ptx");

/// The shared memory of its blocks: four stages of tiles of 128 x 64 and 64 x 256 halves, and eight mbarriers.
const MATMUL_BYTES: u32 = 4 * 2 * (128 * 64 + 64 * 256) + 64;

/// Returns the random matrices of 256 x 256 integers, and the arguments for their product.
fn matmul(machine: &Machine) -> (Vec<i32>, Vec<i32>, [Vec<u8>; 4], u64) {
    const N: usize = 256;
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut matrix = || -> Vec<i32> { (0..N * N).map(|_| random.random_range(-8..9)).collect() };
    let a = matrix();
    let b = matrix();
    let upload = |matrix: &[i32]| {
        let bytes: Vec<u8> = matrix.iter().flat_map(|&value| bits("bf16", value).to_le_bytes()).collect();
        machine.upload(&bytes)
    };
    let c = machine.allocate(4 * N * N);
    let row = 2 * N as u64;
    let of_a = TensorMap {
        address: upload(&a),
        element_bytes: 2,
        dimensions: 2,
        sizes: [N as u64, N as u64, 1],
        strides: [2, row, 0],
        box_sizes: [64, 128, 1],
        swizzle: Swizzle::Bytes128,
    };
    let of_b = TensorMap {
        address: upload(&b),
        dimensions: 3,
        sizes: [64, N as u64, N as u64 / 64],
        strides: [2, row, 128],
        box_sizes: [64, 64, 4],
        ..of_a
    };
    let numbers = [c.to_le_bytes().to_vec(), (N as u32).to_le_bytes().to_vec()];
    let [address, n] = numbers;
    (a, b, [of_a.encode().to_vec(), of_b.encode().to_vec(), address, n], c)
}

#[test]
fn a_kernel_of_tensor_copies_and_products_is_exact_and_without_findings() {
    let machine = Machine::new(MATMUL);
    let (a, b, arguments, c) = matmul(&machine);
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let shape = Shape { shared: MATMUL_BYTES, ..Shape::threads(384) };
    // One block, which computes two tiles, so that all stages are used again.
    assert_eq!(machine.try_check("matmulWarpgroup", shape, &arguments, &counting()), Ok(Vec::new()));
    let wrong = machine.floats(c, 256 * 256).into_iter().enumerate().filter(|&(index, value)| {
        let row = index / 256;
        let column = index % 256;
        value != (0..256).map(|k| a[256 * row + k] * b[256 * k + column]).sum::<i32>() as f32
    });
    assert_eq!(wrong.count(), 0);
}

#[test]
fn a_stage_that_is_freed_and_sums_that_are_stored_too_early_are_findings() {
    let early = MATMUL.replace("wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;");
    assert_ne!(early, MATMUL);
    let machine = Machine::new(&early);
    let (_, _, arguments, _) = matmul(&machine);
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let shape = Shape { shared: MATMUL_BYTES, ..Shape::threads(384) };
    let findings = machine.try_check("matmulWarpgroup", shape, &arguments, &counting()).unwrap();
    let kinds: Vec<FindingKind> = findings.iter().map(|finding| finding.kind).collect();
    for kind in [FindingKind::PendingRead, FindingKind::PendingProduct] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
}
