//! Clang's options for a kernel.

use crate::header::{FIRST, UNMARKED};
use std::path::Path;

/// The newest architecture that clang 18 and every newer release compile for. Drivers compile PTX for newer devices.
const NEWEST: i32 = 90;

/// The options that do not depend on the kernel.
const FIXED: [&str; 20] = [
    // Types have the same sizes on every system, Windows' `long` too.
    "--target=x86_64-unknown-linux-gnu",
    "-x",
    "cuda",
    "--cuda-device-only",
    "-S",
    "-std=c++17",
    "-O3",
    // As NVRTC: products are fused with sums across statements.
    "-ffp-contract=fast",
    "-gline-tables-only",
    // The version of PTX that NVRTC 12.1 writes, which drivers from R530 on accept.
    "-Xclang",
    "-target-feature",
    "-Xclang",
    "+ptx81",
    // Neither a CUDA toolkit nor the system's headers: a kernel compiles everywhere or nowhere.
    "-nocudainc",
    "-nocudalib",
    "-nostdinc",
    // Properties, for `threadIdx.x`.
    "-fdeclspec",
    // The emulator has no jumps by a table.
    "-fno-jump-tables",
    // An endless loop stays one, as with NVRTC: C++ lets a compiler remove it, and clang would.
    "-fno-finite-loops",
    "-fno-color-diagnostics",
];

/// The options without warnings: what is printed is the reason of a failure.
pub(super) const QUIET: [&str; 1] = ["-w"];

/// The options for a part of a program, which no learner has written. It may be older than C++17, which has no `register`. What it is
/// warned of is a variable that certainly has no value.
pub(super) const FOR_PROGRAMS: [&str; 5] =
    ["-Wno-everything", "-Wuninitialized", "-Wno-sometimes-uninitialized", "-include", UNMARKED];

/// The options for a text that a learner has written. A variable that certainly has no value is an error: what the kernel does then
/// depends on the compiler, and may be right by accident.
pub(super) const FOR_LEARNERS: [&str; 3] = ["-Wall", "-Werror=uninitialized", "-Wno-error=sometimes-uninitialized"];

/// The options for IR in place of PTX. Clang's own vectors suit CPUs.
pub(super) const FOR_IR: [&str; 4] = ["-w", "-emit-llvm", "-fno-slp-vectorize", "-fno-vectorize"];

/// Returns the options for a compute capability (10 × major + minor), the only one if `specific`, with the header in `folder`.
/// Reads the kernel from
/// standard input and writes PTX to standard output.
pub(super) fn for_architecture(architecture: i32, specific: bool, folder: &Path) -> Vec<String> {
    let mut options: Vec<String> = FIXED.iter().map(ToString::to_string).collect();
    let suffix = if specific { "a" } else { "" };
    options.push(format!("--cuda-gpu-arch=sm_{}{suffix}", architecture.min(NEWEST)));
    options.extend(["-isystem".into(), folder.display().to_string(), "-include".into(), FIRST.into()]);
    options.extend(["-o", "-", "-"].map(String::from));
    options
}

/// Returns the line that gives what follows the name of a file, for messages and line tables.
pub(super) fn line_marker(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
    format!("# 1 \"{name}\"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_in_c() {
        assert_eq!(line_marker("a\\b \"c\"\n.cu"), "# 1 \"a\\\\b \\\"c\\\" .cu\"\n");
    }

    #[test]
    fn newer_devices_are_compiled_for_as_the_newest_known() {
        let of = |architecture, specific| {
            for_architecture(architecture, specific, Path::new("h")).into_iter().find(|option| option.contains("sm_"))
        };
        assert_eq!(of(75, false).as_deref(), Some("--cuda-gpu-arch=sm_75"));
        assert_eq!(of(120, false).as_deref(), Some("--cuda-gpu-arch=sm_90"));
        assert_eq!(of(90, true).as_deref(), Some("--cuda-gpu-arch=sm_90a"));
    }
}
