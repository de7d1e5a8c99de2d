//! The architecture that a kernel's file is compiled for, and NVRTC's options for it.

use crate::header;
use std::path::PathBuf;

/// Returns the oldest architecture that a kernel supports, as 10 × major + minor of the compute capability.
///
/// This is the one after "requires compute capability" in the comment at the top of the file, or otherwise 75 (Turing),
/// because older targets may run warps in lockstep.
#[must_use]
pub fn architecture(text: &str) -> i32 {
    let digits =
        requirement_in(text).map(|required| required.chars().filter(char::is_ascii_digit).take(2).collect::<String>());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(75)
}

/// Returns whether a kernel supports no other architecture, as with "requires compute capability 9.0a": it has instructions that
/// newer devices lack.
#[must_use]
pub fn is_specific(text: &str) -> bool {
    requirement_in(text).is_some_and(|required| {
        required.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.').starts_with('a')
    })
}

/// Returns a comment for the top of a file, without a line break, that requires the compute capability of `name`: `90`, `sm_90`,
/// `compute_90a` or `9.0`. Returns `None` for another name.
#[must_use]
pub fn requirement(name: &str) -> Option<String> {
    let digits = name.trim_start_matches("sm_").trim_start_matches("compute_");
    let (digits, suffix) = digits.strip_suffix('a').map_or((digits, ""), |digits| (digits, "a"));
    let digits = digits.replace('.', "");
    let number = digits.parse::<u32>().ok().filter(|number| (50..=999).contains(number))?;
    // The first two digits are taken, so that the major number of newer ones needs both.
    (number < 100).then(|| format!("// requires compute capability {}.{}{suffix}", number / 10, number % 10))
}

/// Returns the text after "requires compute capability" in the comment at the top of a file.
fn requirement_in(text: &str) -> Option<&str> {
    let card = text.lines().take_while(|line| line.starts_with("//"));
    card.filter_map(|line| line.split_once("requires compute capability ")).next().map(|(_, required)| required)
}

/// Returns NVRTC's options for a kernel's text.
///
/// Defining `__NV_TARGET_H` skips the header nv/target. NVRTC 12.1 includes it in every program, and its 38 unused
/// constants would appear at the top of every PTX file.
#[must_use]
pub fn nvrtc_options(text: &str) -> [String; 4] {
    let specific = if is_specific(text) { "a" } else { "" };
    let architecture = format!("--gpu-architecture=compute_{}{specific}", architecture(text));
    [architecture, "--generate-line-info".into(), "--std=c++17".into(), "--define-macro=__NV_TARGET_H".into()]
}

/// The option with which stdint.h has whole numbers of 64 bits as the toolkit's headers declare them for NVRTC.
pub(crate) const LONG_LONG: &str = "--define-macro=COALESCED_LONG_LONG";

/// Returns NVRTC's options for a text that may include headers from `folders`, and the course's own. As with nvcc, it need not
/// include the runtime library's header.
pub(crate) fn nvrtc_options_including(text: &str, folders: &[PathBuf]) -> Vec<String> {
    let mut options = Vec::from(nvrtc_options(text));
    if !folders.is_empty() {
        // Headers of the toolkit need nv/target.
        options.retain(|option| !option.contains("__NV_TARGET_H"));
        if text.contains("#include <cub/") || text.contains("#include <cuda/") || text.contains("parts-of-cub-") {
            options.push(LONG_LONG.into());
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
    fn an_architecture_has_several_names() {
        for name in ["90", "sm_90", "compute_90", "9.0"] {
            let comment = requirement(name).expect(name);
            assert_eq!((architecture(&comment), is_specific(&comment)), (90, false), "{name}");
        }
        assert!(requirement("sm_90a").is_some_and(|comment| is_specific(&comment)));
        for name in ["", "hopper", "sm_", "9", "100", "-80"] {
            assert_eq!(requirement(name), None, "{name}");
        }
    }

    #[test]
    fn a_kernel_may_require_a_newer_architecture() {
        assert_eq!(nvrtc_options("// launch    any\n__global__")[0], "--gpu-architecture=compute_75");
        let text = "// launch    requires compute capability 9.0; one row\n// cost      x\n__global__";
        assert_eq!(nvrtc_options(text)[0], "--gpu-architecture=compute_90");
        let text = "// launch    requires compute capability 9.0a; a block\n__global__";
        assert_eq!(nvrtc_options(text)[0], "--gpu-architecture=compute_90a");
        assert_eq!(nvrtc_options("int x;\n// requires compute capability 9.0")[0], "--gpu-architecture=compute_75");
    }
}
