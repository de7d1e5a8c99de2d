//! PTX as NVRTC writes it: the sources in `fixtures/`, compiled by NVRTC 12.1, 12.9 and 13.5 for several
//! architectures, with line information, for debugging, with fast mathematics. Every module loads, and every kernel
//! computes what plain Rust does.

mod support;

use emulator::Dim3;
use support::machine::{Machine, Shape, bytes_of};

/// Runs `check` on every compilation of a source.
fn for_each_compilation(source: &str, check: impl Fn(&Machine, &str)) {
    let prefix = format!("{source}.");
    let files = support::files("fixtures", "ptx");
    let compilations: Vec<_> = files.iter().filter(|(name, _)| name.starts_with(&prefix)).collect();
    assert_eq!(compilations.len(), 5, "compilations of {source}.cu");
    for (name, text) in compilations {
        let machine = Machine::load(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(&machine, name);
    }
}

fn ints(values: &[i32]) -> Vec<u8> {
    bytes_of(values, i32::to_le_bytes)
}

fn floats(values: &[f32]) -> Vec<u8> {
    bytes_of(values, f32::to_le_bytes)
}

fn doubles(values: &[f64]) -> Vec<u8> {
    bytes_of(values, f64::to_le_bytes)
}

fn read_ints(machine: &Machine, address: u64, count: usize) -> Vec<i32> {
    machine.words(address, count).into_iter().map(|word| word as i32).collect()
}

fn read_doubles(machine: &Machine, address: u64, count: usize) -> Vec<f64> {
    let bytes = machine.download(address, 8 * count);
    bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect()
}

fn read_longs(machine: &Machine, address: u64, count: usize) -> Vec<i64> {
    read_doubles(machine, address, count).into_iter().map(|value| value.to_bits() as i64).collect()
}

/// Two-dimensional blocks.
fn shape(grid: (u32, u32), block: (u32, u32)) -> Shape {
    Shape { grid: Dim3 { x: grid.0, y: grid.1, z: 1 }, block: Dim3 { x: block.0, y: block.1, z: 1 }, shared: 0 }
}

macro_rules! run {
    ($machine:expr, $kernel:literal, $shape:expr, $($argument:expr),+) => {
        $machine.run($kernel, $shape, &[$(&$argument.to_le_bytes()),+])
    };
}

/// Accepts an error of `tolerance`, relative for results above 1.
fn assert_near(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (index, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let good = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(good, "{name}: [{index}] is {found:e}, not {expected:e}");
    }
}

fn widen(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

#[test]
fn reduction() {
    for_each_compilation("reduction", |machine, name| {
        let input: Vec<f32> = (0..1000_u16).map(|i| f32::from(i % 7)).collect();
        let (data, output) = (machine.upload(&floats(&input)), machine.allocate(8 * 4));
        run!(machine, "sum_tree", Shape { shared: 512, ..Shape::threads(128).blocks(8) }, data, output, 1000_i32);
        let expected: Vec<f32> = input.chunks(128).map(|block| block.iter().sum()).collect();
        assert_eq!(machine.floats(output, 8), expected, "{name}");

        let (data, output) = (machine.upload(&ints(&(0..5000).collect::<Vec<_>>())), machine.upload(&ints(&[0])));
        run!(machine, "sum_shuffle", Shape::threads(96).blocks(4), data, output, 5000_i32);
        assert_eq!(read_ints(machine, output, 1), [12_497_500], "{name}");

        let output = machine.allocate(2 * 4);
        run!(machine, "sum_volatile", Shape::threads(128).blocks(2), data, output);
        assert_eq!(read_ints(machine, output, 2), [8128, 24512], "{name}");

        let output = machine.allocate(96 * 4);
        run!(machine, "scan", Shape::threads(96), data, output);
        let expected: Vec<i32> = (0..96).map(|i| (i / 32 * 32..=i).sum()).collect();
        assert_eq!(read_ints(machine, output, 96), expected, "{name}");
    });
}

/// Positions and weights without a pattern that a mistake could share.
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
        let data = machine.upload(&floats(bodies.as_flattened()));
        for (kernel, shape) in
            [("accelerations", Shape::threads(128).blocks(2)), ("accelerations_naive", Shape::threads(32).blocks(8))]
        {
            let output = machine.allocate(256 * 16);
            let arguments = [data.to_le_bytes(), output.to_le_bytes()];
            machine.run(kernel, shape, &[&arguments[0], &arguments[1], &256_i32.to_le_bytes()]);
            // 256 terms of up to 1e3, each rounded a few times.
            assert_near(name, &widen(&machine.floats(output, 256 * 4)), &accelerations(&bodies), 1e-4);
        }

        let atoms: Vec<[f32; 4]> = bodies.iter().take(100).map(|&[x, y, z, q]| [x, y, z * z + 1.0, q]).collect();
        let constants = machine.module.variable("atoms").unwrap().address;
        machine.memory.write(constants, &floats(atoms.as_flattened())).unwrap();
        let slice = machine.upload(&floats(&[0.5; 64 * 4]));
        let counters = run!(machine, "potential", shape((2, 2), (8, 2)), slice, 100_i32, 0.125_f32, 64_i32);
        // Debugging code goes by generic addresses.
        assert_eq!(counters.constant_load_requests >= 400, !name.ends_with("debug"), "{name}: atoms are constants");
        let potential = |point: usize| {
            let (x, y) = ((point % 64) as f64 * 0.125, (point / 64) as f64 * 0.125);
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
        let (data, bins) = (machine.upload(&text), machine.upload(&ints(&[0; 16])));
        run!(machine, "histogram", Shape::threads(96).blocks(3), data, bins, 2000_i32);
        let expected: Vec<i32> =
            (0..16).map(|bin| text.iter().filter(|&&byte| i32::from(byte & 15) == bin).count() as i32).collect();
        assert_eq!(read_ints(machine, bins, 16), expected, "{name}");

        let signed = machine.upload(&ints(&[0, 0, 0, 0]));
        let words = machine.upload(&ints(&[5000, 0, 0, 0, -1, 0, 0, 0, 0]));
        let (single, double) = (machine.upload(&floats(&[0.0])), machine.upload(&doubles(&[0.0])));
        let longs = machine.upload(&ints(&[0, 0, 0, 0, 5, 0, 0, 0]));
        run!(machine, "functions", Shape::threads(64).blocks(3), signed, words, single, double, longs);
        assert_eq!(read_ints(machine, signed, 4), [18336, -192, -191, 191], "{name}");
        // The counters go 192 times around 0 to 9, up and down; bits 0 to 31 are flipped six times each.
        let words = machine.words(words, 9);
        assert_eq!([words[0], words[1], words[2], words[3]], [809, 573, 2, 8], "{name}");
        assert_eq!([words[4], words[5], words[6], words[8]], [0, 0xFFFF, 0, 77], "{name}");
        assert!((1..=192).contains(&words[7]), "{name}: some thread was first");
        assert_eq!(machine.floats(single, 1), [96.0], "{name}");
        assert_eq!(read_doubles(machine, double, 1), [48.0], "{name}");
        assert_eq!(read_longs(machine, longs, 4), [192 << 32, 191 << 33, 6, 88], "{name}");

        let word = machine.upload(&doubles(&[0.5]));
        run!(machine, "swap_loop", Shape::threads(40).blocks(2), word);
        assert_eq!(read_doubles(machine, word, 1), [80.5], "{name}");
    });
}

#[test]
fn warps() {
    for_each_compilation("warps", |machine, name| {
        let input: Vec<i32> = (0..32).map(|i| i * 5 % 8).collect();
        let data = machine.upload(&ints(&input));
        let output = machine.allocate(32 * 5 * 4);
        run!(machine, "votes", Shape::threads(32), data, output);
        // 0 5 2 7 4 1 6 3, over and over: lanes 1, 3, 4 and 6 of eight are above 3.
        let words = machine.words(output, 32 * 5);
        for (lane, row) in words.chunks(5).enumerate() {
            let below = [0, 0, 1, 1, 2, 3, 3, 4][lane % 8] + lane as u32 / 8 * 4;
            assert_eq!(row, [0x5A5A_5A5A, 2, 16, 1, below], "{name}, lane {lane}");
        }

        let output = machine.allocate(32 * 3 * 4);
        run!(machine, "matches", Shape::threads(32), data, output);
        for (lane, row) in machine.words(output, 32 * 3).chunks(3).enumerate() {
            assert_eq!(row, [0x0101_0101 << (lane % 8), 0xFFFF_FFFF, 0], "{name}, lane {lane}");
        }

        let (output, masks) = (machine.allocate(32 * 4), machine.allocate(32 * 4));
        run!(machine, "divergent_sums", Shape::threads(32), data, output, masks);
        // Even lanes: 0 + 2 + 4 + 6, four times; odd ones: 5 + 7 + 1 + 3.
        let expected: Vec<i32> = (0..32).map(|lane| if lane % 2 == 0 { -48 } else { 64 }).collect();
        assert_eq!(read_ints(machine, output, 32), expected, "{name}");
        let masks = machine.words(masks, 32);
        assert_eq!([masks[0], masks[1], masks[31]], [0x5555_5555, 0xAAAA_AAAA, 0xAAAA_AAAA], "{name}");

        let output = machine.allocate(32 * 4);
        run!(machine, "groups", Shape::threads(32), data, output);
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
        let data = machine.upload(&ints(&(-1..63).collect::<Vec<_>>()));
        let output = machine.allocate(64 * 4);
        run!(machine, "switches", Shape::threads(64), data, output);
        let expected = [-1, 10, 100, 200, -3, -1, 55, -1, 77, 88, 99, -1, -1, 1212];
        let expected: Vec<i32> = expected.into_iter().chain([-1; 50]).collect();
        assert_eq!(read_ints(machine, output, 64), expected, "{name}");

        let data = machine.upload(&ints(&(1..=100).collect::<Vec<_>>()));
        let output = machine.allocate(100 * 4);
        run!(machine, "collatz", Shape::threads(64).blocks(2), data, output, 100_i32);
        let expected: Vec<i32> = (1..=100).map(collatz).collect();
        assert_eq!(expected[26], 111, "27 is the famous one");
        assert_eq!(read_ints(machine, output, 100), expected, "{name}");

        let (a, b): (Vec<i32>, Vec<i32>) = (0..32).map(|i| (i * 6 + 4, i * 9 + 6)).unzip();
        let (a, b) = (machine.upload(&ints(&a)), machine.upload(&ints(&b)));
        let output = machine.upload(&ints(&[7; 64]));
        run!(machine, "calls", Shape::threads(32), a, b, output);
        // Sums 15 i + 10; the least common multiple of 2 (3 i + 2) and 3 (3 i + 2) is 6 (3 i + 2).
        let pair = |i: i32| if i % 3 == 2 { [-1, 7] } else { [15 * i + 10, 6 * (3 * i + 2)] };
        let expected: Vec<i32> = (0..32).flat_map(pair).collect();
        assert_eq!(read_ints(machine, output, 64), expected, "{name}");

        let output = machine.allocate(32 * 16 * 4);
        run!(machine, "mandelbrot", shape((2, 4), (16, 4)), output, 32_i32, 50_i32);
        let rounds = |point: i32| {
            let (re, im) = (f64::from(point % 32) * 0.125 - 2.0, f64::from(point / 32) * 0.125 - 1.0);
            let (mut a, mut b, mut count) = (0.0, 0.0, 0);
            while count < 50 && a * a + b * b <= 4.0 {
                (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
                count += 1;
            }
            count
        };
        // Singles and doubles leave the loop alike at almost all points.
        let found = read_ints(machine, output, 512);
        let alike = (0..512).filter(|&point| found[point as usize] == rounds(point)).count();
        assert!(alike > 500, "{name}: {alike} of 512 points");
    });
}

#[test]
fn types() {
    for_each_compilation("types", |machine, name| {
        types_vectors(machine, name);
        types_places(machine, name);
        types_integers(machine, name);
        let (x, y) = ([2.5, -7.25, 0.3, 1e10], [1.5, -2.5, 7.0, 3.0]);
        let (a, b, output) = (machine.upload(&doubles(&x)), machine.upload(&doubles(&y)), machine.allocate(4 * 6 * 8));
        run!(machine, "doubles", Shape::threads(4), a, b, output);
        let found = read_doubles(machine, output, 24);
        for (lane, row) in found.chunks(6).enumerate() {
            let (x, y): (f64, f64) = (x[lane], y[lane]);
            let minimum = x.min(y) + x.floor() + y.round_ties_even();
            let last = if x > y { (x - y).abs() } else { x.mul_add(y, x) };
            // The compiler may contract x * y + 1.
            assert!(row[0] == x * y + 1.0 || row[0] == x.mul_add(y, 1.0), "{name}");
            assert!(row[1] == x / y && (row[2] == x.sqrt() || x < 0.0 && row[2].is_nan()), "{name}: {row:?}");
            assert_eq!(row[3..], [minimum, (x * 1000.0).trunc() + f64::from(y as f32), last], "{name}");
        }
    });
}

fn types_vectors(machine: &Machine, name: &str) {
    let a = machine.upload(&floats(&(0..128_u8).map(f32::from).collect::<Vec<_>>()));
    let b = machine.upload(&ints(&(0..64).map(|i| i * 100).collect::<Vec<_>>()));
    let c = machine.upload(&doubles(&(0..64_u8).map(|i| f64::from(i) / 2.0).collect::<Vec<_>>()));
    let (output, shorts, bytes) = (machine.allocate(32 * 4), machine.allocate(32 * 8), machine.allocate(32 * 4));
    run!(machine, "vectors", Shape::threads(32), a, b, c, output, shorts, bytes);
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
    let (output, letters) = (machine.allocate(16 * 8), machine.allocate(16));
    machine.run(
        "by_value",
        Shape::threads(16),
        &[&settings, &100_i32.to_le_bytes(), &output.to_le_bytes(), &letters.to_le_bytes()],
    );
    let expected: Vec<f64> = (0..16).map(|i| f64::from(3 * i) + 95.25).collect();
    assert_eq!(read_doubles(machine, output, 16), expected, "{name}");
    assert_eq!(machine.download(letters, 16), b"abcdabcdabcdabcd", "{name}");

    let values: Vec<i32> = (0..512).map(|i| i * 7919 % 1000).collect();
    let (data, output) = (machine.upload(&ints(&values)), machine.allocate(512 * 4));
    run!(machine, "sort", Shape::threads(32).blocks(2), data, output, 8_i32);
    let mut expected = values;
    expected.chunks_mut(8).for_each(<[i32]>::sort_unstable);
    assert_eq!(read_ints(machine, output, 512), expected, "{name}");
}

fn types_places(machine: &Machine, name: &str) {
    let output = machine.allocate(6 * 4 * 6 * 4);
    let shape = Shape { grid: Dim3 { x: 2, y: 2, z: 3 }, block: Dim3 { x: 3, y: 2, z: 2 }, shared: 0 };
    run!(machine, "places", shape, output);
    let expected: Vec<i32> = (0..144).map(|i| i % 6 + 100 * (i / 6 % 4) + 10000 * (i / 24)).collect();
    assert_eq!(read_ints(machine, output, 144), expected, "{name}");

    let output = machine.allocate(12 * 4);
    for factor in [5, 7] {
        run!(machine, "variables", Shape::threads(12), output);
        let expected: Vec<i32> = [1, -2, 3, -4, 5, -6].repeat(2).into_iter().map(|value| value * factor).collect();
        assert_eq!(read_ints(machine, output, 12), expected, "{name}");
    }
}

fn types_integers(machine: &Machine, name: &str) {
    let a = [7, -7, 2_000_000_000, -123_456_789];
    let b = [2, 3, -10, 0x0102_0304];
    let c = [1, 0x8000_0000_0000_0001, 123_456_789_012_345_678, u64::MAX];
    let (x, y) = (machine.upload(&ints(&a)), machine.upload(&ints(&b)));
    let (w, output) = (machine.upload(&bytes_of(&c, u64::to_le_bytes)), machine.allocate(4 * 16 * 8));
    run!(machine, "integers", Shape::threads(4), x, y, w, output);
    for (lane, row) in read_longs(machine, output, 64).chunks(16).enumerate() {
        let (x, y, w): (i32, i32, u64) = (a[lane], b[lane], c[lane]);
        let (wide, square) = (i64::from(x) * i64::from(y), u128::from(w) * u128::from(w));
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
    ("sinf", f64::sin),
    ("cosf", f64::cos),
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
        // CUDA's functions are within 2 units of the last place of a single, the fast ones within some 2^-20.
        let fast = name.ends_with("fast");
        let tolerance = if fast { 4e-6 } else { 3e-7 };
        let range = if fast { 3.0 } else { 40.0 };
        let input: Vec<f32> = (1..=192_i16).map(|i| f32::from(i - 96) * range / 96.0 + 0.01).collect();
        let (data, output) = (machine.upload(&floats(&input)), machine.allocate(192 * 12 * 4));
        run!(machine, "functions", Shape::threads(96).blocks(2), data, output);
        let found = machine.floats(output, 192 * 12);
        for (&x, row) in input.iter().zip(found.chunks(12)) {
            for ((function, exact), &found) in FUNCTIONS.iter().zip(row) {
                let exact = exact(f64::from(x));
                // A remainder just below 0.7 may come out as one just above 0.
                let wrapped = *function == "fmodf" && fast && (f64::from(found) - exact).abs() > 0.69;
                assert!(
                    wrapped || (f64::from(found) - exact).abs() <= tolerance * exact.abs().max(1.0),
                    "{name}: {function} of {x} is {found:e}, not {exact:e}"
                );
            }
        }
        // Large arguments of sinf and cosf take the slow way, with a table and local memory.
        if !fast {
            let input = [1e5_f32, -3e7, 1e20, 3e38];
            let data = machine.upload(&floats(&input));
            run!(machine, "functions", Shape::threads(4), data, output);
            for (&x, row) in input.iter().zip(machine.floats(output, 48).chunks(12)) {
                let x = f64::from(x);
                assert_near(name, &widen(&row[2..4]), &[x.sin(), x.cos()], 2e-7);
            }
        }
        mathematics_roundings(machine, name);
        let input = [0.5, -3.25, 12.0, 1e-3];
        let (data, output) = (machine.upload(&doubles(&input)), machine.allocate(16 * 8));
        run!(machine, "doubles", Shape::threads(4), data, output);
        let expected: Vec<f64> =
            input.iter().flat_map(|x: &f64| [x.exp(), x.abs().ln(), x.cbrt(), 1.0 / x.abs().sqrt()]).collect();
        assert_near(name, &read_doubles(machine, output, 16), &expected, 1e-15);
    });
}

fn mathematics_roundings(machine: &Machine, name: &str) {
    let ulp = f32::EPSILON;
    let (a, b) = ([1.0, -2.5, 0.25, 1e9], [ulp / 4.0, 0.5, 7.75, 0.0]);
    let (x, y) = (machine.upload(&floats(&a)), machine.upload(&floats(&b)));
    let (output, integers) = (machine.allocate(4 * 8 * 4), machine.allocate(4 * 4 * 4));
    run!(machine, "roundings", Shape::threads(4), x, y, output, integers);
    // Columns: a + b to zero, a * b up, a * b + a down, a clamped, rintf(a) + floorf(b) - ceilf(a) + truncf(b), -a,
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
