//! Textbook kernels as NVRTC compiles them. Every compilation returns the same results as plain Rust, also for sizes that are not
//! multiples of a tile, warp or block, and the counters show the known properties of the kernels.

use crate::support::fixture::{
    Argument, assert_near, floats, for_each_compilation, ints, plane, read_ints, run, widen,
};
use crate::support::machine::{Machine, Shape};
use emulator::{Counters, Options};

/// Rows and columns: less than a tile, one tile, one less than a multiple of a tile, and a very wide matrix.
const PLANES: [(usize, usize); 5] = [(1, 1), (16, 16), (31, 47), (33, 17), (3, 130)];

/// Lengths around those of a warp, a block, and the part of an array that a block processes.
const LENGTHS: [usize; 8] = [1, 31, 32, 33, 255, 256, 257, 1000];

/// Returns numbers without a pattern that could hide a mistake. Sums of a few hundred products of them are exact in f32.
fn numbers(count: usize) -> Vec<i32> {
    (0..count).map(|i| (i * 37 % 101) as i32 - 50).collect()
}

fn as_floats(values: &[i32]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

fn tiles(rows: usize, columns: usize) -> Shape {
    plane((columns.div_ceil(16) as u32, rows.div_ceil(16) as u32), (16, 16))
}

fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| values[column..].iter().copied().step_by(columns)).collect()
}

fn transpose(machine: &Machine, kernel: &str, rows: usize, columns: usize) -> (Vec<f32>, Counters) {
    let input = floats(machine, &as_floats(&numbers(rows * columns)));
    let output = machine.allocate(4 * rows * columns);
    let arguments: [&dyn Argument; 4] = [&input, &output, &(rows as i32), &(columns as i32)];
    let counters = run(machine, kernel, tiles(rows, columns), &arguments);
    (machine.floats(output, rows * columns), counters)
}

#[test]
fn transpositions() {
    for_each_compilation("matrices", |machine, name| {
        for (rows, columns) in PLANES {
            let expected = transposed(&as_floats(&numbers(rows * columns)), columns);
            for kernel in ["transpose_naive", "transpose_tiled", "transpose_padded"] {
                let (found, _) = transpose(machine, kernel, rows, columns);
                assert_eq!(found, expected, "{name}: {kernel} of {rows} x {columns}");
            }
        }
    });
}

/// A warp processes two rows of a tile. The naive kernel writes two adjacent floats in each of 16 columns, which takes 16 sectors
/// instead of 4 for two runs of 16 floats. The tiled kernel reads two columns of the tile. With rows of 16 floats, eight elements
/// of a column share each bank. With rows of 17, only (0, 0) and (15, 1) share one.
#[test]
fn tiles_coalesce_stores_and_padding_avoids_bank_conflicts() {
    for_each_compilation("matrices", |machine, name| {
        if name.ends_with("debug") {
            return;
        }
        let counts = |kernel| transpose(machine, kernel, 64, 64).1;
        let [naive, tiled, padded] = ["transpose_naive", "transpose_tiled", "transpose_padded"].map(counts);
        let warps = 64 * 64 / 32;
        assert_eq!(naive.global_store_sectors, 16 * warps, "{name}");
        assert_eq!([tiled.global_store_sectors, padded.global_store_sectors], [4 * warps; 2], "{name}");
        assert_eq!(tiled.shared_load_conflicts, 7 * warps, "{name}");
        assert_eq!(padded.shared_load_conflicts, warps, "{name}");
    });
}

#[test]
fn products() {
    for_each_compilation("matrices", |machine, name| {
        for (rows, inner, columns) in [(1, 1, 1), (16, 16, 16), (17, 33, 15), (40, 7, 65)] {
            let a = numbers(rows * inner);
            let b = numbers(inner * columns + 3)[3..].to_vec();
            let element =
                |i: usize| (0..inner).map(|k| a[i / columns * inner + k] * b[k * columns + i % columns]).sum();
            let expected: Vec<i32> = (0..rows * columns).map(element).collect();
            let output = machine.allocate(4 * rows * columns);
            let a = floats(machine, &as_floats(&a));
            let b = floats(machine, &as_floats(&b));
            let shape = tiles(rows, columns);
            run(machine, "product", shape, &[&a, &b, &output, &(rows as i32), &(inner as i32), &(columns as i32)]);
            let found = machine.floats(output, rows * columns);
            assert_eq!(found, as_floats(&expected), "{name}: {rows} x {inner} x {columns}");
        }
    });
}

#[test]
fn stencils() {
    for_each_compilation("matrices", |machine, name| {
        for (rows, columns) in PLANES {
            let input = as_floats(&numbers(rows * columns));
            let at = |row: usize, column: usize| {
                let inside = row < rows && column < columns;
                if inside { f64::from(input[row * columns + column]) } else { 0.0 }
            };
            let cell = |i: usize| {
                let row = i / columns;
                let column = i % columns;
                let around = at(row.wrapping_sub(1), column)
                    + at(row + 1, column)
                    + at(row, column.wrapping_sub(1))
                    + at(row, column + 1);
                0.5 * at(row, column) + 0.125 * around
            };
            let expected: Vec<f64> = (0..rows * columns).map(cell).collect();
            let data = floats(machine, &input);
            let output = machine.allocate(4 * rows * columns);
            let shape = tiles(rows, columns);
            run(machine, "stencil", shape, &[&data, &output, &(rows as i32), &(columns as i32)]);
            // Eighths of small integers are exact.
            assert_near(name, &widen(&machine.floats(output, rows * columns)), &expected, 0.0);
        }
    });
}

/// Returns the exclusive prefix sums.
fn prefix_sums(values: &[i32]) -> Vec<i32> {
    let before = |sum: &mut i32, &value: &i32| Some(std::mem::replace(sum, *sum + value));
    values.iter().scan(0, before).collect()
}

#[test]
fn scans() {
    for_each_compilation("scans", |machine, name| {
        for (kernel, part) in [("scan_tree", 256), ("scan_shuffle", 128)] {
            for length in LENGTHS {
                let values = numbers(length);
                let parts = length.div_ceil(part);
                let data = ints(machine, &values);
                let output = machine.allocate(4 * length);
                let totals = machine.allocate(4 * parts);
                let n = length as i32;
                run(machine, kernel, Shape::threads(128).blocks(parts as u32), &[&data, &output, &totals, &n]);
                let sums: Vec<i32> = values.chunks(part).map(|part| part.iter().sum()).collect();
                assert_eq!(read_ints(machine, totals, parts), sums, "{name}: {kernel} of {length}, totals");

                let offsets = ints(machine, &prefix_sums(&sums));
                let shape = Shape::threads(128).blocks(length.div_ceil(128) as u32);
                run(machine, "add_offsets", shape, &[&output, &offsets, &n, &(part as i32)]);
                assert_eq!(read_ints(machine, output, length), prefix_sums(&values), "{name}: {kernel} of {length}");
            }
        }
    });
}

#[test]
fn histograms() {
    for_each_compilation("scans", |machine, name| {
        for (length, threads, blocks) in [(1, 32, 1), (1000, 96, 3), (4097, 256, 2)] {
            let text: Vec<u8> = (0..length as u32).map(|i| (i * i % 251) as u8).collect();
            let (data, bins) = (machine.upload(&text), ints(machine, &[0; 256]));
            run(machine, "histogram", Shape::threads(threads).blocks(blocks), &[&data, &bins, &length]);
            let count = |bin| text.iter().filter(|&&byte| i32::from(byte) == bin).count() as i32;
            assert_eq!(read_ints(machine, bins, 256), (0..256).map(count).collect::<Vec<_>>(), "{name}: {length}");
        }
    });
}

#[test]
fn odd_even_sorts() {
    for_each_compilation("sorts", |machine, name| {
        for (length, threads) in [(1, 32), (2, 32), (63, 32), (64, 32), (201, 128)] {
            let mut values = as_floats(&numbers(length));
            let data = floats(machine, &values);
            let shape = Shape { shared: 4 * length as u32, ..Shape::threads(threads) };
            run(machine, "sort_odd_even", shape, &[&data, &(length as i32)]);
            values.sort_by(f32::total_cmp);
            assert_eq!(machine.floats(data, length), values, "{name}: {length}");
        }
    });
}

#[test]
fn bitonic_sorts() {
    for_each_compilation("sorts", |machine, name| {
        for length in LENGTHS {
            let mut values = numbers(length);
            let padded = length.next_power_of_two().max(256);
            let data = ints(machine, &values);
            let output = machine.allocate(4 * padded);
            let blocks = (padded / 256) as u32;
            run(machine, "sort_bitonic", Shape::threads(128).blocks(blocks), &[&data, &output, &(length as i32)]);
            let mut size = 512;
            while size <= padded {
                let mut stride = size / 2;
                while stride > 0 {
                    let shape = Shape::threads(128).blocks(blocks);
                    run(machine, "merge_bitonic", shape, &[&output, &(size as i32), &(stride as i32)]);
                    stride /= 2;
                }
                size *= 2;
            }
            values.sort_unstable();
            values.resize(padded, i32::MAX);
            assert_eq!(read_ints(machine, output, padded), values, "{name}: {length}");
        }
    });
}

/// Returns the first finding of a kernel that runs on buffers of zeros.
fn first_finding(machine: &Machine, kernel: &str, shape: Shape) -> Option<String> {
    let count = machine.kernel(kernel).parameters().iter().map(|parameter| match parameter.bytes {
        8 => machine.upload(&[0; 4096]).to_le_bytes().to_vec(),
        _ => 32_i32.to_le_bytes().to_vec(),
    });
    let arguments: Vec<Vec<u8>> = count.collect();
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let findings = machine.try_check(kernel, shape, &arguments, &Options::default()).unwrap();
    findings.first().map(ToString::to_string)
}

#[test]
fn a_missing_barrier_is_found_and_nothing_else() {
    let square = plane((2, 2), (16, 16));
    let line = Shape { shared: 128, ..Shape::threads(128) };
    let kernels = [
        ("matrices", square, &["transpose_naive", "transpose_tiled", "transpose_padded", "product", "stencil"][..]),
        ("scans", line, &["scan_tree", "scan_shuffle", "histogram"]),
        ("sorts", line, &["sort_odd_even", "sort_bitonic"]),
    ];
    for (source, shape, names) in kernels {
        for_each_compilation(source, |machine, compilation| {
            for kernel in names {
                assert_eq!(first_finding(machine, kernel, shape), None, "{compilation}: {kernel}");
            }
        });
    }
    for_each_compilation("matrices", |machine, compilation| {
        let finding = first_finding(machine, "transpose_hasty", square).unwrap_or_default();
        assert!(finding.contains("race"), "{compilation}: {finding}");
    });
}
