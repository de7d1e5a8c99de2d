//! The architecture that a kernel's file is compiled for, and NVRTC's options for it.

use crate::header;
use std::path::PathBuf;

/// Returns the oldest architecture that a kernel supports, as 10 × major + minor of the compute capability.
///
/// This is the one after "requires compute capability" in the comment at the top of the file, or otherwise 75 (Turing),
/// because older targets may run warps in lockstep.
#[must_use]
pub fn architecture(text: &str) -> i32 {
    let card = text.lines().take_while(|line| line.starts_with("//"));
    let required = card.filter_map(|line| line.split_once("requires compute capability ")).next();
    let digits = required.map(|(_, rest)| rest.chars().filter(char::is_ascii_digit).take(2).collect::<String>());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(75)
}

/// Returns NVRTC's options for a kernel's text.
///
/// Defining `__NV_TARGET_H` skips the header nv/target. NVRTC 12.1 includes it in every program, and its 38 unused
/// constants would appear at the top of every PTX file.
#[must_use]
pub fn nvrtc_options(text: &str) -> [String; 4] {
    let architecture = format!("--gpu-architecture=compute_{}", architecture(text));
    [architecture, "--generate-line-info".into(), "--std=c++17".into(), "--define-macro=__NV_TARGET_H".into()]
}

/// Returns NVRTC's options for a text that may include headers from `folders`, and the course's own. As with nvcc, it need not
/// include the runtime library's header.
pub(crate) fn nvrtc_options_including(text: &str, folders: &[PathBuf]) -> Vec<String> {
    let mut options = Vec::from(nvrtc_options(text));
    if !folders.is_empty() {
        // Headers of the toolkit need nv/target.
        options.retain(|option| !option.contains("__NV_TARGET_H"));
        if text.contains("#include <cub/") || text.contains("#include <cuda/") || text.contains("parts-of-cub-") {
            options.push("--define-macro=COALESCED_CORE_LIBRARIES".into());
        }
    }
    options.extend(folders.iter().map(|folder| format!("--include-path={}", folder.display())));
    options.push(format!("--pre-include={}", header::FIRST));
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_may_require_a_newer_architecture() {
        assert_eq!(nvrtc_options("// launch    any\n__global__")[0], "--gpu-architecture=compute_75");
        let text = "// launch    requires compute capability 9.0; one row\n// cost      x\n__global__";
        assert_eq!(nvrtc_options(text)[0], "--gpu-architecture=compute_90");
        assert_eq!(nvrtc_options("int x;\n// requires compute capability 9.0")[0], "--gpu-architecture=compute_75");
    }
}
