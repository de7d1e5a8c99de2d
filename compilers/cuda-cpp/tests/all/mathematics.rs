//! Functions of float that are not exact: the errors of both compilers' results, in units in the last place.

use crate::machine::{Machine, compiled, random_bits};
use std::fmt::Write;

/// A function: its name, the largest error in units in the last place that the CUDA C++ Programming Guide states, a part of
/// its domain that is tested more densely, and the function in f64.
type Unary = (&'static str, f64, [f32; 2], fn(f64) -> f64);

const UNARY: &[Unary] = &[
    ("expf", 1.0, [-105.0, 90.0], f64::exp),
    ("exp2f", 2.0, [-151.0, 129.0], f64::exp2),
    ("exp10f", 2.0, [-46.0, 39.0], |x| 10_f64.powf(x)),
    ("expm1f", 1.0, [-20.0, 20.0], f64::exp_m1),
    ("logf", 1.0, [0.25, 4.0], f64::ln),
    ("log2f", 1.0, [0.25, 4.0], f64::log2),
    ("log10f", 2.0, [0.25, 4.0], f64::log10),
    ("log1pf", 1.0, [-1.0, 4.0], f64::ln_1p),
    ("sinf", 2.0, [-100.0, 100.0], f64::sin),
    ("cosf", 2.0, [-100.0, 100.0], f64::cos),
    ("tanf", 4.0, [-100.0, 100.0], f64::tan),
    ("sinpif", 1.0, [-4.0, 4.0], sin_pi),
    ("cospif", 1.0, [-4.0, 4.0], cos_pi),
    ("asinf", 2.0, [-1.0, 1.0], f64::asin),
    ("acosf", 2.0, [-1.0, 1.0], f64::acos),
    ("atanf", 2.0, [-4.0, 4.0], f64::atan),
    ("sinhf", 3.0, [-90.0, 90.0], f64::sinh),
    ("coshf", 2.0, [-90.0, 90.0], f64::cosh),
    ("tanhf", 2.0, [-10.0, 10.0], f64::tanh),
    ("asinhf", 3.0, [-4.0, 4.0], f64::asinh),
    ("acoshf", 4.0, [1.0, 4.0], acosh),
    ("atanhf", 3.0, [-1.0, 1.0], atanh),
    ("cbrtf", 1.0, [-4.0, 4.0], f64::cbrt),
    ("rcbrtf", 1.0, [-4.0, 4.0], |x| 1.0 / x.cbrt()),
    ("rsqrtf", 2.0, [0.0, 4.0], |x| 1.0 / x.sqrt()),
    ("erff", 2.0, [-5.0, 5.0], libm::erf),
    ("erfcf", 4.0, [-5.0, 11.0], libm::erfc),
    // CUDA states 6 except between -10.001 and -2.264, and more there.
    ("lgammaf", 6.0, [-10.0, 30.0], libm::lgamma),
    ("tgammaf", 5.0, [-10.0, 36.0], libm::tgamma),
];

/// The same of two arguments, which are both in the denser part.
type Binary = (&'static str, f64, [f32; 2], fn(f64, f64) -> f64);

const BINARY: &[Binary] = &[
    ("powf", 4.0, [0.0, 30.0], f64::powf),
    ("atan2f", 3.0, [-4.0, 4.0], f64::atan2),
    ("hypotf", 3.0, [-4.0, 4.0], f64::hypot),
    ("fmodf", 0.0, [-400.0, 400.0], |x, y| x % y),
];

/// Returns sin(pi x), of which whole numbers are exact zeros.
pub fn sin_pi(x: f64) -> f64 {
    let turn = x % 2.0;
    let from_zero = if turn.abs() <= 0.5 { turn } else { turn.signum() - turn };
    let from_zero = if from_zero.abs() <= 0.5 { from_zero } else { turn - 2.0 * turn.signum() };
    (std::f64::consts::PI * from_zero).sin()
}

/// Returns cos(pi x), from the sine near its zeros.
pub fn cos_pi(x: f64) -> f64 {
    let turn = (x % 2.0).abs();
    let from_zero = if turn <= 1.0 { 0.5 - turn } else { turn - 1.5 };
    (std::f64::consts::PI * from_zero).sin()
}

/// Returns the area cosine without the loss of digits near 1 that the standard library's has.
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if t < 0.0 {
        f64::NAN
    } else if x > 1e9 {
        x.ln() + std::f64::consts::LN_2
    } else {
        (t + (2.0 * t + t * t).sqrt()).ln_1p()
    }
}

pub fn atanh(x: f64) -> f64 {
    0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p() * x.signum()
}

/// The number of inputs of each kind.
const INPUTS: usize = 1 << 16;

/// Values at which functions have special cases.
const SPECIAL: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    3.0,
    -3.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
    1e-45,
    f32::MAX,
    16_777_217.0,
];

/// Returns inputs: of any bits, uniform in a range, and special ones as often as there is room.
fn inputs(seed: u64, [low, high]: [f32; 2]) -> Vec<f32> {
    let mut random = random_bits(seed);
    let mut inputs: Vec<f32> = (0..INPUTS).map(|_| f32::from_bits(random() as u32)).collect();
    inputs.extend((0..INPUTS).map(|_| low + (high - low) * ((random() >> 40) as f32 * 2_f32.powi(-24))));
    inputs.extend((0..256).map(|index| {
        SPECIAL[match seed % 2 {
            0 => index % 16,
            _ => index / 16,
        }]
    }));
    inputs
}

/// Returns the number of floats from a result to the one nearest to the exact value, which is how CUDA's guide states errors
/// in units in the last place. A NaN in the wrong place is infinitely far away.
fn error(result: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    if nearest.is_nan() || result.is_nan() {
        return if nearest.is_nan() && result.is_nan() { 0.0 } else { f64::INFINITY };
    }
    // The place of a float among all in their order, with both zeros at 0.
    let place = |value: f32| {
        let magnitude = i64::from(value.abs().to_bits());
        if value < 0.0 { -magnitude } else { magnitude }
    };
    (place(result) - place(nearest)).abs() as f64
}

/// The worst result of a function: its error, and the arguments.
#[derive(Default)]
struct Worst(f64, Vec<f32>);

fn worst(machine: &Machine, name: &str, arguments: &[Vec<f32>], exact: impl Fn(&[f32]) -> f64) -> Worst {
    let bytes: Vec<Vec<u8>> =
        arguments.iter().map(|values| values.iter().flat_map(|value| value.to_le_bytes()).collect()).collect();
    let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
    let results = machine.run(&format!("k_{name}"), arguments[0].len(), &bytes, 4);
    let mut worst = Worst::default();
    for (index, result) in results.chunks_exact(4).enumerate() {
        let result = f32::from_le_bytes(result.try_into().expect("4 bytes"));
        let given: Vec<f32> = arguments.iter().map(|values| values[index]).collect();
        let error = error(result, exact(&given));
        if error > worst.0 {
            worst = Worst(error, given);
        }
    }
    worst
}

fn source() -> String {
    let mut text = String::new();
    let place = "int i = blockIdx.x * blockDim.x + threadIdx.x;";
    for (name, ..) in UNARY {
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void k_{name}(const float* x, float* r) {{ {place} r[i] = {name}(x[i]); }}"
        );
    }
    for (name, ..) in BINARY {
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void k_{name}(const float* x, const float* y, float* r) {{ {place} r[i] = {name}(x[i], y[i]); }}"
        );
    }
    text
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn functions_of_float_are_as_accurate_as_cuda_promises() {
    let test = "mathematics::functions_of_float_are_as_accurate_as_cuda_promises";
    let Some(both) = compiled(test, &source()) else { return };
    let nvrtc = Machine::of(&both.nvrtc);
    let clang = Machine::of(&both.clang);
    let mut wrong = Vec::new();
    let mut judge = |name: &str, bound: f64, arguments: &[Vec<f32>], exact: &dyn Fn(&[f32]) -> f64| {
        let [theirs, ours] = [&nvrtc, &clang].map(|machine| worst(machine, name, arguments, exact));
        println!(
            "{name:<8} at most {bound} ulp: NVRTC {} at {:?}, clang {} at {:?}",
            theirs.0, theirs.1, ours.0, ours.1
        );
        if ours.0 > bound {
            wrong.push(format!("{name}: {} ulp at {:?}, and at most {bound} are allowed", ours.0, ours.1));
        }
    };
    for (name, bound, range, exact) in UNARY {
        judge(name, *bound, &[inputs(2, *range)], &|given| exact(given[0].into()));
    }
    for (name, bound, range, exact) in BINARY {
        judge(name, *bound, &[inputs(2, *range), inputs(3, *range)], &|given| exact(given[0].into(), given[1].into()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_are_counted_in_floats_between() {
    assert_eq!(error(1.0, 1.0), 0.0);
    assert_eq!(error(1.0 + f32::EPSILON, 1.0), 1.0);
    assert_eq!(error(f32::MAX, 1e40), 1.0, "infinity is the next one");
    assert_eq!(error(f32::NAN, 1.0), f64::INFINITY);
    assert_eq!(error(f32::INFINITY, 1e40), 0.0);
    assert_eq!(error(0.0, 2_f64.powi(-149)), 1.0);
}
