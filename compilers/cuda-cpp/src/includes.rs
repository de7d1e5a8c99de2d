//! The explanation of an `#include` that no compiler finds, and of names of the host's standard library.

use crate::{Choice, header};

/// The compilers' messages about a header that does not exist: clang's and NVRTC's.
const NOT_FOUND: [&str; 2] = ["file not found", "could not open source file"];

/// The names that need no header.
const BUILT_IN: &str = "thread indices, vectors, shuffles, votes, atomics, mathematics and printf need no #include";

/// The compilers' messages about a name of the host's standard library: NVRTC's and clang's.
const OF_STANDARD_LIBRARY: [&str; 3] =
    ["namespace \"std\" has no member", "in namespace 'std'", "use of undeclared identifier 'std'"];

/// The advice on such a name.
const OF_DEVICE: &str = "a kernel cannot use the host's standard library; CUDA's has much of it as cuda::std, such as \
    cuda::std::bool_constant with #include <cuda/std/type_traits>, in the headers of a toolkit or of `cargo learn headers`";

/// Names that CUDA has no more, and what there is instead.
const GONE: [(&[&str], &str); 3] = [
    (
        &["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"],
        "CUDA has no exchanges without a mask since Volta: __shfl_down(x, d) is __shfl_down_sync(0xffffffff, x, d) now",
    ),
    (
        &["texture", "tex1Dfetch", "tex2D"],
        "CUDA 12 has no textures by reference: their objects are cudaTextureObject_t",
    ),
    (
        &["cudaDeviceSynchronize"],
        "CUDA 12 has no cudaDeviceSynchronize in a kernel, and the emulator runs no kernels that a kernel launches",
    ),
];

/// Returns a compiler's log, followed by what can be included if a header was not found, and what stands in for the host's
/// standard library if a name of it was not.
pub(crate) fn explain(log: &str, compiler: Choice) -> String {
    let is_unknown = |name: &&str| {
        [
            format!("identifier \"{name}\" is undefined"),
            format!("undeclared identifier '{name}'"),
            format!("{name} is not a template"),
            format!("no template named '{name}'"),
        ]
        .iter()
        .any(|words| log.contains(words))
    };
    if let Some((_, advice)) = GONE.iter().find(|(names, _)| names.iter().any(is_unknown)) {
        return format!("{log}\n{advice}");
    }
    if OF_STANDARD_LIBRARY.iter().any(|words| log.contains(words)) {
        return format!("{log}\n{OF_DEVICE}");
    }
    if !log.lines().any(|line| NOT_FOUND.iter().any(|words| line.contains(words))) {
        return log.to_owned();
    }
    let available = match compiler {
        Choice::Clang => format!("a kernel can include {}", list(header::names())),
        Choice::Nvrtc => format!(
            "with NVRTC a kernel can include {}; `--compiler clang` has cuda_fp16.h and cooperative_groups.h too",
            list(header::plain_names())
        ),
    };
    format!("{log}\n{available}; {BUILT_IN}, and nothing else of the host's standard library can be used in a kernel")
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_header_is_explained() {
        assert_eq!(explain("k.cu:1:1: error: x", Choice::Clang), "k.cu:1:1: error: x");
        let text = explain("k.cu:1:10: fatal error: 'vector' file not found", Choice::Clang);
        assert!(text.contains("a kernel can include ") && text.contains("cuda_fp16.h"), "{text}");
        let text = explain("k.cu(2): error: identifier \"__shfl_down\" is undefined", Choice::Nvrtc);
        assert!(text.ends_with("is __shfl_down_sync(0xffffffff, x, d) now"), "{text}");
        let text = explain("k.cu:2:1: error: no template named 'texture'", Choice::Clang);
        assert!(text.contains("cudaTextureObject_t"), "{text}");
        let text = explain("k.cu(2): error: identifier \"cudaDeviceSynchronize\" is undefined", Choice::Nvrtc);
        assert!(text.ends_with("the emulator runs no kernels that a kernel launches"), "{text}");
        let text = explain("k.cu(2): error: namespace \"std\" has no member \"bool_constant\"", Choice::Nvrtc);
        assert!(text.ends_with("or of `cargo learn headers`") && text.contains("cuda::std::bool_constant"), "{text}");
        let text = explain("k.cu(1): catastrophic error: could not open source file \"vector\"", Choice::Nvrtc);
        assert!(text.contains("--compiler clang"), "{text}");
    }
}
