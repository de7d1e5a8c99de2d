//! `cargo learn check` on kernels in CUDA C++ whose threads do not all execute a barrier or a warp-level instruction. Most of
//! them are written as people write them, and must stay clean.

use std::path::Path;
use std::process::Command;

/// Kernels of 64 threads for `int[64]` with 0, 1, 2, …, each with its findings.
const KERNELS: &[(&str, &str, &[&str])] = &[
    (
        "two_branches",
        "if (t < 32) { s[t] = x[t]; __syncthreads(); }\nelse { __syncthreads(); x[t] = s[t - 32]; }",
        &[BRANCHES],
    ),
    ("two_calls", "if (t < 32) { s[t] = x[t]; meet(); }\nelse { meet(); x[t] = s[t - 32]; }", &[BRANCHES]),
    (
        "a_count_and_a_barrier",
        "int n = 0;\nif (t < 32) n = __syncthreads_count(t & 1);\nelse __syncthreads();\nx[t] = n;",
        &[BRANCHES],
    ),
    ("roles", "if (t < 32) { s[t] = x[t]; named(1, 64); } else { named(1, 64); x[t] = s[t - 32]; }", &[]),
    (
        "unrolled",
        "for (int i = 0; i < 3; i++) { s[t] = x[t] + i; __syncthreads(); x[t] += s[63 - t]; __syncthreads(); }",
        &[],
    ),
    (
        "different_work_before_one_barrier",
        "for (int i = 0; i < 4; i++) { if (t < 32) s[t] = i; else s[t] = x[t] * i; __syncthreads(); x[t] += s[63 - t]; __syncthreads(); }",
        &[],
    ),
    ("warps_that_return", "if (t >= 32) return; s[t] = t; __syncthreads(); x[t] = s[31 - t];", &[]),
    ("vote_in_branch", "v = -1; if (x[t] % 3 == 0) v = __ballot_sync(ALL, x[t] > 5); x[t] = v;", &[ABSENT]),
    ("vote_in_one_of_two", "if (t % 2) x[t] = __any_sync(ALL, x[t] > 5); else x[t] = 7;", &[ABSENT]),
    ("match_in_branch", "v = 0; if (x[t] % 3 == 0) v = __match_any_sync(ALL, x[t]); x[t] = v;", &[ABSENT]),
    ("syncwarp_in_branch", "if (t % 32 < 8) { s[t] = t; __syncwarp(); x[t] = s[t ^ 1]; } x[t] += 1;", &[ABSENT]),
    ("atomic_instead", "if (t % 32 < 8) x[t] = __any_sync(ALL, x[t] > 5); else atomicAdd(&x[64], 1);", &[ABSENT]),
    (
        "mask_of_before",
        "unsigned m = __activemask(); v = 0; if (x[t] & 1) v = __ballot_sync(m, 1); x[t] = v;",
        &[ABSENT],
    ),
    (
        "trips",
        "int n = 0; for (int i = t % 32; i < 40; i += 32) n += __popc(__ballot_sync(ALL, i > 3)); x[t] = n;",
        &[ABSENT],
    ),
    ("rounds", "v = 0; for (int r = 0; r < 2; r++) if ((t + r) % 2) v += __ballot_sync(ALL, r); x[t] = v;", &[ROUNDS]),
    ("masks", "x[t] = __ballot_sync(t % 32 < 16 ? ALL : 0xffff0000, t & 1);", &[MASKS]),
    ("early_return", "if (t >= 40) return; v += __shfl_down_sync(ALL, v, 1) * (t < 39); x[t] = v;", &[SHUFFLE]),
    (
        "early_return_and_butterfly",
        "if (t % 32 >= 8) return; for (int d = 4; d; d /= 2) v += __shfl_xor_sync(ALL, v, d); x[t] = v;",
        &[],
    ),
    ("guard", "if (t < 40) { v = __ballot_sync(ALL, x[t] & 1); x[t] = v; }", &[]),
    (
        "store_of_all_then_guard",
        "s[t] = x[t]; __syncwarp(); if (t % 32 < 8) x[t] = __any_sync(ALL, s[t ^ 1] > 5);",
        &[],
    ),
    (
        "mask_of_a_vote",
        "unsigned m = __ballot_sync(ALL, x[t] & 1); v = 0; if (x[t] & 1) v = __popc(__ballot_sync(m, t > 9)); x[t] = v;",
        &[],
    ),
    (
        "active_mask",
        "v = 0; if (x[t] & 1) { unsigned m = __activemask(); v = __popc(__ballot_sync(m, 1)); } x[t] = v;",
        &[],
    ),
    (
        "one_atomic_for_a_warp",
        "if (x[t] % 3 == 0) { unsigned m = __activemask(); int first = __ffs(m) - 1, old = 0; if (t % 32 == first) old = atomicAdd(&x[64], \
         __popc(m)); old = __shfl_sync(m, old, first); s[t] = old; } x[t] = 1;",
        &[],
    ),
    (
        "match_and_leaders",
        "unsigned m = __match_any_sync(ALL, x[t] % 5); int first = __ffs(m) - 1; int n = 0; if (t % 32 == first) n = __popc(m); \
         x[t] = __shfl_sync(m, n, first);",
        &[],
    ),
    ("syncwarp_of_parts", "if (t % 32 < 8) { s[t] = t; __syncwarp(0xff); x[t] = s[t ^ 1]; } else x[t] += 1;", &[]),
    ("trips_without_a_store", "for (int i = t % 32; i < 40; i += 32) if (__ballot_sync(ALL, i > 99)) x[t] = i;", &[]),
    (
        "rounds_of_all",
        "int left = t % 7, n = 0; while (__any_sync(ALL, left > 0)) { if (left > 0) { left--; n++; } } x[t] = n;",
        &[],
    ),
    ("whole_warps", "if (t < 32) { v += __shfl_xor_sync(ALL, v, 1); x[t] = v; } else x[t] = 0;", &[]),
];

const BRANCHES: &str = "barriers of different branches";
const ABSENT: &str = "warp-level instruction whose mask names lanes that go on without it";
const ROUNDS: &str = "warp-level instruction executed in different rounds of a loop";
const MASKS: &str = "warp-level instruction whose lanes name each other in different masks";
const SHUFFLE: &str = "shuffle from an inactive lane";

const START: &str = "#define ALL 0xffffffffu\n\
    __device__ __forceinline__ void meet() { __syncthreads(); }\n\
    __device__ __forceinline__ void named(int number, int count) {\n\
        asm volatile(\"bar.sync %0, %1;\" :: \"r\"(number), \"r\"(count) : \"memory\");\n}\n";

/// Cooperative groups: tiles in branches, and the block.
const GROUPS: &str = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\
    __global__ void tiles(int* x) {\n    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());\n\
    \x20   int v = x[threadIdx.x];\n    if (threadIdx.x / 8 % 2) { v += tile.shfl_xor(v, 1); tile.sync(); } else v = tile.any(v > 3);\n\
    \x20   x[threadIdx.x] = v;\n}\n\
    __global__ void block(int* x) {\n    __shared__ int s[64];\n    s[threadIdx.x] = x[threadIdx.x];\n\
    \x20   cg::this_thread_block().sync();\n    x[threadIdx.x] = s[63 - threadIdx.x];\n}\n";

/// Returns the titles of the findings of a kernel, without the tool and the kernel.
fn findings(file: &Path, kernel: &str, compiler: &str) -> Vec<String> {
    let arguments = ["--grid", "1", "--block", "64", "--arg", "i32[128]=index", "--json", "--compiler", compiler];
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    let output = command.arg("check").arg(file).args(["--kernel", kernel]).args(arguments).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 2), "{kernel}, {compiler}: {said}{errors}");
    let document: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let title = |finding: &serde_json::Value| {
        let title = finding["title"].as_str().expect("a title").to_owned();
        title.split(" in kernel ").next().unwrap_or_default().split(" (").next().unwrap_or_default().to_owned()
    };
    document["runs"][0]["findings"].as_array().expect("findings").iter().map(title).collect()
}

#[test]
fn kernels_as_people_write_them_get_what_cuda_forbids_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("k.cu");
    let kernel = |(name, body, _): &(&str, &str, &[&str])| {
        format!(
            "__global__ void {name}(int* x) {{\n__shared__ int s[64];\nint t = threadIdx.x, v = x[t];\n{body}\n}}\n"
        )
    };
    let text: String = KERNELS.iter().map(kernel).collect();
    std::fs::write(&file, format!("{START}{text}")).expect("a file");
    for compiler in ["nvrtc", "clang"] {
        let choice = if compiler == "nvrtc" { cuda_cpp::Choice::Nvrtc } else { cuda_cpp::Choice::Clang };
        if let Err(missing) = cuda_cpp::Compiler::find(Some(choice)) {
            crate::skip(&missing.to_string());
            continue;
        }
        let wrong: Vec<String> = KERNELS
            .iter()
            .map(|(name, _, expected)| (name, findings(&file, name, compiler), *expected))
            // The lines of clang's PTX do not name the calls through which they were inlined, so that both are one barrier.
            .map(|(name, found, all)| {
                (name, found, if (*name, compiler) == ("two_calls", "clang") { &[] } else { all })
            })
            .filter(|(_, found, expected)| found != expected)
            .map(|(name, found, expected)| format!("{name}: {found:?}, not {expected:?}"))
            .collect();
        assert!(wrong.is_empty(), "{compiler}:\n{}", wrong.join("\n"));
        // NVRTC takes the header from a toolkit, which may be absent.
        if compiler == "clang" {
            let groups = folder.path().join("groups.cu");
            std::fs::write(&groups, GROUPS).expect("a file");
            for name in ["tiles", "block"] {
                assert!(findings(&groups, name, compiler).is_empty(), "{compiler}: {name}");
            }
        }
    }
}
