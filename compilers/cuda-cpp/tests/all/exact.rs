//! Functions whose results are the same bits by both compilers: whole numbers, bits, conversions, roundings, vectors.

use crate::machine::{Machine, compiled, random_bits};
use std::fmt::Write;

/// The number of inputs of each function.
const INPUTS: usize = 1 << 12;

/// Expressions of `a`, `b` and `c`, by the type of these and the type of the result.
const EXPRESSIONS: &[(&str, &str, &[&str])] = &[
    (
        "int",
        "int",
        &[
            "abs(a)",
            "min(a, b)",
            "max(a, b)",
            "__clz(a)",
            "__ffs(a)",
            "__mulhi(a, b)",
            "__mul24(a, b)",
            "__hadd(a, b)",
            "__rhadd(a, b)",
            "(int)__sad(a, b, c)",
            "__dp4a(a, b, c)",
            "__dp4a(*(char4*)&a, *(char4*)&b, c)",
            "__dp2a_lo(a, b, c)",
            "__dp2a_hi(*(short2*)&a, *(char4*)&b, c)",
            "(int)min((unsigned)a, b)",
            "(int)max(a, (unsigned)b)",
        ],
    ),
    (
        "unsigned int",
        "unsigned int",
        &[
            "__popc(a)",
            "__dp4a(a, b, c)",
            "__dp4a(*(uchar4*)&a, *(uchar4*)&b, c)",
            "__dp2a_lo(*(ushort2*)&a, *(uchar4*)&b, c)",
            "__dp2a_hi(a, b, c)",
            "__brev(a)",
            "__byte_perm(a, b, c)",
            "__funnelshift_l(a, b, c)",
            "__funnelshift_r(a, b, c)",
            "__funnelshift_lc(a, b, c & 63)",
            "__funnelshift_rc(a, b, c & 63)",
            "__umulhi(a, b)",
            "__umul24(a, b)",
            "__usad(a, b, c)",
            "__uhadd(a, b)",
            "__urhadd(a, b)",
            "min(a, b)",
            "max(a, b)",
        ],
    ),
    (
        "long long",
        "long long",
        &[
            "min(a, b)",
            "max(a, b)",
            "llabs(a)",
            "__mul64hi(a, b)",
            "(long long)__umul64hi(a, b)",
            "(long long)__brevll(a)",
            "__clzll(a)",
            "__popcll(a)",
            "__ffsll(a)",
        ],
    ),
    (
        "float",
        "float",
        &[
            "__fadd_rn(a, b)",
            "__fadd_rz(a, b)",
            "__fadd_ru(a, b)",
            "__fadd_rd(a, b)",
            "__fsub_rn(a, b)",
            "__fmul_rn(a, b)",
            "__fmul_rz(a, b)",
            "__fmul_ru(a, b)",
            "__fmul_rd(a, b)",
            "__fmaf_rn(a, b, c)",
            "__fmaf_rz(a, b, c)",
            "__fmaf_ru(a, b, c)",
            "__fmaf_rd(a, b, c)",
            "__fdiv_rn(a, b)",
            "__frcp_rn(a)",
            "__fsqrt_rn(fabsf(a))",
            "fabsf(a)",
            "sqrtf(fabsf(a))",
            "floorf(a)",
            "ceilf(a)",
            "truncf(a)",
            "rintf(a)",
            "roundf(a)",
            "nearbyintf(a)",
            "fminf(a, b)",
            "fmaxf(a, b)",
            "copysignf(a, b)",
            "fmaf(a, b, c)",
            "fdimf(a, b)",
            "fmodf(a, b)",
            "remainderf(a, b)",
            "a / b",
            "__saturatef(a)",
            "min(a, b)",
            "max(a, b)",
            "__int2float_rn(__float_as_int(a))",
            "__int2float_rz(__float_as_int(a))",
            "__uint2float_ru(__float_as_uint(a))",
            "(float)isnan(a)",
            "(float)isinf(a)",
            "(float)isfinite(a)",
            "(float)signbit(a)",
            "ldexpf(a, __float_as_int(b) % 300)",
            "logbf(a)",
            "__expf(a)",
            "__logf(a)",
            "__log2f(a)",
            "__log10f(a)",
            "__sinf(a)",
            "__cosf(a)",
            "__powf(a, b)",
            "__fdividef(a, b)",
            "rsqrtf(a)",
            "__ll2float_rn((long long)__float_as_int(a) << 20)",
            "__double2float_rz((double)a * (double)b)",
        ],
    ),
    (
        "float",
        "int",
        &[
            "__float_as_int(a)",
            "__float2int_rn(a)",
            "__float2int_rz(a)",
            "__float2int_ru(a)",
            "__float2int_rd(a)",
            "(int)__float2uint_rn(a)",
            "(int)__float2uint_rz(a)",
            "ilogbf(a)",
            "(int)lrintf(a)",
            "(int)a",
        ],
    ),
    ("float", "long long", &["__float2ll_rn(a)", "__float2ll_rz(a)", "(long long)__float2ull_rn(a)", "llrintf(a)"]),
    (
        "double",
        "double",
        &[
            "__dadd_rn(a, b)",
            "__dadd_rz(a, b)",
            "__dmul_ru(a, b)",
            "__dmul_rd(a, b)",
            "__fma_rn(a, b, c)",
            "__fma_rz(a, b, c)",
            "__ddiv_rn(a, b)",
            "__drcp_rn(a)",
            "__dsqrt_rn(fabs(a))",
            "fabs(a)",
            "sqrt(fabs(a))",
            "floor(a)",
            "ceil(a)",
            "trunc(a)",
            "rint(a)",
            "round(a)",
            "fmin(a, b)",
            "fmax(a, b)",
            "copysign(a, b)",
            "fma(a, b, c)",
            "fmod(a, b)",
            "remainder(a, b)",
            "ldexp(a, __double2loint(b) % 2200)",
            "logb(a)",
            "a / b",
            "__ll2double_rn(__double_as_longlong(a))",
            "__hiloint2double(__double2hiint(a), __double2loint(b))",
            "__longlong_as_double(__double_as_longlong(a))",
        ],
    ),
    (
        "double",
        "int",
        &["__double2int_rn(a)", "__double2int_rz(a)", "(int)__double2uint_rn(a)", "isnan(a) + 2 * isinf(b)"],
    ),
    ("double", "long long", &["__double2ll_rn(a)", "__double2ll_rz(a)", "(long long)__double2ull_rz(a)"]),
    ("float4", "float4", &["make_float4(a.w, b.z, c.y, a.x)", "__ldg(&a)", "__ldcg(&b)", "__ldcs(&c)"]),
    ("uint2", "uint2", &["make_uint2(a.y, b.x)", "__ldg(&a)", "__ldcg(&a)"]),
    ("uchar4", "uchar4", &["make_uchar4(a.x + b.x, a.y, b.z, c.w)"]),
    ("short2", "short2", &["make_short2(a.y, b.x)"]),
];

fn bytes_of(name: &str) -> usize {
    match name {
        "float4" => 16,
        "long long" | "double" | "uint2" => 8,
        _ => 4,
    }
}

/// Returns one kernel for each expression, `e0`, `e1`, …
fn source() -> (String, Vec<(&'static str, &'static str, &'static str)>) {
    let mut text = String::new();
    let mut list = Vec::new();
    for (of, to, expressions) in EXPRESSIONS {
        for expression in *expressions {
            let _ = writeln!(
                text,
                "extern \"C\" __global__ void e{}(const {of}* x, const {of}* y, const {of}* z, {to}* r) {{\n    \
                 const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    const {of} &a = x[i], &b = y[i], &c = z[i];\n    \
                 r[i] = {expression};\n}}",
                list.len()
            );
            list.push((*of, *to, *expression));
        }
    }
    (text, list)
}

/// Returns inputs: any bits, and for floating point also numbers near 0.
fn inputs(of: &str, seed: u64) -> Vec<u8> {
    let mut random = random_bits(seed);
    let count = INPUTS * bytes_of(of);
    let mut bytes: Vec<u8> = (0..count / 8).flat_map(|_| random().to_le_bytes()).collect();
    for half in bytes.chunks_mut(bytes_of(of)).skip(INPUTS / 2) {
        let near = (random() as i64 >> 40) as f64 / 1e4;
        match of {
            "float" => half.copy_from_slice(&(near as f32).to_le_bytes()),
            "double" => half.copy_from_slice(&near.to_le_bytes()),
            _ => {}
        }
    }
    bytes
}

/// Whether two results are the same, where every NaN is the same.
fn is_same(to: &str, one: &[u8], other: &[u8]) -> bool {
    let is_nan = |bytes: &[u8]| match to {
        "float" => f32::from_le_bytes(bytes.try_into().expect("4 bytes")).is_nan(),
        "double" => f64::from_le_bytes(bytes.try_into().expect("8 bytes")).is_nan(),
        _ => false,
    };
    one == other || is_nan(one) && is_nan(other)
}

#[test]
fn exact_functions_give_the_same_bits_by_both_compilers() {
    let (text, list) = source();
    let Some(both) = compiled("exact::exact_functions_give_the_same_bits_by_both_compilers", &text) else { return };
    let nvrtc = Machine::of(&both.nvrtc);
    let clang = Machine::of(&both.clang);
    let mut different = Vec::new();
    for (index, (of, to, expression)) in list.into_iter().enumerate() {
        let given = [1, 2, 3].map(|seed| inputs(of, seed));
        let given: Vec<&[u8]> = given.iter().map(Vec::as_slice).collect();
        let kernel = format!("e{index}");
        let bytes = bytes_of(to);
        let [theirs, ours] = [&nvrtc, &clang].map(|machine| machine.run(&kernel, INPUTS, &given, bytes));
        let pairs = theirs.chunks(bytes).zip(ours.chunks(bytes));
        let wrong = pairs.enumerate().filter(|(_, (theirs, ours))| !is_same(to, theirs, ours)).map(|(at, _)| at);
        let wrong: Vec<usize> = wrong.collect();
        if let Some(&at) = wrong.first() {
            let shown = |bytes: &[u8], size: usize| bytes[at * size..(at + 1) * size].to_vec();
            different.push(format!(
                "{expression}: {} of {INPUTS} differ; a = {:02x?}, b = {:02x?}: NVRTC {:02x?}, clang {:02x?}",
                wrong.len(),
                shown(given[0], bytes_of(of)),
                shown(given[1], bytes_of(of)),
                shown(&theirs, bytes),
                shown(&ours, bytes)
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
