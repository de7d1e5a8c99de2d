//! `cargo learn check` with structures, variables and large buffers.

use std::process::Command;

/// Runs `cargo learn check` on a kernel `k` in CUDA C++ with the words after `k.cu --kernel k` that spaces separate, and returns exit
/// status, output and error output; none, after a line that says so, without NVRTC.
pub(crate) fn check(text: &str, arguments: &str) -> Option<(Option<i32>, String, String)> {
    if let Err(missing) = nvrtc::Nvrtc::find() {
        crate::skip(&missing.to_string());
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("k.cu"), text).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    command.current_dir(folder.path()).args(["check", "k.cu", "--kernel", "k", "--compiler", "nvrtc", "--no-estimate"]);
    let output = command.args(arguments.split_whitespace()).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some((output.status.code(), text(output.stdout), text(output.stderr)))
}

/// The way of CUDA's programming guide to pass a matrix.
const MATRIX: &str = "struct Matrix { int width, height; float* elements; };\n\
    __global__ void k(Matrix a, Matrix b, float f) {\n    int c = threadIdx.x, r = blockIdx.y;\n    \
    if (c < a.width) b.elements[r * b.width + c] = f * a.elements[r * a.width + c];\n}\n";

#[test]
fn a_structure_with_an_address_is_passed_and_its_buffer_printed() {
    let arguments =
        "--grid 1,4 --block 32 --arg {i32=8,4,f32[32]=index} --arg {i32=8,i32=4,f32[32]} --arg f32=2 --print 2.3";
    let Some((status, said, errors)) = check(MATRIX, arguments) else { return };
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("\nargument 2.3, f32[32]: 0 2 4 6 8 ") && said.ends_with(" 60 62\n"), "{said}");
}

#[test]
fn findings_name_the_member_of_a_structure() {
    let arguments = "--grid 1,4 --block 32 --arg {i32=8,i32=4,f32[24]=1} --arg {i32=8,i32=4,f32[32]} --arg f32=2";
    let Some((status, said, _)) = check(MATRIX, arguments) else { return };
    let element = "\n  element 24 of member 3 of argument 1 `a`, which has 24 elements (f32[24])\n";
    assert!(status == Some(1) && said.ends_with(element), "{said}");
}

#[test]
fn a_structure_of_another_size_is_told_both_sizes() {
    let arguments = "--grid 1 --block 32 --arg {i32=8,f32[24]=1,i32=4} --arg {i32=8,i32=4,f32[32]} --arg f32=2";
    let Some((status, _, errors)) = check(MATRIX, arguments) else { return };
    let sizes = "error: `k` takes these parameters: 3 (16, 16, 4 bytes); these arguments are given: 3 (24, 16, 4 bytes). \
                 Argument 1 has 24 bytes, and its parameter 16.";
    assert!(status == Some(2) && errors.starts_with(sizes), "{errors}");
}

#[test]
fn an_address_of_another_argument_may_be_in_a_structure() {
    let text = "struct Pair { char tag; double scale; float* from; };\n\
        __global__ void k(float* x, Pair pair) { x[threadIdx.x] = pair.from[31 - threadIdx.x] * pair.scale + pair.tag; }\n";
    let arguments = "--grid 1 --block 1 --arg f32[32]=index --arg {i8=1,f64=2,@1} --print 1";
    let Some((status, said, errors)) = check(text, arguments) else { return };
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("argument 1, f32[32]: 63 1 2 3"), "{said}");
    let missing = check(text, "--grid 1 --block 1 --arg f32[32] --arg {i8=1,f64=2,@2}").expect("as before");
    assert_eq!(missing.2, "error: @2: argument 2 is not a buffer\n");
}

#[test]
fn values_where_the_source_has_a_pointer_or_a_number_are_named() {
    let text = "__global__ void k(float* x, int n) { if (n > 0) x[0] = n; }\n";
    let Some((_, _, errors)) = check(text, "--grid 1 --block 1 --arg {@2} --arg i32=0") else { return };
    assert!(errors.starts_with("warning: argument 1 is a structure, and the parameter is `float* x`\n"), "{errors}");
}

/// A filter whose coefficients are a variable.
const BLUR: &str = "// `mask` is set by the host; cudaMemcpyToSymbol(mask, ...)\n__constant__ float mask[3];\n\
    __global__ void k(const float* in, float* out, int n) {\n    int i = threadIdx.x;\n    if (i < 1 || i >= n - 1) return;\n    \
    out[i] = mask[0] * in[i - 1] + mask[1] * in[i] + mask[2] * in[i + 1];\n}\n";

const BLUR_ARGUMENTS: &str = "--grid 1 --block 32 --arg f32[4]=index --arg f32[4]=7 --arg i32=4 --print 2";

#[test]
fn a_constant_that_nothing_has_set_has_a_note() {
    let Some((status, said, errors)) = check(BLUR, BLUR_ARGUMENTS) else { return };
    assert_eq!(
        errors,
        "note: nothing has set the __constant__ variable `mask`, which is 0 in all its 12 bytes; --set mask=f32[3]=… sets it\n"
    );
    assert!(status == Some(0) && said.ends_with("argument 2, f32[4]: 7 0 0 7\n"), "{said}");
}

#[test]
fn a_constant_is_set_and_printed_by_its_name() {
    let arguments = format!("{BLUR_ARGUMENTS} --set mask=f32[3]=1,2,1 --print mask");
    let Some((status, said, errors)) = check(BLUR, &arguments) else { return };
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(said.ends_with("argument 2, f32[4]: 7 4 8 7\nmask, f32[3]: 1 2 1\n"), "{said}");
}

#[test]
fn constants_with_a_value_in_the_source_or_that_are_not_read_have_no_note() {
    for (declaration, use_of_it) in [
        ("__constant__ float mask[3] = {1, 2, 1};", "mask[i % 3]"),
        ("__constant__ float mask[3] = {0, 0, 0};", "mask[i % 3]"),
        ("__constant__ float first = 1, mask[3] = {0};", "first * mask[i % 3]"),
        ("__constant__ int zero = 0;", "zero"),
        ("__constant__ int zero{0};", "zero"),
        ("__device__ float mask[3];", "mask[i % 3]"),
        ("__constant__ float mask[3]; __global__ void other(float* x) { *x = mask[0]; }", "1"),
    ] {
        let text =
            format!("{declaration}\n__global__ void k(float* x) {{ int i = threadIdx.x; x[i] = {use_of_it}; }}\n");
        let Some((status, _, errors)) = check(&text, "--grid 1 --block 32 --arg f32[32]") else { return };
        assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    }
}

#[test]
fn constants_in_namespaces_and_in_called_functions_have_a_note() {
    for (text, note) in [
        (
            "namespace lab { __constant__ double step; }\n__global__ void k(float* x) { x[threadIdx.x] = lab::step; }",
            "lab::step=f64[1]",
        ),
        ("static __constant__ int size;\n__global__ void k(float* x) { x[threadIdx.x] = size; }", "size=i32[1]"),
        (
            "struct Sizes { int n; float a; };\n__constant__ Sizes sizes;\n__global__ void k(float* x) { x[threadIdx.x] = sizes.a; }",
            "sizes=TYPE[COUNT]",
        ),
        (
            "__constant__ int size;\n__noinline__ __device__ int get() { return size; }\n__global__ void k(float* x) { x[threadIdx.x] = get(); }",
            "size=i32[1]",
        ),
    ] {
        let Some((status, _, errors)) = check(text, "--grid 1 --block 32 --arg f32[32]") else { return };
        assert!(status == Some(0) && errors.contains(&format!("--set {note}=… sets it")), "{text}{errors}");
    }
}

#[test]
fn variables_hold_structures_and_addresses_too() {
    let text = "struct Grid { int n; float* cells; };\n__device__ Grid grid;\n__device__ int count;\n__device__ float* other;\n\
        __global__ void k(float* x) { if (threadIdx.x < grid.n) grid.cells[threadIdx.x] = other[0]; atomicAdd(&count, 2); }\n";
    let arguments = "--grid 1 --block 32 --arg f32[4]=5 --set grid={i32=3,@1} --set other=@1 --set count=i32=10 \
                     --print count --print count=u32 --print 1";
    let Some((_, said, errors)) = check(text, arguments) else { return };
    assert_eq!(errors, "");
    assert!(said.ends_with("count, i32[1]: 74\ncount, u32[1]: 74\nargument 1, f32[4]: 5 5 5 5\n"), "{said}");
}

#[test]
fn wrong_variables_are_refused_with_the_right_ones() {
    let refused = |more: &str| {
        check(BLUR, &format!("{BLUR_ARGUMENTS} {more}")).map(|(status, _, errors)| {
            assert_eq!(status, Some(2), "{errors}");
            errors
        })
    };
    let Some(missing) = refused("--set maks=f32=1") else { return };
    assert_eq!(missing, "error: there is no variable `maks`; the variables are mask\n");
    let large = refused("--set mask=f64[3]=1").expect("as before");
    assert_eq!(large, "error: --set mask: the variable has 12 bytes, and the value 24\n");
    let bare = refused("--set mask").expect("as before");
    assert!(bare.contains("`mask` has no value; write NAME=TYPE=VALUE, NAME=TYPE[COUNT]=VALUES"), "{bare}");
    let none = refused("--set mask=@3").expect("as before");
    assert_eq!(none, "error: @3: argument 3 is not a buffer\n");
}

#[test]
fn the_document_has_members_variables_and_notes() {
    let text = "struct Pair { int n; float* out; };\n__constant__ float mask[3];\n__device__ int total;\n\
        extern \"C\" __global__ void k(Pair p) {\n    int i = threadIdx.x;\n    if (i < p.n) p.out[i] = mask[i % 3] + i;\n    \
        if (i == 0) total = p.n;\n}\n\
        extern \"C\" __global__ void other(Pair p) { int i = threadIdx.x; if (i < p.n) p.out[i] = i + i / 7; }\n";
    let arguments = "--grid 1 --block 32 --arg {i32=8,f32[8]} --print 1.2 --compare k.cu:other --json";
    let Some((status, said, errors)) = check(text, arguments) else { return };
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    let document: serde_json::Value = serde_json::from_str(&said).expect("a document");
    let note = document["runs"][0]["warnings"][0].as_str().expect("a note");
    assert!(note.starts_with("note: nothing has set the __constant__ variable `mask`"), "{note}");
    let difference = &document["comparisons"][0]["differences"][0];
    assert_eq!((&difference["argument"], &difference["elements"]), (&"1.2".into(), &1.into()), "{difference}");
    let arguments = "--grid 1 --block 32 --arg {i32=8,f32[7]} --set mask=f32[3]=1,0,0 --print 1.2 --print total --json";
    let (status, said, errors) = check(text, arguments).expect("as before");
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    let document: serde_json::Value = serde_json::from_str(&said).expect("a document");
    let run = &document["runs"][0];
    let element = "element 7 of member 2 of argument 1 `p`, which has 7 elements (f32[7])";
    assert_eq!((&run["findings"][0]["element"], &run["findings"][0]["line"]), (&element.into(), &6.into()), "{run}");
    assert_eq!(run["outputs"][0]["argument"], "1.2");
    assert_eq!((&run["outputs"][1]["variable"], &run["outputs"][1]["type"]), (&"total".into(), &"i32[1]".into()));
    assert_eq!(run["warnings"], serde_json::json!([]));
}

/// The same launch with a buffer of 64 MB takes no time that a user sees: 28 ns a byte would be 1.8 s.
#[test]
fn large_buffers_are_filled_at_the_speed_of_memory() {
    let text = "__global__ void k(float* x) { x[threadIdx.x] += 1; }\n";
    for contents in ["7", "index", "random"] {
        let begin = std::time::Instant::now();
        let arguments = format!("--grid 1 --block 32 --arg f32[16777216]={contents}");
        let Some((status, ..)) = check(text, &arguments) else { return };
        assert!(status == Some(0) && begin.elapsed().as_secs_f64() < 5.0, "{contents}: {:?}", begin.elapsed());
    }
}
