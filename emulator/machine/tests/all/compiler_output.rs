//! Compiler output: the sources in `fixtures/`, compiled by NVRTC 12.1, 12.9 and 13.5 for several architectures, with line
//! information, debug information, or fast math. Every module loads, and every kernel returns the same results as plain Rust.
//!
//! This file tests the cooperation of threads. Types and mathematical functions are in `compiled_arithmetic.rs`.

use crate::support::fixture::{
    assert_near, doubles, floats, for_each_compilation, ints, plane, read_doubles, read_ints,
};
use crate::support::fixture::{read_longs, run, widen};
use crate::support::machine::{Shape, bytes_of};
use emulator::Options;

#[test]
fn reduction() {
    for_each_compilation("reduction", |machine, name| {
        let input: Vec<f32> = (0..1000_u16).map(|i| f32::from(i % 7)).collect();
        let data = floats(machine, &input);
        let output = machine.allocate(8 * 4);
        run(machine, "sum_tree", Shape { shared: 512, ..Shape::threads(128).blocks(8) }, &[&data, &output, &1000_i32]);
        let expected: Vec<f32> = input.chunks(128).map(|block| block.iter().sum()).collect();
        assert_eq!(machine.floats(output, 8), expected, "{name}");

        let data = ints(machine, &(0..5000).collect::<Vec<_>>());
        let output = ints(machine, &[0]);
        run(machine, "sum_shuffle", Shape::threads(96).blocks(4), &[&data, &output, &5000_i32]);
        assert_eq!(read_ints(machine, output, 1), [12_497_500], "{name}");

        let output = machine.allocate(2 * 4);
        run(machine, "sum_volatile", Shape::threads(128).blocks(2), &[&data, &output]);
        assert_eq!(read_ints(machine, output, 2), [8128, 24512], "{name}");

        let output = machine.allocate(96 * 4);
        run(machine, "scan", Shape::threads(96), &[&data, &output]);
        let expected: Vec<i32> = (0..96).map(|i| (i / 32 * 32..=i).sum()).collect();
        assert_eq!(read_ints(machine, output, 96), expected, "{name}");
    });
}

/// Returns positions and weights without a pattern that could hide a mistake.
fn bodies(count: usize) -> Vec<[f32; 4]> {
    (0..count)
        .map(|i| {
            [
                (i * 37 % 101) as f32 / 64.0,
                (i * 53 % 103) as f32 / 64.0,
                (i * 71 % 107) as f32 / 64.0,
                (i % 5 + 1) as f32,
            ]
        })
        .collect()
}

fn accelerations(bodies: &[[f32; 4]]) -> Vec<f64> {
    let acceleration = |own: &[f32; 4]| {
        let mut sum = [0.0; 4];
        for other in bodies {
            let r: [f64; 3] = std::array::from_fn(|axis| f64::from(other[axis]) - f64::from(own[axis]));
            let square = r.iter().map(|r| r * r).sum::<f64>() + 0.0078125;
            (0..3).for_each(|axis| sum[axis] += r[axis] * f64::from(other[3]) / (square * square.sqrt()));
        }
        sum
    };
    bodies.iter().flat_map(acceleration).collect()
}

#[test]
fn forces() {
    for_each_compilation("forces", |machine, name| {
        let bodies = bodies(256);
        let data = floats(machine, bodies.as_flattened());
        for (kernel, shape) in
            [("accelerations", Shape::threads(128).blocks(2)), ("accelerations_naive", Shape::threads(32).blocks(8))]
        {
            let output = machine.allocate(256 * 16);
            run(machine, kernel, shape, &[&data, &output, &256_i32]);
            // A sum has 256 terms of up to 1e3, each rounded a few times.
            assert_near(name, &widen(&machine.floats(output, 256 * 4)), &accelerations(&bodies), 1e-4);
        }

        let atoms: Vec<[f32; 4]> = bodies.iter().take(100).map(|&[x, y, z, q]| [x, y, z * z + 1.0, q]).collect();
        let constants = machine.module.variable("atoms").unwrap().address;
        machine.memory.write(constants, &bytes_of(atoms.as_flattened(), f32::to_le_bytes)).unwrap();
        let slice = floats(machine, &[0.5; 64 * 4]);
        let counters = run(machine, "potential", plane((2, 2), (8, 2)), &[&slice, &100_i32, &0.125_f32, &64_i32]);
        // Debug builds use generic addresses.
        assert_eq!(counters.constant_load_requests >= 400, !name.ends_with("debug"), "{name}: atoms are constants");
        let potential = |point: usize| {
            let x = (point % 64) as f64 * 0.125;
            let y = (point / 64) as f64 * 0.125;
            let term = |[ax, ay, z, q]: &[f32; 4]| {
                f64::from(*q) / ((x - f64::from(*ax)).powi(2) + (y - f64::from(*ay)).powi(2) + f64::from(*z)).sqrt()
            };
            0.5 + atoms.iter().map(term).sum::<f64>()
        };
        let expected: Vec<f64> = (0..256).map(potential).collect();
        assert_near(name, &widen(&machine.floats(slice, 256)), &expected, 1e-5);
    });
}

#[test]
fn atomics() {
    for_each_compilation("atomics", |machine, name| {
        let text: Vec<u8> = (0..2000_u32).map(|i| (i * i % 251) as u8).collect();
        let (data, bins) = (machine.upload(&text), ints(machine, &[0; 16]));
        run(machine, "histogram", Shape::threads(96).blocks(3), &[&data, &bins, &2000_i32]);
        let expected: Vec<i32> =
            (0..16).map(|bin| text.iter().filter(|&&byte| i32::from(byte & 15) == bin).count() as i32).collect();
        assert_eq!(read_ints(machine, bins, 16), expected, "{name}");

        let signed = ints(machine, &[0, 0, 0, 0]);
        let words = ints(machine, &[5000, 0, 0, 0, -1, 0, 0, 0, 0]);
        let single = floats(machine, &[0.0]);
        let double = doubles(machine, &[0.0]);
        let longs = ints(machine, &[0, 0, 0, 0, 5, 0, 0, 0]);
        run(machine, "functions", Shape::threads(64).blocks(3), &[&signed, &words, &single, &double, &longs]);
        assert_eq!(read_ints(machine, signed, 4), [18336, -192, -191, 191], "{name}");
        // The counters count 192 times through 0 to 9, up and down. Bits 0 to 31 are flipped six times each.
        let words = machine.words(words, 9);
        assert_eq!([words[0], words[1], words[2], words[3]], [809, 573, 2, 8], "{name}");
        assert_eq!([words[4], words[5], words[6], words[8]], [0, 0xFFFF, 0, 77], "{name}");
        assert!((1..=192).contains(&words[7]), "{name}: some thread was first");
        assert_eq!(machine.floats(single, 1), [96.0], "{name}");
        assert_eq!(read_doubles(machine, double, 1), [48.0], "{name}");
        assert_eq!(read_longs(machine, longs, 4), [192 << 32, 191 << 33, 6, 88], "{name}");

        let word = doubles(machine, &[0.5]);
        run(machine, "swap_loop", Shape::threads(40).blocks(2), &[&word]);
        assert_eq!(read_doubles(machine, word, 1), [80.5], "{name}");
    });
}

#[test]
fn warps() {
    for_each_compilation("warps", |machine, name| {
        let input: Vec<i32> = (0..32).map(|i| i * 5 % 8).collect();
        let data = ints(machine, &input);
        let output = machine.allocate(32 * 5 * 4);
        run(machine, "votes", Shape::threads(32), &[&data, &output]);
        // The values repeat 0 5 2 7 4 1 6 3: of each eight lanes, 1, 3, 4 and 6 are above 3.
        let words = machine.words(output, 32 * 5);
        for (lane, row) in words.chunks(5).enumerate() {
            let below = [0, 0, 1, 1, 2, 3, 3, 4][lane % 8] + lane as u32 / 8 * 4;
            assert_eq!(row, [0x5A5A_5A5A, 2, 16, 1, below], "{name}, lane {lane}");
        }

        let output = machine.allocate(32 * 3 * 4);
        run(machine, "matches", Shape::threads(32), &[&data, &output]);
        for (lane, row) in machine.words(output, 32 * 3).chunks(3).enumerate() {
            assert_eq!(row, [0x0101_0101 << (lane % 8), 0xFFFF_FFFF, 0], "{name}, lane {lane}");
        }

        let output = machine.allocate(32 * 4);
        let masks = machine.allocate(32 * 4);
        run(machine, "divergent_sums", Shape::threads(32), &[&data, &output, &masks]);
        // Even lanes sum 0 + 2 + 4 + 6 four times, and odd lanes 5 + 7 + 1 + 3.
        let expected: Vec<i32> = (0..32).map(|lane| if lane % 2 == 0 { -48 } else { 64 }).collect();
        assert_eq!(read_ints(machine, output, 32), expected, "{name}");
        let masks = machine.words(masks, 32);
        assert_eq!([masks[0], masks[1], masks[31]], [0x5555_5555, 0xAAAA_AAAA, 0xAAAA_AAAA], "{name}");

        let output = machine.allocate(32 * 4);
        run(machine, "groups", Shape::threads(32), &[&data, &output]);
        let expected: Vec<i32> = (0..32).map(|lane| 7 + 31 - lane).collect();
        assert_eq!(read_ints(machine, output, 32), expected, "{name}");
    });
}

fn collatz(mut x: u32) -> i32 {
    let mut steps = 0;
    while x != 1 && steps <= 200 {
        x = if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 };
        steps += 1;
    }
    if steps > 200 { -1 } else { steps }
}

#[test]
fn control() {
    for_each_compilation("control", |machine, name| {
        let data = ints(machine, &(-1..63).collect::<Vec<_>>());
        let output = machine.allocate(64 * 4);
        run(machine, "switches", Shape::threads(64), &[&data, &output]);
        let expected = [-1, 10, 100, 200, -3, -1, 55, -1, 77, 88, 99, -1, -1, 1212];
        let expected: Vec<i32> = expected.into_iter().chain([-1; 50]).collect();
        assert_eq!(read_ints(machine, output, 64), expected, "{name}");

        let data = ints(machine, &(1..=100).collect::<Vec<_>>());
        let output = machine.allocate(100 * 4);
        run(machine, "collatz", Shape::threads(64).blocks(2), &[&data, &output, &100_i32]);
        let expected: Vec<i32> = (1..=100).map(collatz).collect();
        assert_eq!(expected[26], 111, "27 is the famous one");
        assert_eq!(read_ints(machine, output, 100), expected, "{name}");

        let (a, b): (Vec<i32>, Vec<i32>) = (0..32).map(|i| (i * 6 + 4, i * 9 + 6)).unzip();
        let a = ints(machine, &a);
        let b = ints(machine, &b);
        let output = ints(machine, &[7; 64]);
        run(machine, "calls", Shape::threads(32), &[&a, &b, &output]);
        // The sums are 15 i + 10. The least common multiple of 2 (3 i + 2) and 3 (3 i + 2) is 6 (3 i + 2).
        let pair = |i: i32| if i % 3 == 2 { [-1, 7] } else { [15 * i + 10, 6 * (3 * i + 2)] };
        let expected: Vec<i32> = (0..32).flat_map(pair).collect();
        assert_eq!(read_ints(machine, output, 64), expected, "{name}");

        let output = machine.allocate(32 * 16 * 4);
        run(machine, "mandelbrot", plane((2, 4), (16, 4)), &[&output, &32_i32, &50_i32]);
        let rounds = |point: i32| {
            let re = f64::from(point % 32) * 0.125 - 2.0;
            let im = f64::from(point / 32) * 0.125 - 1.0;
            let mut a = 0.0;
            let mut b = 0.0;
            let mut count = 0;
            while count < 50 && a * a + b * b <= 4.0 {
                (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
                count += 1;
            }
            count
        };
        // At almost all points, singles and doubles leave the loop in the same iteration.
        let found = read_ints(machine, output, 512);
        let alike = (0..512).filter(|&point| found[point as usize] == rounds(point)).count();
        assert!(alike > 500, "{name}: {alike} of 512 points");
    });
}

/// Kernels with shared memory, with grid, block and bytes of dynamic shared memory; their arguments are two buffers
/// and a count.
const SHARING: [(&str, &str, u32, u32, u32); 6] = [
    ("reduction", "sum_tree", 2, 128, 512),
    ("reduction", "sum_shuffle", 2, 96, 0),
    ("reduction", "sum_volatile", 2, 128, 0),
    ("forces", "accelerations", 2, 128, 0),
    ("atomics", "histogram", 2, 64, 0),
    ("warps", "groups", 1, 32, 0),
];

#[test]
fn correct_kernels_have_no_race() {
    for (source, kernel, blocks, threads, shared) in SHARING {
        for_each_compilation(source, |machine, name| {
            let buffers = [machine.upload(&[0; 16 << 10]).to_le_bytes(), machine.upload(&[0; 16 << 10]).to_le_bytes()];
            let arguments = [buffers[0].as_slice(), &buffers[1], &256_i32.to_le_bytes()];
            let arguments = &arguments[..machine.kernel(kernel).parameters().len()];
            let shape = Shape { shared, ..Shape::threads(threads).blocks(blocks) };
            let findings = machine.try_check(kernel, shape, arguments, &Options::default()).unwrap();
            let first = findings.first().map(ToString::to_string);
            assert_eq!(first, None, "{name}: `{kernel}`");
        });
    }
}
