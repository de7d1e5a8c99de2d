//! Headers that NVRTC does not have by itself, with results worked out by hand; missing headers; reads of shared memory that
//! nobody writes.

use crate::machine::{Machine, by_clang, compiled};

/// Runs the kernel `k` of a text in two warps, on inputs of one float per thread.
fn results(test: &str, text: &str, input: &[f32]) -> Option<Vec<f32>> {
    let ptx = by_clang(test, text)?.unwrap_or_else(|log| panic!("{log}"));
    let bytes: Vec<u8> = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    let results = Machine::of(&ptx).run("k", input.len(), &[&bytes], 4);
    Some(results.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("4 bytes"))).collect())
}

fn indices() -> Vec<f32> {
    (0..64_u8).map(f32::from).collect()
}

#[test]
fn halves_round_once_to_11_bits() {
    let text = "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(const float* x, float* r) {\n\
        const int i = blockIdx.x * 32 + threadIdx.x;\nconst __half a = __float2half(x[i] + 2048.0f), b = __float2half(0.5f);\n\
        const __half2 pair = __floats2half2_rn(x[i], 3.0f);\nconst __half2 sum = __hadd2(pair, __half2half2(b)) * pair;\n\
        const float of[4] = {__half2float(a), __half2float(__hfma(a, b, b)), __low2float(sum), __high2float(sum)};\n\
        r[i] = of[i % 4] + (__hlt(b, a) ? 0.0f : 1.0f) + (a != a ? 1.0f : 0.0f);\n}";
    let Some(results) = results("headers::halves_round_once_to_11_bits", text, &indices()) else { return };
    // From 2,048 on, halves are even, and 1,024.5 is between two: ties go to the even last digit.
    assert_eq!(results[..4], [2048.0, 1024.0, 2.5 * 2.0, 3.5 * 3.0]);
    assert_eq!(results[4..8], [2052.0, 1026.0, 6.5 * 6.0, 10.5]);
}

/// 2,049 is between the halves 2,048 and 2,050.
#[test]
fn halves_are_rounded_in_all_directions_and_added_to() {
    let text = "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(const float* x, float* r) {\n\
        const int t = threadIdx.x;\n__shared__ half sum;\n__shared__ half2 pair;\n\
        if (t == 0) { sum = __float2half(x[1]); pair = __floats2half2_rn(0.0f, 1.0f); }\n__syncthreads();\n\
        atomicAdd(&sum, __float2half(2.0f));\natomicAdd(&pair, __floats2half2_rn(1.0f, 3.0f));\n__syncthreads();\n\
        const float up = __float2half_ru(2049.0f), down = __float2half_rd(-2049.0f), zero = __float2half_rz(-2049.0f);\n\
        const float of[8] = {up, down, zero, (float)sum, __low2float(pair), __high2float(pair), 0.0f, 0.0f};\n\
        r[blockIdx.x * 32 + t] = of[t % 8];\n}";
    let Some(results) = results("headers::halves_are_rounded_in_all_directions_and_added_to", text, &indices()) else {
        return;
    };
    assert_eq!(results[..6], [2050.0, -2050.0, -2048.0, 1.0 + 32.0 * 2.0, 32.0, 1.0 + 32.0 * 3.0]);
}

#[test]
fn groups_are_the_block_and_parts_of_its_warps() {
    let text = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\
        extern \"C\" __global__ void k(const float* x, float* r) {\n\
        const cg::thread_block block = cg::this_thread_block();\nauto tile = cg::tiled_partition<8>(block);\n\
        const int i = block.group_index().x * block.size() + block.thread_rank();\nfloat sum = x[i];\n\
        for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_down(sum, d);\nblock.sync();\ntile.sync();\n\
        const float of[4] = {sum, (float)tile.ballot(x[i] < 10.0f), (float)tile.meta_group_rank(), (float)tile.thread_rank()};\n\
        r[i] = of[i % 4];\n}";
    let Some(results) = results("headers::groups_are_the_block_and_parts_of_its_warps", text, &indices()) else {
        return;
    };
    assert_eq!(results[0], 28.0, "0 + 1 + … + 7");
    assert_eq!(results[8..12], [92.0, 3.0, 1.0, 3.0], "8 + … + 15; threads 8 and 9; the second tile");
    assert_eq!(results[40], 40.0 * 8.0 + 28.0);
    assert_eq!(results[42], 1.0, "the second tile of its block");
}

/// The bytes of the first number are 1, 127, -1 or 255, and -128 or 128. Its halves are 32,513, and -32,513 or 33,023.
#[test]
fn sums_of_products_have_the_signs_of_their_types() {
    let text = "extern \"C\" __global__ void k(const float* x, float* r) {\n\
        const int i = blockIdx.x * 32 + threadIdx.x, a = 0x80ff7f01 + (int)x[0], b = 0x04030201;\n\
        const float of[4] = {(float)__dp4a(a, b, 5), (float)__dp4a((unsigned)a, (unsigned)b, 5u),\n\
        (float)__dp2a_lo(a, b, 0), (float)__dp2a_hi((unsigned)a, (unsigned)b, 0u)};\nr[i] = of[i % 4];\n}";
    let Some(results) = results("headers::sums_of_products_have_the_signs_of_their_types", text, &indices()) else {
        return;
    };
    let of_bytes = [1 + 2 * 127 - 3 - 4 * 128 + 5, 1 + 2 * 127 + 3 * 255 + 4 * 128 + 5];
    let of_halves = [32_513 - 2 * 32_513, 3 * 32_513 + 4 * 33_023];
    assert_eq!(results[..4], [of_bytes, of_halves].concat().into_iter().map(|sum| sum as f32).collect::<Vec<_>>());
}

#[test]
fn integers_of_a_given_size_have_it() {
    let text = "#include <cstdint>\n#include <math_constants.h>\n#include <stdio.h>\nextern \"C\" __global__ void k(const float* x, float* r) {\n\
        const int i = blockIdx.x * 32 + threadIdx.x;\nstd::uint8_t a = 300;\nint64_t b = 1ll << 40;\n\
        r[i] = a + (float)(b >> 38) + sizeof(uint16_t) + (x[i] < CUDART_INF_F ? 0.5f : 0.0f);\n}";
    let Some(results) = results("headers::integers_of_a_given_size_have_it", text, &indices()) else { return };
    assert_eq!(results[0], 44.0 + 4.0 + 2.0 + 0.5);
}

#[test]
fn headers_of_the_host_are_the_same_for_both_compilers() {
    let text = "#include <cfloat>\n#include <limits.h>\n#include <cmath>\n#include <cstdint>\n#include <math_constants.h>\n\
        #include <stdlib.h>\n#include <cuda_runtime.h>\nextern \"C\" __global__ void k(const float* x, double* r) {\n\
        const double of[] = {FLT_MAX, DBL_EPSILON, INT_MIN, UINT_MAX, M_PI, INFINITY, NAN, INT64_MIN, CUDART_INF,\n\
        CUDART_NAN_F, sizeof(intptr_t)};\nr[threadIdx.x] = of[threadIdx.x % 11];\n}";
    let Some(both) = compiled("headers::headers_of_the_host_are_the_same_for_both_compilers", text) else { return };
    let [nvrtc, clang] = [&both.nvrtc, &both.clang].map(|ptx| Machine::of(ptx).run("k", 32, &[&[0; 128]], 8));
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        bytes.chunks_exact(8).map(|number| f64::from_le_bytes(number.try_into().expect("8 bytes"))).collect()
    };
    let nvrtc = numbers(&nvrtc);
    let clang = numbers(&clang);
    assert_eq!(
        clang[..5],
        [f64::from(f32::MAX), f64::EPSILON, -2_147_483_648.0, 4_294_967_295.0, std::f64::consts::PI]
    );
    assert!(clang[6].is_nan() && clang[9].is_nan() && nvrtc[6].is_nan() && nvrtc[9].is_nan());
    for index in [0, 1, 2, 3, 4, 5, 7, 8, 10] {
        assert_eq!(nvrtc[index], clang[index], "{index}");
    }
}

#[test]
fn a_header_that_does_not_exist_is_answered_with_those_that_do() {
    let test = "headers::a_header_that_does_not_exist_is_answered_with_those_that_do";
    let Some(result) = by_clang(test, "#include <vector>\n") else { return };
    let log = result.expect_err("there is no such header");
    assert!(log.starts_with("test.cu:1:10: fatal error: 'vector' file not found"), "{log}");
    assert!(log.contains("a kernel can include algorithm, array, assert.h, cassert, cfloat,"), "{log}");
}

#[test]
fn errors_name_the_file_and_line_of_the_kernel_alone() {
    let text = "extern \"C\" __global__ void k(float* x) {\n    x[0] = atomicAdd(x);\n}\n";
    let Some(result) = by_clang("headers::errors_name_the_file_and_line_of_the_kernel_alone", text) else { return };
    let log = result.expect_err("an argument is missing");
    assert!(log.starts_with("test.cu:2:12: error: no matching function for call to 'atomicAdd'"), "{log}");
    assert!(!log.contains("coalesced-header-") && !log.contains(" generated when"), "{log}");
}

/// A read of what nobody has written is the mistake that a check finds; it must not be optimized away.
#[test]
fn a_read_of_shared_memory_that_nobody_writes_stays() {
    let text = "template <int N> __device__ float inner(int t) { __shared__ float tile[N]; return tile[t]; }\n\
        extern \"C\" __global__ void k(float* x) {\n    __shared__ float tile[64];\n    \
        x[threadIdx.x] = tile[threadIdx.x] + inner<32>(threadIdx.x);\n}\n";
    let Some(result) = by_clang("headers::a_read_of_shared_memory_that_nobody_writes_stays", text) else { return };
    let ptx = result.expect("it compiles");
    assert_eq!(ptx.matches("ld.shared").count(), 2, "{ptx}");
}

#[test]
fn text_is_printed_by_the_drivers_function() {
    let text = "extern \"C\" __global__ void k(int n) { printf(\"%d %f\\n\", n, 0.5f); assert(n > 0); }\n";
    let Some(result) = by_clang("headers::text_is_printed_by_the_drivers_function", text) else { return };
    let ptx = result.expect("it compiles");
    assert!(ptx.contains("vprintf") && ptx.contains("__assertfail"), "{ptx}");
}

/// The compilers pass the arguments in different ways: clang in memory of its own for each call.
#[test]
fn both_compilers_print_the_same_text() {
    let text = "struct Pair { float x; double y; };\n__device__ int report(const char* name, Pair p) {\n\
        return printf(\"%s: %.1f, %.2f\\n\", name, p.x, p.y);\n}\n\
        extern \"C\" __global__ void k(int* counts) {\nconst int i = threadIdx.x;\n\
        counts[i] = printf(\"none\\n\");\nif (i > 1) return;\nconst char c = 'A' + i; const short s = -i; const bool b = i == 0;\n\
        counts[i] += 10 * printf(\"%d %u %c %hd %lld %p %s %5.2f|\\n\", i, 3000000000u, c, s, 1ll << (40 + i), (void*)0, b ? \"yes\" : \"no\", i / 4.0f);\n\
        counts[i] += 1000 * report(i == 0 ? \"first\" : \"second\", Pair{1.5f, i + 0.25});\n}\n";
    let Some(both) = compiled("headers::both_compilers_print_the_same_text", text) else { return };
    let lines = "0 3000000000 A 0 1099511627776 (nil) yes  0.00|\n1 3000000000 B -1 2199023255552 (nil) no  0.25|\n\
        first: 1.5, 0.25\nsecond: 1.5, 1.25\n";
    for ptx in [both.nvrtc, both.clang] {
        let machine = Machine::of(&ptx);
        let counts = machine.run("k", 32, &[], 4);
        assert_eq!(machine.printed(), format!("{}{lines}", "none\n".repeat(32)));
        let count = |thread: usize| i32::from_le_bytes(counts[4 * thread..][..4].try_into().expect("4 bytes"));
        assert_eq!([count(0), count(1), count(2)], [3080, 3080, 0]);
    }
}
