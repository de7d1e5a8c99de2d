//! Types, memory and mathematical functions as NVRTC compiles them: see `compiler_output.rs`.

use crate::support::circular::{cos, sin};
use crate::support::fixture::{assert_near, doubles, floats, for_each_compilation, ints, read_doubles, read_ints};
use crate::support::fixture::{read_longs, run, widen};
use crate::support::machine::{Machine, Shape, bytes_of};
use emulator::Dim3;

#[test]
fn types() {
    for_each_compilation("types", |machine, name| {
        types_vectors(machine, name);
        types_places(machine, name);
        types_integers(machine, name);
        let x = [2.5, -7.25, 0.3, 1e10];
        let y = [1.5, -2.5, 7.0, 3.0];
        let a = doubles(machine, &x);
        let b = doubles(machine, &y);
        let output = machine.allocate(4 * 6 * 8);
        run(machine, "doubles", Shape::threads(4), &[&a, &b, &output]);
        let found = read_doubles(machine, output, 24);
        for (lane, row) in found.chunks(6).enumerate() {
            let (x, y): (f64, f64) = (x[lane], y[lane]);
            let minimum = x.min(y) + x.floor() + y.round_ties_even();
            let last = if x > y { (x - y).abs() } else { libm::fma(x, y, x) };
            // The compiler may contract x * y + 1 to a fused multiply-add.
            assert!(row[0] == x * y + 1.0 || row[0] == libm::fma(x, y, 1.0), "{name}");
            assert!(row[1] == x / y && (row[2] == x.sqrt() || x < 0.0 && row[2].is_nan()), "{name}: {row:?}");
            assert_eq!(row[3..], [minimum, (x * 1000.0).trunc() + f64::from(y as f32), last], "{name}");
        }
    });
}

fn types_vectors(machine: &Machine, name: &str) {
    let a = floats(machine, &(0..128_u8).map(f32::from).collect::<Vec<_>>());
    let b = ints(machine, &(0..64).map(|i| i * 100).collect::<Vec<_>>());
    let c = doubles(machine, &(0..64_u8).map(|i| f64::from(i) / 2.0).collect::<Vec<_>>());
    let output = machine.allocate(32 * 4);
    let shorts = machine.allocate(32 * 8);
    let bytes = machine.allocate(32 * 4);
    run(machine, "vectors", Shape::threads(32), &[&a, &b, &c, &output, &shorts, &bytes]);
    // 4i + (4i + 1)(4i + 2) - (4i + 3) - 100 + i (i + 1/2)
    let expected: Vec<f32> = (0..32_i16).map(|i| f32::from(17 * i * i + 12 * i - 101) + 0.5 * f32::from(i)).collect();
    assert_eq!(machine.floats(output, 32), expected, "{name}");
    let expected: Vec<i16> = (0..32).flat_map(|i| [200 * i, -200 * i, 200 * i + 100, -200 * i - 100]).collect();
    assert_eq!(machine.download(shorts, 256), bytes_of(&expected, i16::to_le_bytes), "{name}");
    let expected: Vec<u8> =
        (0..32_u16).flat_map(|i| [(200 * i).to_le_bytes(), (200 * i + 100).to_le_bytes()].concat()).collect();
    assert_eq!(machine.download(bytes, 128), expected, "{name}");

    let mut settings = [3_i32.to_le_bytes().as_slice(), &[0; 4], &0.25_f64.to_le_bytes(), b"abcd"].concat();
    settings.extend([(-5_i16).to_le_bytes().as_slice(), &[0; 2]].concat());
    let output = machine.allocate(16 * 8);
    let letters = machine.allocate(16);
    run(machine, "by_value", Shape::threads(16), &[&settings, &100_i32, &output, &letters]);
    let expected: Vec<f64> = (0..16).map(|i| f64::from(3 * i) + 95.25).collect();
    assert_eq!(read_doubles(machine, output, 16), expected, "{name}");
    assert_eq!(machine.download(letters, 16), b"abcdabcdabcdabcd", "{name}");

    let values: Vec<i32> = (0..512).map(|i| i * 7919 % 1000).collect();
    let data = ints(machine, &values);
    let output = machine.allocate(512 * 4);
    run(machine, "sort", Shape::threads(32).blocks(2), &[&data, &output, &8_i32]);
    let mut expected = values;
    expected.chunks_mut(8).for_each(<[i32]>::sort_unstable);
    assert_eq!(read_ints(machine, output, 512), expected, "{name}");
}

fn types_places(machine: &Machine, name: &str) {
    let output = machine.allocate(6 * 4 * 6 * 4);
    let shape = Shape { grid: Dim3 { x: 2, y: 2, z: 3 }, block: Dim3 { x: 3, y: 2, z: 2 }, shared: 0 };
    run(machine, "places", shape, &[&output]);
    let expected: Vec<i32> = (0..144).map(|i| i % 6 + 100 * (i / 6 % 4) + 10000 * (i / 24)).collect();
    assert_eq!(read_ints(machine, output, 144), expected, "{name}");

    let output = machine.allocate(12 * 4);
    for factor in [5, 7] {
        run(machine, "variables", Shape::threads(12), &[&output]);
        let expected: Vec<i32> = [1, -2, 3, -4, 5, -6].repeat(2).into_iter().map(|value| value * factor).collect();
        assert_eq!(read_ints(machine, output, 12), expected, "{name}");
    }
}

fn types_integers(machine: &Machine, name: &str) {
    let a = [7, -7, 2_000_000_000, -123_456_789];
    let b = [2, 3, -10, 0x0102_0304];
    let c = [1, 0x8000_0000_0000_0001, 123_456_789_012_345_678, u64::MAX];
    let x = ints(machine, &a);
    let y = ints(machine, &b);
    let w = machine.upload(&bytes_of(&c, u64::to_le_bytes));
    let output = machine.allocate(4 * 16 * 8);
    run(machine, "integers", Shape::threads(4), &[&x, &y, &w, &output]);
    for (lane, row) in read_longs(machine, output, 64).chunks(16).enumerate() {
        let (x, y, w): (i32, i32, u64) = (a[lane], b[lane], c[lane]);
        let wide = i64::from(x) * i64::from(y);
        let square = u128::from(w) * u128::from(w);
        assert_eq!(row[0], i64::from(x / y), "{name}");
        assert_eq!(row[1], i64::from(x % y), "{name}");
        assert_eq!(row[2], i64::from(x as u32 / 7), "{name}");
        assert_eq!(row[3], wide >> 32, "{name}");
        assert_eq!(row[4], wide, "{name}");
        assert_eq!(row[5], (square >> 64) as i64, "{name}");
        assert_eq!(row[6], (w / 1_000_003) as i64, "{name}");
        assert_eq!(row[7], (w % 1_000_003) as i64, "{name}");
        let bits = w.count_ones() + 100 * w.leading_zeros() + 10000 * (w.trailing_zeros() + 1);
        assert_eq!(row[8], i64::from(bits), "{name}");
        assert_eq!(row[9], i64::from(x.reverse_bits() as u32), "{name}");
        assert_eq!(row[10], i64::from(x as u32 & 0xFFFF | (y as u32) << 16), "{name}");
        assert_eq!(row[11], i64::from((y as u32) << 8 | x as u32 >> 24), "{name}");
        let products = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
        let dot: i32 = products.map(|(x, y)| i32::from(x as i8) * i32::from(y as i8)).sum();
        assert_eq!(row[12], i64::from(dot + 3), "{name}");
        let sums = (x.abs_diff(y) + 1).wrapping_add((x as u32).abs_diff(y as u32) + 1);
        assert_eq!(row[13], i64::from(sums), "{name}");
        let sum = x.abs().wrapping_add(x.max(y)).wrapping_sub(x.min(y)).wrapping_add(x >> 3);
        let sum = (sum as u32).wrapping_add(x as u32 >> 3).wrapping_add((x as u32) << 5);
        assert_eq!(row[14], i64::from(sum), "{name}");
        let mixed =
            (w >> 3) ^ (w << 61) ^ ((w as i64) >> 62) as u64 ^ i64::from(x as i16) as u64 ^ i64::from(y as i8) as u64;
        assert_eq!(row[15], mixed as i64, "{name}");
    }
}

type Function = (&'static str, fn(f64) -> f64);

const FUNCTIONS: [Function; 12] = [
    ("expf", f64::exp),
    ("logf", |x| x.abs().ln()),
    ("sinf", sin),
    ("cosf", cos),
    ("tanhf", f64::tanh),
    ("powf", |x| x.abs().powf(1.5)),
    ("sqrtf", |x| x.abs().sqrt()),
    ("atan2f", |x| x.atan2(2.0)),
    ("fmodf", |x| x % f64::from(0.7_f32)),
    ("cbrtf", f64::cbrt),
    ("exp2f", f64::exp2),
    ("division", |x| x / f64::from(3.3_f32)),
];

#[test]
fn mathematics() {
    for_each_compilation("mathematics", |machine, name| {
        // CUDA's functions are accurate to 2 ulps of a single, and the fast ones to about 2^-20.
        let fast = name.ends_with("fast");
        let tolerance = if fast { 4e-6 } else { 3e-7 };
        let range = if fast { 3.0 } else { 40.0 };
        let input: Vec<f32> = (1..=192_i16).map(|i| f32::from(i - 96) * range / 96.0 + 0.01).collect();
        let data = floats(machine, &input);
        let output = machine.allocate(192 * 12 * 4);
        run(machine, "functions", Shape::threads(96).blocks(2), &[&data, &output]);
        let found = machine.floats(output, 192 * 12);
        for (&x, row) in input.iter().zip(found.chunks(12)) {
            for ((function, exact), &found) in FUNCTIONS.iter().zip(row) {
                let exact = exact(f64::from(x));
                // A remainder just below 0.7 may be computed as one just above 0.
                let wrapped = *function == "fmodf" && fast && (f64::from(found) - exact).abs() > 0.69;
                assert!(
                    wrapped || (f64::from(found) - exact).abs() <= tolerance * exact.abs().max(1.0),
                    "{name}: {function} of {x} is {found:e}, not {exact:e}"
                );
            }
        }
        // For large arguments, sinf and cosf take a slow path with a table and local memory.
        if !fast {
            let input = [1e5_f32, -3e7, 1e20, 3e38];
            let data = floats(machine, &input);
            run(machine, "functions", Shape::threads(4), &[&data, &output]);
            for (&x, row) in input.iter().zip(machine.floats(output, 48).chunks(12)) {
                let x = f64::from(x);
                assert_near(name, &widen(&row[2..4]), &[sin(x), cos(x)], 2e-7);
            }
        }
        mathematics_roundings(machine, name);
        let input = [0.5, -3.25, 12.0, 1e-3];
        let data = doubles(machine, &input);
        let output = machine.allocate(16 * 8);
        run(machine, "doubles", Shape::threads(4), &[&data, &output]);
        let expected: Vec<f64> =
            input.iter().flat_map(|x: &f64| [x.exp(), x.abs().ln(), x.cbrt(), 1.0 / x.abs().sqrt()]).collect();
        assert_near(name, &read_doubles(machine, output, 16), &expected, 1e-15);
    });
}

fn mathematics_roundings(machine: &Machine, name: &str) {
    let ulp = f32::EPSILON;
    let a = [1.0, -2.5, 0.25, 1e9];
    let b = [ulp / 4.0, 0.5, 7.75, 0.0];
    let x = floats(machine, &a);
    let y = floats(machine, &b);
    let output = machine.allocate(4 * 8 * 4);
    let integers = machine.allocate(4 * 4 * 4);
    run(machine, "roundings", Shape::threads(4), &[&x, &y, &output, &integers]);
    // Columns: a + b toward zero, a * b up, a * b + a down, a clamped, rintf(a) + floorf(b) - ceilf(a) + truncf(b), -a,
    // max - min + a with the sign of b, and whether a / b is finite (1), a NaN (2) or infinite (3).
    let expected = [
        [1.0, ulp / 4.0, 1.0, 1.0, 0.0, -1.0, 2.0 - ulp / 4.0, 1.0],
        [-2.0, -1.25, -3.75, 0.0, 0.0, 2.5, 5.5, 1.0],
        [8.0, 1.9375, 2.1875, 0.25, 13.0, -0.25, 7.75, 1.0],
        [1e9, 0.0, 1e9, 1.0, 0.0, -1e9, 2e9, 3.0],
    ];
    assert_eq!(machine.floats(output, 32), expected.concat(), "{name}");
    let expected = [[1, 1, 0, 1], [-2, -2, 0, -2], [0, 1, 7, 0], [1_000_000_000, 1_000_000_000, 0, 1_000_000_000]];
    assert_eq!(read_ints(machine, integers, 16), expected.concat(), "{name}");
}
