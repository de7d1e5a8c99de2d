//! `cargo learn check` as a program: output, exit status, and errors of the command line.

use cuda_cpp::Choice;
use loading::workspace_root;
use serde_json::Value;
use std::io::{Write, stderr};
use std::path::Path;
use std::process::Command;

const SUM: &str = ".version 8.1\n.target sm_75\n.address_size 64\n\
    .visible .entry sum(.param .u64 in, .param .u32 n) { .reg .b64 %a; .reg .b32 %v;\n\
    ld.param.u64 %a, [in]; ld.global.u32 %v, [%a+12]; ret; }\n\
    .visible .entry _Z5twicePf(.param .u64 in) { ret; }\n\
    .visible .entry endless() { .reg .u32 %i; mov.u32 %i, 0; again: add.u32 %i, %i, 1; bra again; }\n\
    .visible .entry odd() { frobnicate.b32; ret; }\n";

/// Runs `cargo learn check` on a file and returns exit status, output and error output.
fn check(file: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    let output = command.arg("check").arg(file).args(arguments.split_whitespace()).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs `cargo learn check` on [`SUM`].
fn check_sum(arguments: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("sum.ptx");
    std::fs::write(&file, SUM).expect("a file");
    check(&file, arguments)
}

#[test]
fn a_clean_kernel_has_a_line_a_time_and_status_0() {
    let (status, said, errors) = check_sum("--kernel sum --grid 2,2 --block 32 --arg u32[4]=index --arg u32=4");
    let (clean, time) = said.split_once('\n').expect("two lines");
    assert_eq!(clean, "sum: clean (memcheck, initcheck, racecheck, synccheck), 4 blocks of 32");
    assert!(time.starts_with("  on an H200: ") && time.contains(", limited by launch; ESTIMATED"), "{time}");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
}

#[test]
fn a_finding_has_tool_thread_and_element_and_status_1() {
    let (status, said, _) = check_sum("--kernel sum --grid 1 --block 1 --arg u32[4] --arg u32=4");
    assert_eq!(
        said,
        "initcheck: read of uninitialized global memory in kernel `sum`: global memory at 0x70000000c, once\n  \
         read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)\n    \
         PTX line 5: ld.param.u64 %a, [in]; ld.global.u32 %v, [%a+12]; ret; }\n  \
         element 3 of argument 1, u32[4]\n"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn json_is_one_document() {
    let document = |arguments: &str| -> (Option<i32>, Value) {
        let (status, said, _) = check_sum(arguments);
        (status, serde_json::from_str(&said).expect("one document"))
    };
    let (status, found) = document("--json --kernel sum --grid 1 --block 1 --arg u32[3]=0 --arg u32=3");
    let run = &found["runs"][0];
    let finding = &run["findings"][0];
    assert_eq!((&found["version"], status, &run["status"]), (&1.into(), Some(1), &"findings".into()));
    assert_eq!((&finding["tool"], &finding["line"]), (&"memcheck".into(), &5.into()));
    assert_eq!(finding["sides"][0]["place"]["line"], 5);
    assert_eq!(finding["element"], "element 3 of argument 1, which has 3 elements (u32[3])");
    assert_eq!(run["counts"]["ends_with_a_fault"], true);
    let (status, clean) = document("--json --kernel sum --grid 1 --block 1 --arg u32[4]=0 --arg u32=3 --print 1");
    let run = &clean["runs"][0];
    assert_eq!((status, &run["status"], &run["findings"]), (Some(0), &"clean".into(), &Value::Array(Vec::new())));
    assert_eq!(run["outputs"][0]["elements"], serde_json::json!([0, 0, 0, 0]));
    assert_eq!(run["counts"]["total"]["global_load_sectors"], 1);
    assert_eq!(run["estimate"]["limited_by"], "launch");
    let (status, wrong) = document("--json --kernel none --grid 1 --block 1");
    let run = &wrong["runs"][0];
    assert_eq!((status, &run["status"], &run["counts"]), (Some(2), &"error".into(), &Value::Null));
    assert!(run["error"].as_str().is_some_and(|error| error.starts_with("there is no kernel `none`")));
}

#[test]
fn a_clean_launch_of_some_length_has_an_estimate_that_is_called_one() {
    let file = workspace_root().join("stage01-naive/ptx/01_compute_forces.ptx");
    let read = "--arg f32[2048]=random ".repeat(4);
    let written = "--arg f32[2048] ".repeat(3);
    let arguments = format!("--kernel computeForces --grid 16 --block 128 {read}{written}--arg i32=2048");
    let (status, said, _) = check(&file, &arguments);
    let last = said.lines().last().unwrap_or_default();
    let way = if cuda_cpp::Assembler::find().is_some() { "machine code" } else { "the PTX" };
    let is_called_one = last.ends_with(&format!("; ESTIMATED from {way}, not measured"));
    assert!(last.starts_with("  on an H200: ") && is_called_one, "{said}");
    assert_eq!(status, Some(0));
    assert_eq!(check(&file, &format!("{arguments} --no-estimate")).1.lines().count(), said.lines().count() - 1);
}

#[test]
fn printed_text_comes_first_and_has_its_own_field_in_json() {
    let file = workspace_root().join("emulator/machine/tests/programs/printing.ptx");
    let arguments = "--kernel printing --grid 1 --block 2 --arg i32[2]";
    let text = "block 0, thread 0\nblock 0, thread 1\nodd  0.25 low\neven 0 e\n";
    let clean = "printing: clean (memcheck, initcheck, racecheck, synccheck), 1 block of 2\n";
    assert_eq!(check(&file, arguments), (Some(0), format!("{text}{clean}"), String::new()));
    let (status, said, errors) = check(&file, &format!("{arguments} --json"));
    let document: Value = serde_json::from_str(&said).expect("one document");
    assert_eq!((status, &document["runs"][0]["printed"], errors.as_str()), (Some(0), &text.into(), ""));
}

#[test]
fn elements_of_an_argument_are_printed_on_request() {
    let (_, said, _) = check_sum("--kernel sum --grid 1 --block 1 --arg i32[4]=1,-2,3,4 --arg u32=4 --print 1");
    assert!(said.ends_with("\nargument 1, i32[4]: 1 -2 3 4\n"), "{said}");
    let (status, _, errors) = check_sum("--kernel sum --grid 1 --block 1 --arg u32[4]=0 --arg u32=4 --print 2");
    assert_eq!((status, errors.as_str()), (Some(2), "error: --print 2: argument 2 is not a buffer\n"));
}

/// The kernel changes a register in each iteration, so it cannot be proved to be endless.
#[test]
fn a_kernel_that_does_not_end_is_stopped() {
    let (status, said, _) = check_sum("--kernel endless --grid 1 --block 32 --budget 100000");
    assert!(said.starts_with("instruction budget used up in kernel `endless`: "), "{said}");
    assert_eq!(status, Some(1));
}

#[test]
fn a_mangled_kernel_is_found_by_its_name_in_the_source() {
    let (status, said, _) = check_sum("--kernel twice --grid 1 --block 32 --arg f32[32]");
    assert!(said.starts_with("twice: clean"), "{said}");
    assert_eq!(status, Some(0));
}

/// Returns the error for a wrong command line, whose status is 2.
fn refused(arguments: &str) -> String {
    let (status, said, errors) = check_sum(arguments);
    assert_eq!((status, said.as_str()), (Some(2), ""), "{errors}");
    errors
}

#[test]
fn errors_of_the_command_line_name_the_alternatives() {
    let unknown = refused("--kernel prod --grid 1 --block 1");
    assert_eq!(unknown, "error: there is no kernel `prod`; the kernels are sum, twice, endless\n");
    let few = refused("--kernel sum --grid 1 --block 1 --arg u32[4]");
    assert!(
        few.contains("`sum` takes these parameters: 2 (8, 4 bytes); these arguments are given: 1 (8 bytes)"),
        "{few}"
    );
    let shape = refused("--kernel sum --grid 1 --block 2000 --arg u32[4] --arg u32=1");
    assert!(shape.contains("invalid launch of `sum`") && shape.contains("2000"), "{shape}");
    let value = refused("--kernel sum --grid 1 --block 1 --arg u32=-1");
    assert!(value.contains("`-1` is not a value of type u32"), "{value}");
    let folder = refused("--kernel sum --grid 1 --block 1 --include nowhere");
    assert_eq!(folder, "error: --include nowhere: there is no such folder\n");
    let room = refused("--kernel sum --grid 1 --block 1 --arg u64[1000000000000] --arg u32=1");
    assert!(room.contains("no memory for u64[1000000000000]"), "{room}");
}

#[test]
fn an_unsupported_instruction_is_named_with_its_line() {
    let odd = refused("--kernel odd --grid 1 --block 1");
    assert!(odd.contains("cannot load") && odd.contains("line 8: `frobnicate.b32` in `odd`"), "{odd}");
}

/// Hides both compilers, so that the test is the same on every machine.
#[test]
fn files_that_cannot_be_run_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refusal = |name: &str| {
        let file = folder.path().join(name);
        if name != "missing.ptx" {
            std::fs::write(&file, "not a kernel").expect("a file");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
        command.arg("check").arg(&file).args(["--kernel", "k", "--grid", "1", "--block", "1"]);
        command.env("COALESCED_RUSTC", "/no/such/rustc").env("COALESCED_NVRTC", "/no/such/libnvrtc.so");
        let output = command.output().expect("it starts");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{name}");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        errors.replace(&*file.display().to_string(), "FILE")
    };
    assert!(refusal("missing.ptx").starts_with("error: cannot read FILE: "));
    assert_eq!(refusal("kernel.txt"), "error: FILE is not a .ptx, .cu, .cuh or .rs file\n");
    let rust = refusal("kernel.rs");
    assert!(rust.starts_with("error: FILE cannot be compiled: type `rustup component add rust-src"), "{rust}");
    for name in ["kernel.cu", "kernel.cuh"] {
        let cuda = refusal(name);
        assert!(cuda.starts_with("error: FILE cannot be compiled: COALESCED_NVRTC names a file that is not"), "{cuda}");
    }
}

#[test]
fn a_panic_of_a_kernel_in_rust_names_the_line_and_the_thread() {
    if let Err(missing) = rust_ptx::Compiler::find() {
        return crate::skip(&missing.to_string());
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("shift.rs");
    let text = "#![no_std]\n#![feature(abi_ptx)]\nuse device::{Global, thread_idx};\n#[unsafe(no_mangle)]\npub unsafe extern \
        \"ptx-kernel\" fn shift(x: *mut f32, n: u32) {\n    let x = unsafe { Global::new(x, n as usize) };\n    \
        let t = thread_idx().x as usize;\n    x.set(t, x.get(t + 1));\n}\n";
    std::fs::write(&file, text).expect("a file");
    let (status, said, _) = check(&file, "--kernel shift --grid 1 --block 64 --arg f32[40]=1 --arg u32=40");
    assert_eq!(status, Some(1));
    assert!(said.contains("failed assertion in kernel `shift`: `index < length` does not hold"), "{said}");
    assert!(said.contains("shift.rs:8, in `x.set(t, x.get(t + 1));`"), "{said}");
    assert!(said.contains("thread (39, 0, 0)"), "{said}");
}

/// A file with a host program, a template, a kernel in a namespace, and declarations without a word for the device.
const PROGRAM: &str = r#"#include <iostream>
#include <cfloat>
#define BOTH __host__ __device__
template <typename T> BOTH T twice(T x) { return x + x; }
template <typename T, int N> __global__ void times(T* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] = twice(x[i]) * N;
}
namespace lab { __global__ void most(float* x) { x[threadIdx.x] = FLT_MAX; } }
float* host_memory;
int main() {
    cudaMalloc(&host_memory, 400);
    times<float, 3><<<1, 128>>>(host_memory, 100);
    std::cout << host_memory[0];
}
#include "lab.h"
void fill(const float* values);
const char* title = "lab";
struct Timer { void start(); };
"#;

/// A header beside [`PROGRAM`], which is for the host in part.
const OWN_HEADER: &str = "#pragma once\n#include <sys/time.h>\n#include <vector>\n\
    inline double seconds(std::vector<double> times) { return times[0]; }\n\
    __device__ inline uint least(uint a) { return min(a, INT_MAX); }\n";

/// Runs `cargo learn check` on [`PROGRAM`] by a compiler; none, after a line that says so, if it is missing.
fn check_program(test: &str, compiler: Choice, arguments: &[&str]) -> Option<(Option<i32>, String, String)> {
    if let Err(missing) = cuda_cpp::Compiler::find(Some(compiler)) {
        let _ = writeln!(stderr(), "skipped: {test}: {missing}");
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("lab.cu"), PROGRAM).expect("a file");
    std::fs::write(folder.path().join("lab.h"), OWN_HEADER).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    command.current_dir(folder.path()).args(["check", "lab.cu", "--compiler", &compiler.to_string()]);
    let output = command.args(arguments).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some((output.status.code(), text(output.stdout), text(output.stderr)))
}

#[test]
fn a_whole_program_is_checked_without_its_host_code() {
    for compiler in [Choice::Nvrtc, Choice::Clang] {
        let arguments = [
            "--kernel",
            "times<float, 3>",
            "--grid",
            "1",
            "--block",
            "128",
            "--arg",
            "f32[100]=index",
            "--arg",
            "i32=100",
        ];
        let test = "a_whole_program_is_checked_without_its_host_code";
        let Some((status, said, errors)) = check_program(test, compiler, &arguments) else { return };
        assert_eq!(status, Some(1), "{said}{errors}");
        let left_out = "; left out, as the host's: #include <iostream> (line 1), float* host_memory; (line 10), main \
                        (line 11), void fill(const float* values); (line 17), parts of lab.h\n";
        assert!(said.contains(left_out), "{compiler}: {said}");
        assert!(said.contains("memcheck: out-of-bounds access") && said.contains("lab.cu:7: if (i <= n)"), "{said}");
    }
}

#[test]
fn kernels_have_their_names_of_cpp() {
    let test = "kernels_have_their_names_of_cpp";
    let of = |kernel| {
        check_program(
            test,
            Choice::Nvrtc,
            &["--kernel", kernel, "--grid", "1", "--block", "4", "--arg", "f32[4]", "--print", "1"],
        )
    };
    let Some((status, said, errors)) = of("lab::most") else { return };
    assert_eq!(status, Some(0), "{errors}");
    assert!(said.ends_with("argument 1, f32[4]: 340282350000000000000000000000000000000 340282350000000000000000000000000000000 340282350000000000000000000000000000000 340282350000000000000000000000000000000\n"), "{said}");
    let (_, _, errors) = of("times").expect("as before");
    let named = "`times` is a template: name it with arguments for <typename T, int N>, as --kernel 'times<…, …>'";
    assert!(errors.contains(named), "{errors}");
    let (_, _, errors) = of("times<int, 2, 1>").expect("as before");
    assert!(errors.contains("lab.cu") && errors.contains("times"), "{errors}");
}

/// Runs `cargo learn check` on a file in a folder with NVRTC; none without it.
fn check_text(text: &str, header: &str, arguments: &str) -> Option<(Option<i32>, String, String)> {
    if let Err(missing) = nvrtc::Nvrtc::find() {
        crate::skip(&missing.to_string());
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let common = folder.path().join("common");
    std::fs::create_dir(&common).expect("a folder");
    std::fs::write(common.join("helper.h"), header).expect("a file");
    let file = folder.path().join("k.cu");
    std::fs::write(&file, text).expect("a file");
    let arguments = arguments.replace("COMMON", &common.display().to_string());
    Some(check(&file, &format!("--kernel k --grid 1 --block 32 --compiler nvrtc {arguments}")))
}

#[test]
fn headers_of_named_folders_may_be_the_hosts_in_part() {
    let header =
        "#include <fstream>\ninline void save() { std::ofstream file; }\n__device__ inline int two() { return 2; }\n";
    let text = "#include <helper.h>\n__global__ void k(int* x) { x[threadIdx.x] = two(); }\n";
    let Some((status, said, errors)) = check_text(text, header, "--include COMMON --arg i32[32]") else { return };
    assert!(status == Some(0) && said.contains("parts of ") && said.contains("helper.h"), "{said}{errors}");
    let (header, text) =
        ("#include <fstream>\n__device__ inline int broken() { return std::nothing(); }\n", text.replace("two()", "2"));
    let (status, said, errors) = check_text(&text, header, "--include COMMON --arg i32[32]").expect("as before");
    assert!(status == Some(0) && said.contains("#include <helper.h> (line 1)"), "{said}{errors}");
}

#[test]
fn a_file_is_compiled_for_the_architecture_that_it_needs_or_that_is_named() {
    let text = "__global__ void k(int* x) {\n#if __CUDA_ARCH__ >= 800\n    x[threadIdx.x] = __CUDA_ARCH__;\n#else\n#error older\n\
                #endif\n}\n";
    let of = |options: &str| check_text(text, "", &format!("--arg i32[32] --print 1 {options}"));
    let Some((_, said, errors)) = of("") else { return };
    assert!(said.contains("; for sm_90, which it needs\n") && said.contains(": 900 900"), "{said}{errors}");
    assert!(of("--arch sm_80").is_some_and(|(_, said, _)| said.contains(": 800 800") && !said.contains("needs")));
    let (status, _, errors) = of("--arch 75").expect("as before");
    assert!(
        status == Some(2) && errors.contains("k.cu(5): catastrophic error: #error"),
        "lines count as in the file: {errors}"
    );
    assert!(of("--arch hopper").is_some_and(|(_, _, errors)| errors.contains("architectures are 75, 80")));
}

/// A kernel with a type for each argument, and two variables in shared memory.
const TILES: &str = "__global__ void tiles(const int* in, float* out, int shift) {\n    __shared__ int tile[64];\n    \
    __shared__ float other[8];\n    int t = threadIdx.x;\n    tile[t + shift] = in[t];\n    other[t % 8] = 1;\n    \
    __syncthreads();\n    out[t] = tile[63 - t] + other[t % 8];\n}\n";

/// Runs `cargo learn check` on [`TILES`]; none without NVRTC.
fn check_tiles(arguments: &str) -> Option<(Option<i32>, String, String)> {
    if let Err(missing) = nvrtc::Nvrtc::find() {
        crate::skip(&missing.to_string());
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("tiles.cu");
    std::fs::write(&file, TILES).expect("a file");
    Some(check(&file, &format!("--kernel tiles --grid 1 --compiler nvrtc {arguments}")))
}

#[test]
fn findings_name_the_argument_or_the_variable_with_the_element() {
    let fixed = "--arg i32[64]=1 --arg f32[64]";
    let Some((_, said, _)) = check_tiles(&format!("--block 65 {fixed} --arg i32=0")) else { return };
    assert!(said.contains(", just past the end of an allocation of 256 bytes\n"), "{said}");
    assert!(said.ends_with("\n  element 64 of argument 1 `in`, which has 64 elements (i32[64])\n"), "{said}");
    let (_, said, _) = check_tiles(&format!("--block 64 {fixed} --arg i32=1")).expect("as before");
    assert!(said.contains("\n  element 0 of `other`, which has 8 elements of 4 bytes\n"), "{said}");
    assert!(said.ends_with("\n  element 0 of `tile`, which has 64 elements of 4 bytes\n"), "{said}");
    let (_, said, errors) = check_tiles(&format!("--block 64 {fixed} --arg i32=100")).expect("as before");
    let variables = "\n  in none of the variables in shared memory: `tile` (256 bytes), `other` (32 bytes)\n";
    assert!(said.ends_with(variables) && errors.is_empty(), "{said}{errors}");
}

#[test]
fn arguments_of_another_type_are_named_and_passed() {
    let Some((status, _, errors)) = check_tiles("--block 64 --arg f32[64]=1 --arg i32[64] --arg f32=0") else { return };
    assert_eq!(
        errors,
        "warning: argument 1 is f32[64], and the parameter is `const int* in`: i32[64] fits\n\
         warning: argument 2 is i32[64], and the parameter is `float* out`: f32[64] fits\n\
         warning: argument 3 is of type f32, and the parameter is `int shift`: i32=VALUE fits\n"
    );
    assert_eq!(status, Some(0));
    let (_, _, errors) = check_tiles("--block 64 --arg u32[64]=1 --arg f32[64] --arg u32=0").expect("as before");
    assert_eq!(errors, "", "a sign changes no bits");
}

#[test]
fn the_examples_of_the_help_run() {
    let output = Command::new(env!("CARGO_BIN_EXE_learn")).args(["check", "--help"]).output().expect("it starts");
    let help = String::from_utf8_lossy(&output.stdout).replace("\\\n", " ");
    let examples: Vec<_> = help.lines().filter_map(|line| line.trim().strip_prefix("cargo learn check ")).collect();
    assert_eq!(examples.len(), 2, "{help}");
    for example in examples {
        let (file, arguments) = example.split_once(' ').expect("arguments");
        if file.ends_with(".cu")
            && let Err(missing) = nvrtc::Nvrtc::find()
        {
            crate::skip(&missing.to_string());
            continue;
        }
        let file = workspace_root().join(file);
        let (status, said, errors) = check(&file, arguments);
        assert_eq!(errors, "", "{example}");
        assert_eq!(status, Some(i32::from(file.extension().is_some_and(|end| end == "ptx"))), "{said}");
    }
}

const ROOM: &str = ".version 8.1\n.target sm_75\n.address_size 64\n\
    .extern .shared .align 4 .b8 dynamic[];\n\
    .visible .entry room() { .shared .align 4 .b8 fixed[128]; .reg .b32 %r;\n\
    mov.u32 %r, %tid.x; st.shared.u32 [fixed], 1; st.shared.u32 [dynamic], 1; ret; }\n\
    .visible .entry odd(.param .u64 at) { .reg .b64 %d; .reg .b32 %r; .shared .align 8 .b8 tile[64];\n\
    ld.param.u64 %d, [at]; ld.shared.u32 %r, [tile+6]; ld.global.u32 %r, [%d+2]; ret; }\n\
    .visible .entry crooked(.param .u64 at) { .reg .b64 %d; .reg .b32 %r;\n\
    ld.param.u64 %d, [at]; ld.global.u32 %r, [%d+2]; ret; }\n";

/// Runs `cargo learn check` on [`ROOM`].
fn check_room(arguments: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("room.ptx");
    std::fs::write(&file, ROOM).expect("a file");
    check(&file, &format!("--block 32 --no-estimate {arguments}"))
}

#[test]
fn a_launch_that_needs_an_attribute_has_a_note() {
    let (status, said, note) = check_room("--kernel room --grid 1 --shared 49152");
    let expected = "note: 49280 bytes of shared memory per block, 128 of them static: above 49152 a program must first call \
                    cudaFuncSetAttribute(room, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152)\n";
    assert_eq!((status, note.as_str()), (Some(0), expected), "{said}");
    let (status, _, note) = check_room("--kernel room --grid 1 --shared 49024");
    assert_eq!((status, note.as_str()), (Some(0), ""));
    let (status, _, error) = check_room("--kernel room --grid 1 --shared 300000");
    assert!(
        status == Some(2) && error.contains("300128 bytes of shared memory; a block has at most 232448"),
        "{error}"
    );
}

#[test]
fn a_cooperative_launch_of_too_many_blocks_is_refused() {
    let (status, _, error) = check_room("--kernel room --cooperative --grid 4225");
    let expected = "4225 blocks of 32, and 4224 can be resident at once, 32 on each of 132 multiprocessors";
    assert!(status == Some(2) && error.contains(expected), "{status:?} {error}");
    assert_eq!(check_room("--kernel room --cooperative --grid 4224 --shared 4").0, Some(0));
    assert_eq!(check_room("--kernel room --grid 4225 --shared 4").0, Some(0));
}

#[test]
fn misaligned_accesses_name_the_memory_and_the_element() {
    let (status, said, _) = check_room("--kernel odd --grid 1 --arg u32[4]=index");
    assert!(said.contains("4 bytes of shared memory at 0x6, which is not a multiple of 4"), "{said}");
    assert!(status == Some(1) && said.contains("byte 6 of `odd.0.tile`, which has 64 bytes"), "{said}");
    let (_, said, _) = check_room("--kernel crooked --grid 1 --arg u32[4]=index");
    assert!(said.contains("4 bytes of global memory at 0x700000002, which"), "{said}");
    assert!(said.contains("element 0 of argument 1, u32[4]"), "{said}");
}

/// Each block has thousands of instructions, and its threads store different values to one word of shared memory if `wrong`.
fn long(wrong: bool) -> String {
    let store = if wrong { "st.shared.u32 [word], %t;" } else { "" };
    format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry long(.param .u64 out) {{\n\
         .reg .b32 %i, %t, %b; .reg .b64 %a, %d; .reg .pred %p;\n.shared .b32 word;\n\
         mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %i, 0;\n\
         again: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 1000; @%p bra again;\n{store}\n\
         ld.param.u64 %a, [out]; mul.wide.u32 %d, %b, 4; add.s64 %a, %a, %d; st.global.u32 [%a], %i; ret; }}\n"
    )
}

#[test]
fn a_long_launch_says_how_many_of_its_blocks_were_checked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("long.ptx");
    let launch = "--kernel long --grid 3000 --block 32 --arg u32[3000] --no-estimate";
    std::fs::write(&file, long(false)).expect("a file");
    let (status, said, _) = check(&file, &format!("{launch} --print 1"));
    let note = said.lines().nth(1).expect("a note");
    let count = note.split(' ').find_map(|word| word.parse::<u64>().ok()).expect("a number");
    let words =
        format!("  races and uninitialized memory were looked for in {count} of 3000 blocks; --all-blocks checks all");
    assert_eq!((status, note), (Some(0), words.as_str()));
    assert!((500..2500).contains(&count), "{count}");
    assert!(said.trim_end().ends_with("1000") && !said.contains("4294967295"), "all blocks have stored: {said}");
    let (_, said, _) = check(&file, &format!("{launch} --json"));
    let document: Value = serde_json::from_str(&said).expect("a document");
    assert_eq!(document["runs"][0]["checked_blocks"], count);
    for all in ["--all-blocks", "--counts", "--compare long.ptx"] {
        let all = all.replace("long.ptx", &file.display().to_string());
        let (_, said, _) = check(&file, &format!("{launch} {all}"));
        assert!(said.contains("clean (memcheck") && !said.contains("were looked for in"), "{all}: {said}");
    }
    std::fs::write(&file, long(true)).expect("a file");
    let (status, said, _) = check(&file, launch);
    assert!(said.starts_with("racecheck: race within a warp") && said.contains(" were looked for in "), "{said}");
    assert_eq!(status, Some(1));
}
