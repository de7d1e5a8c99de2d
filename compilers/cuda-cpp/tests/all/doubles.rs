//! Functions of double that are not exact: the errors of both compilers' results, in units in the last place.

use crate::machine::{Machine, compiled, random_bits};
use crate::mathematics::{acosh, atanh, cos_pi, sin_pi};
use std::fmt::Write;

/// A function of two arguments, of which the second is not used by most: its name, the largest error in units in the last place
/// that the CUDA C++ Programming Guide states, a part of its domain that is tested more densely, and the standard library's.
type Function = (&'static str, i64, [f64; 2], fn(f64, f64) -> f64);

const FUNCTIONS: &[Function] = &[
    ("exp", 1, [-746.0, 711.0], |x, _| x.exp()),
    ("exp2", 1, [-1076.0, 1025.0], |x, _| x.exp2()),
    ("exp10", 1, [-325.0, 310.0], |x, _| 10_f64.powf(x)),
    ("expm1", 1, [-40.0, 40.0], |x, _| x.exp_m1()),
    ("log", 1, [0.25, 4.0], |x, _| x.ln()),
    ("log2", 1, [0.25, 4.0], |x, _| x.log2()),
    ("log10", 1, [0.25, 4.0], |x, _| x.log10()),
    ("log1p", 1, [-1.0, 4.0], |x, _| x.ln_1p()),
    ("sin", 2, [-100.0, 100.0], |x, _| x.sin()),
    ("cos", 2, [-100.0, 100.0], |x, _| x.cos()),
    ("tan", 2, [-100.0, 100.0], |x, _| x.tan()),
    ("asin", 2, [-1.0, 1.0], |x, _| x.asin()),
    ("acos", 2, [-1.0, 1.0], |x, _| x.acos()),
    ("atan", 2, [-4.0, 4.0], |x, _| x.atan()),
    ("sinh", 2, [-711.0, 711.0], |x, _| x.sinh()),
    ("cosh", 1, [-711.0, 711.0], |x, _| x.cosh()),
    ("tanh", 1, [-10.0, 10.0], |x, _| x.tanh()),
    ("cbrt", 1, [-4.0, 4.0], |x, _| x.cbrt()),
    ("pow", 2, [0.0, 30.0], f64::powf),
    ("atan2", 2, [-4.0, 4.0], f64::atan2),
    ("hypot", 2, [-4.0, 4.0], f64::hypot),
];

/// The same, compared to half as many digits, because std's function, or ours above, has a larger error.
const ROUGHLY: &[Function] = &[
    ("sinpi", 1, [-4.0, 4.0], |x, _| sin_pi(x)),
    ("cospi", 1, [-4.0, 4.0], |x, _| cos_pi(x)),
    ("asinh", 1, [-4.0, 4.0], |x, _| libm::asinh(x)),
    ("acosh", 1, [1.0, 4.0], |x, _| acosh(x)),
    ("atanh", 1, [-1.0, 1.0], |x, _| atanh(x)),
    ("rcbrt", 1, [-4.0, 4.0], |x, _| 1.0 / x.cbrt()),
    ("rsqrt", 1, [0.0, 4.0], |x, _| 1.0 / x.sqrt()),
];

/// The number of inputs of each kind.
const INPUTS: usize = 1 << 13;

/// Values at which functions have special cases.
const SPECIAL: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    3.0,
    -3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    9_007_199_254_740_993.0,
];

/// Returns inputs: of any bits, uniform in a range, and each pair of special ones.
fn inputs(seed: u64, [low, high]: [f64; 2]) -> Vec<f64> {
    let mut random = random_bits(seed);
    let mut inputs: Vec<f64> = (0..INPUTS).map(|_| f64::from_bits(random())).collect();
    inputs.extend((0..INPUTS).map(|_| low + (high - low) * ((random() >> 11) as f64 * 2_f64.powi(-53))));
    inputs.extend((0..256).map(|index| SPECIAL[if seed.is_multiple_of(2) { index % 16 } else { index / 16 }]));
    inputs
}

/// Returns the number of doubles from one to another; a NaN in the wrong place is as far as can be.
fn distance(one: f64, other: f64) -> i64 {
    if one.is_nan() || other.is_nan() {
        return if one.is_nan() && other.is_nan() { 0 } else { i64::MAX };
    }
    // The place of a double among all in their order, with both zeros at 0.
    let place = |value: f64| {
        let magnitude = value.abs().to_bits() as i64;
        if value < 0.0 { -magnitude } else { magnitude }
    };
    place(one).saturating_sub(place(other)).saturating_abs()
}

fn source() -> String {
    let mut text = String::new();
    for (name, ..) in FUNCTIONS.iter().chain(ROUGHLY) {
        let call = match *name {
            "pow" | "atan2" | "hypot" => format!("{name}(x[i], y[i])"),
            _ => format!("{name}(x[i])"),
        };
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void k_{name}(const double* x, const double* y, double* r) {{\n    \
             const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    r[i] = {call};\n}}"
        );
    }
    text
}

/// Returns the largest distance of a kernel's results from the function's, and its arguments.
fn worst(machine: &Machine, name: &str, range: [f64; 2], exact: fn(f64, f64) -> f64) -> (i64, f64, f64) {
    let x = inputs(2, range);
    let y = inputs(3, range);
    let bytes = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let results = machine.run(&format!("k_{name}"), x.len(), &[&bytes(&x), &bytes(&y)], 8);
    let results = results.chunks_exact(8).map(|result| f64::from_le_bytes(result.try_into().expect("8 bytes")));
    let distances = results.zip(x.iter().zip(&y)).map(|(result, (&x, &y))| (distance(result, exact(x, y)), x, y));
    distances.max_by_key(|(distance, ..)| *distance).expect("inputs")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn functions_of_double_are_as_accurate_as_cuda_promises() {
    let test = "doubles::functions_of_double_are_as_accurate_as_cuda_promises";
    let Some(both) = compiled(test, &source()) else { return };
    let nvrtc = Machine::of(&both.nvrtc);
    let clang = Machine::of(&both.clang);
    let mut wrong = Vec::new();
    // The standard library's results are themselves up to a unit from the nearest double.
    let functions = FUNCTIONS.iter().map(|function| (function, function.1 + 1));
    let roughly = ROUGHLY.iter().map(|function| (function, 1 << 26));
    for (&(name, _, range, exact), bound) in functions.chain(roughly) {
        let [theirs, ours] = [&nvrtc, &clang].map(|machine| worst(machine, name, range, exact));
        println!("{name:<8} at most {bound}: NVRTC {theirs:?}, clang {ours:?}");
        if ours.0 > bound {
            wrong.push(format!("{name}({}, {}): {} units, and at most {bound} are allowed", ours.1, ours.2, ours.0));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn distances_are_counted_in_doubles_between() {
    assert_eq!(distance(1.0, 1.0 + f64::EPSILON), 1);
    assert_eq!(distance(0.0, -0.0), 0);
    assert_eq!(distance(5e-324, -5e-324), 2);
    assert_eq!(distance(f64::NAN, 1.0), i64::MAX);
    assert_eq!(distance(f64::MAX, f64::INFINITY), 1);
}
