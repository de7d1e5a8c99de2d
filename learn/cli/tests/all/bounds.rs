//! `cargo learn check` on kernels that access the wrong places: the finding names the argument that was meant, and the own line.

use crate::arguments::check;

/// Returns the output of a kernel with a finding; none without NVRTC.
fn found(text: &str, arguments: &str) -> Option<String> {
    let (status, said, errors) = check(text, arguments)?;
    assert_eq!(status, Some(1), "{said}{errors}");
    Some(said)
}

/// A sum of rows of two arrays, each with a length of its rows.
const ROWS: &str = "__global__ void k(const float* a, const float* b, float* out, int rows, int width) {\n    \
    int r = threadIdx.x;\n    if (r < rows) out[r] = a[r * width] + b[r];\n}\n";

/// Steps of all sizes around the distances of a real driver's allocations.
#[test]
fn a_wrong_step_does_not_land_in_another_argument() {
    for width in [1024, 1025, 1088, 2048, 2200, 4096, 5000, 65_536, 1 << 20, (1 << 24) + 3, 1 << 26] {
        let arguments = format!(
            "--grid 1 --block 32 --arg f32[1024]=1 --arg f32[65536]=2 --arg f32[64] --arg i32=31 --arg i32={width}"
        );
        let Some(said) = found(ROWS, &arguments) else { return };
        let element = format!("\n  element {width} of argument 1 `a`, which has 1024 elements (f32[1024])\n");
        assert!(
            said.starts_with("k.cu, ") && said.contains("\nmemcheck: out-of-bounds access") && said.ends_with(&element),
            "{said}"
        );
    }
}

#[test]
fn negative_and_far_elements_are_named() {
    let text = "__global__ void k(const double* table, float* out, long long at) { out[threadIdx.x] = table[at + threadIdx.x]; }\n";
    for at in [-1_i64, -513, -100_000, -(1 << 31), 1 << 10, 1 << 31, (1 << 32) + 5] {
        let arguments = format!("--grid 1 --block 32 --arg f64[64]=1 --arg f32[32] --arg i64={at}");
        let Some(said) = found(text, &arguments) else { return };
        let element = format!("\n  element {at} of argument 1 `table`, which has 64 elements (f64[64])\n");
        assert!(said.ends_with(&element), "{at}: {said}");
    }
}

/// The offset of a row is computed in 32 bits.
#[test]
fn an_offset_that_overflows_is_a_negative_element() {
    let text = "__global__ void k(const unsigned char* before, const unsigned char* table, unsigned char* out, int row, int columns) {\n\
        int column = threadIdx.x; out[column] = table[row * columns + column] + before[0]; }\n";
    let arguments = "--grid 1 --block 32 --arg u8[64]=1 --arg u8[4096]=7 --arg u8[32] --arg i32=239680 --arg i32=8960";
    let Some(said) = found(text, arguments) else { return };
    assert!(
        said.ends_with("\n  element -2147434496 of argument 2 `table`, which has 4096 elements (u8[4096])\n"),
        "{said}"
    );
}

#[test]
fn misaligned_accesses_have_the_argument_and_the_element() {
    let text = "__global__ void k(float4* out, const float* in, int n) { out[threadIdx.x] = *(const float4*)(in + threadIdx.x * n + 1); }\n";
    let arguments = "--grid 1 --block 32 --arg f32[128] --arg f32[40000]=1 --arg i32=1001";
    let Some(said) = found(text, arguments) else { return };
    assert!(said.contains("\nmemcheck: misaligned access in kernel `k`: 16 bytes of global memory at 0x"), "{said}");
    assert!(said.ends_with("\n  element 1 of argument 2 `in`, f32[40000]\n"), "{said}");
    let text = "__global__ void k(int* out, const char* in) { out[threadIdx.x] = *(const int*)(in + 2); }\n";
    let said = found(text, "--grid 1 --block 32 --arg i32[32] --arg f64[8]=1").expect("as before");
    assert!(said.ends_with("\n  byte 2 of element 0 of argument 2 `in`, f64[8]\n"), "{said}");
}

#[test]
fn misaligned_accesses_to_shared_memory_name_the_variable() {
    let text = "__global__ void k(float4* out) {\n    __shared__ __align__(16) float tile[64];\n    tile[threadIdx.x] = 1;\n    \
        tile[threadIdx.x + 32] = 1;\n    __syncthreads();\n    out[threadIdx.x] = *(float4*)(tile + 2 * threadIdx.x);\n}\n";
    let Some(said) = found(text, "--grid 1 --block 32 --arg f32[128]") else { return };
    assert!(
        said.contains("misaligned access") && said.ends_with(" of `tile`, which has 64 elements of 4 bytes\n"),
        "{said}"
    );
}

#[test]
fn variables_of_the_module_are_named() {
    let text =
        "__device__ int table[16];\n__global__ void k(int* x, int n) { table[threadIdx.x * n] = x[threadIdx.x]; }\n";
    let Some(said) = found(text, "--grid 1 --block 32 --arg i32[32]=1 --arg i32=5") else { return };
    assert!(said.ends_with("\n  element 20 of `table`, which has 16 elements of 4 bytes\n"), "{said}");
    let text = text
        .replace("__device__ int", "__constant__ int")
        .replace("table[threadIdx.x * n] = x[threadIdx.x]", "x[threadIdx.x] = table[threadIdx.x * n]");
    let said = found(&text, "--grid 1 --block 32 --arg i32[32] --arg i32=5 --set table=i32=0").expect("as before");
    assert!(said.ends_with("\n  element 20 of `table`, which has 16 elements of 4 bytes\n"), "{said}");
}

#[test]
fn freed_buffers_and_null_pointers_are_named() {
    let text = "__global__ void k(const float* a, float* out) { if (out) out[threadIdx.x] = a[threadIdx.x + 2]; else out[threadIdx.x + 3] = 1; }\n";
    let Some(said) = found(text, "--grid 1 --block 32 --arg f32[64]=freed --arg f32[32]") else { return };
    assert!(said.contains(", at byte 8 of an allocation of 256 bytes that was freed before\n"), "{said}");
    assert!(said.ends_with("\n  element 2 of argument 1 `a`, f32[64], which is freed\n"), "{said}");
    let said = found(text, "--grid 1 --block 32 --arg f32[64]=1 --arg u64=0").expect("as before");
    assert!(said.ends_with("\n  12 bytes past the null pointer that is argument 2 `out`\n"), "{said}");
}

/// NVRTC makes variables of the elements of an array whose indices are all constants.
#[test]
fn elements_that_are_variables_of_their_own_have_their_index() {
    let text = "__global__ void k(const float* in, float* out) {\n    __shared__ float total[32];\n    \
        if (threadIdx.x == 31) total[31] = in[31];\n    out[threadIdx.x] = total[31];\n}\n";
    let Some(said) = found(text, "--grid 1 --block 64 --arg f32[64]=1 --arg f32[64]") else { return };
    assert!(said.contains("\n  element 31 of `total`"), "{said}");
}

#[test]
fn kernels_have_their_names_as_they_are_written() {
    let text = "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n";
    let Some((status, _, errors)) = check(text, "--grid 1 --block 2048 --arg f32[32]") else { return };
    assert!(status == Some(2) && errors.contains("invalid launch of `k`"), "{errors}");
    let few = check(text, "--grid 1 --block 32").expect("as before");
    assert!(few.2.starts_with("error: `k` takes these parameters: 1 (8 bytes)"), "{}", few.2);
    let json = check(text, "--grid 1 --block 32 --arg f32[8] --json").expect("as before");
    assert!(json.1.contains("in kernel `k`: "), "{}", json.1);
}

/// The launch reads and writes only what it has.
#[test]
fn right_kernels_stay_clean_with_buffers_far_apart() {
    let arguments =
        "--grid 1 --block 32 --arg f32[65536]=1 --arg f32[65536]=2 --arg f32[64] --arg i32=31 --arg i32=2048";
    let Some((status, said, errors)) = check(ROWS, arguments) else { return };
    assert!(status == Some(0) && errors.is_empty(), "{said}{errors}");
}

/// An address that nobody has computed from an argument names none of them, and no variable.
#[test]
fn null_pointers_and_wild_addresses_are_told_apart() {
    let text = "__device__ int table[4];\n__global__ void k(int** rows, int* out) {\n    \
        rows[1][threadIdx.x + 2] = 1;\n    out[0] = table[0];\n}\n";
    let options = "--grid 1 --block 1 --arg u64[2]=0,";
    let Some(said) = found(text, &format!("{options}0 --arg i32[1]")) else { return };
    assert!(said.ends_with("\n  8 bytes past a null pointer\n"), "{said}");
    let said = found(text, &format!("{options}1065353216 --arg i32[1]")).expect("as before");
    assert!(said.contains("at 0x3f800008, not in any allocation\n") && !said.contains("table`"), "{said}");
    assert!(!said.contains("null") && !said.contains("argument"), "{said}");
}
