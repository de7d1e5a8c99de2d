//! Exchanges between threads: shuffles, votes, matches, barriers and atomics, the same bits by both compilers.

use crate::machine::{Machine, compiled, random_bits};
use std::fmt::Write;

/// Expressions of the lane's value `v` of a type, with the lane's number `t`.
const EXPRESSIONS: &[(&str, &[&str])] = &[
    (
        "int",
        &[
            "__shfl_sync(~0u, v, t * 7)",
            "__shfl_sync(~0u, v, 3, 8)",
            "__shfl_up_sync(~0u, v, 1)",
            "__shfl_up_sync(~0u, v, 3, 16)",
            "__shfl_down_sync(~0u, v, 5)",
            "__shfl_down_sync(~0u, v, 2, 4)",
            "__shfl_xor_sync(~0u, v, 16)",
            "__shfl_xor_sync(~0u, v, 3, 8)",
            "(int)__ballot_sync(~0u, v & 1)",
            "__any_sync(~0u, v > 0)",
            "__all_sync(~0u, v > -2000000000)",
            "(int)__match_any_sync(~0u, v & 3)",
            "(int)__activemask()",
            "__syncthreads_count(v & 1)",
            "__syncthreads_and(v & 1)",
            "__syncthreads_or(v & 1)",
            "(t < 16 ? (int)__ballot_sync(0xffff, v & 2) : 7)",
            "atomicAdd(&shared, v)",
            "atomicSub(&shared, v)",
            "atomicMin(&shared, v)",
            "atomicMax(&shared, v)",
            "atomicAnd(&shared, v)",
            "atomicOr(&shared, v)",
            "atomicXor(&shared, v)",
            "atomicExch(&shared, v)",
            "atomicCAS(&shared, 5, v)",
            "(int)atomicInc((unsigned int*)&shared, 9u)",
            "(int)atomicDec((unsigned int*)&shared, 9u)",
            "atomicAdd_block(&shared, v)",
            "warpSize + (int)(dim3(2, 3).z + blockDim.x + gridDim.x)",
            "([&] { int all; unsigned m = __match_all_sync(~0u, v & 0, &all); return (int)m + all; })()",
        ],
    ),
    ("unsigned int", &["__shfl_sync(~0u, v, 9)", "__shfl_xor_sync(~0u, v, 1)", "atomicAdd((unsigned int*)&shared, v)"]),
    (
        "float",
        &[
            "__shfl_sync(~0u, v, 31 - t)",
            "__shfl_down_sync(~0u, v, 16)",
            "__shfl_up_sync(~0u, v, 2)",
            "__shfl_xor_sync(~0u, v, 8)",
            "atomicAdd((float*)&shared, v)",
            "atomicExch((float*)&shared, v)",
        ],
    ),
    ("double", &["__shfl_sync(~0u, v, 31 - t)", "__shfl_xor_sync(~0u, v, 4)", "atomicAdd((double*)&wide, v)"]),
    (
        "long long",
        &[
            "__shfl_down_sync(~0u, v, 4)",
            "__shfl_up_sync(~0u, v, 4, 8)",
            "(long long)__match_any_sync(~0u, v & 1)",
            "atomicMax(&wide, v)",
        ],
    ),
    (
        "unsigned long long",
        &[
            "__shfl_sync(~0u, v, t ^ 5)",
            "atomicAdd((unsigned long long*)&wide, v)",
            "atomicCAS((unsigned long long*)&wide, 0ull, v)",
        ],
    ),
];

fn source() -> (String, Vec<(&'static str, &'static str)>) {
    let mut text = String::new();
    let mut list = Vec::new();
    for (of, expressions) in EXPRESSIONS {
        for expression in *expressions {
            let _ = writeln!(
                text,
                "extern \"C\" __global__ void w{}(const {of}* x, {of}* r) {{\n    const int t = threadIdx.x;\n    \
                 __shared__ int shared;\n    __shared__ long long wide;\n    if (t == 0) shared = 5, wide = 0;\n    \
                 __syncthreads();\n    const {of} v = x[blockIdx.x * 32 + t];\n    \
                 const {of} own = {expression};\n    __syncthreads();\n    \
                 r[blockIdx.x * 32 + t] = own + ({of})shared + ({of})wide;\n}}",
                list.len()
            );
            list.push((*of, *expression));
        }
    }
    (text, list)
}

#[test]
fn exchanges_give_the_same_bits_by_both_compilers() {
    let (text, list) = source();
    let Some(both) = compiled("warps::exchanges_give_the_same_bits_by_both_compilers", &text) else { return };
    let nvrtc = Machine::of(&both.nvrtc);
    let clang = Machine::of(&both.clang);
    let mut different = Vec::new();
    for (index, (of, expression)) in list.into_iter().enumerate() {
        let bytes = if of.contains("long") || of == "double" { 8 } else { 4 };
        let mut random = random_bits(7);
        let mut value = || (random() as i64 >> 44) as f64 / 8.0;
        let input: Vec<u8> = (0..1024)
            .flat_map(|_| match of {
                "float" => (value() as f32).to_le_bytes().to_vec(),
                "double" => value().to_le_bytes().to_vec(),
                _ => (value() as i64).to_le_bytes()[..bytes].to_vec(),
            })
            .collect();
        let results = [&nvrtc, &clang].map(|machine| machine.run(&format!("w{index}"), 1024, &[&input], bytes));
        if results[0] != results[1] {
            different.push(expression);
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Calls of atomic functions.
const ATOMICS: [&str; 14] = [
    "atomicAdd(i, 3)",
    "atomicAdd(u, 3u)",
    "atomicAdd(l, 3ull)",
    "atomicAdd(f, 3.0f)",
    "atomicAdd(d, 3.0)",
    "atomicSub(i, 3)",
    "atomicMin(i, -3)",
    "atomicMin(u, 3u)",
    "atomicMax(l, 3ull)",
    "atomicXor(l, 3ull)",
    "atomicExch(f, 3.0f)",
    "atomicInc(u, 3u)",
    "atomicCAS(i, 1, 3)",
    "atomicCAS(l, 1ull, 3ull)",
];

/// Returns the scope of a module's atomic instructions, `gpu` where none is written.
fn scopes(ptx: &str) -> Vec<&str> {
    let instructions = ptx.lines().map(str::trim).filter(|line| line.starts_with("atom.") || line.starts_with("red."));
    instructions
        .map(|instruction| {
            let mut words = instruction.split_whitespace().next().unwrap_or_default().split('.');
            words.find(|word| ["cta", "sys"].contains(word)).unwrap_or("gpu")
        })
        .collect()
}

#[test]
fn atomics_have_the_same_scopes_by_both_compilers() {
    for (suffix, scope) in [("", "gpu"), ("_block", "cta"), ("_system", "sys")] {
        let calls: String = ATOMICS.iter().map(|call| call.replacen('(', &format!("{suffix}("), 1) + ";\n").collect();
        let text = format!(
            "__global__ void k(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {{\n{calls}}}\n"
        );
        let Some(both) = compiled("warps::atomics_have_the_same_scopes_by_both_compilers", &text) else { return };
        assert_eq!(scopes(&both.nvrtc), [scope; ATOMICS.len()], "NVRTC{suffix}\n{}", both.nvrtc);
        assert_eq!(scopes(&both.clang), [scope; ATOMICS.len()], "clang{suffix}\n{}", both.clang);
    }
}
