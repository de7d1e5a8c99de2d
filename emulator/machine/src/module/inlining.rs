//! The lines of source that findings and counts name: those of the kernel's own files, into which functions of headers are inlined.

use crate::lower::step::Origin;
use crate::ptx::tree::SourceLine;
use std::collections::HashMap;
use std::path::Path;

/// The largest number of calls around a line that are followed.
const MAX_CALLS: usize = 64;

/// Replaces each line of a header by that of the call in the kernel's own files, which are beside the kernel's file or below. Returns
/// the file and the line that were replaced, by the line in the PTX.
pub(super) fn rewrite(
    origins: &mut [Origin],
    sites: &[SourceLine],
    files: &HashMap<u32, String>,
) -> HashMap<u32, SourceLine> {
    let mut replaced = HashMap::new();
    for origin in origins {
        let callers = |line: &SourceLine| sites.get((line.caller as usize).checked_sub(1)?).copied();
        let calls: Vec<_> = std::iter::successors(Some(origin.source), callers).take(MAX_CALLS).collect();
        let Some(outermost) = calls.last().and_then(|line| files.get(&line.file)) else { continue };
        let is_own =
            |line: &&SourceLine| line.line != 0 && files.get(&line.file).is_some_and(|file| is_beside(file, outermost));
        let own = calls.iter().find(is_own).copied().unwrap_or(origin.source);
        if own != origin.source {
            replaced.insert(origin.line, origin.source);
            origin.source = SourceLine { site: origin.source.site, ..own };
        }
    }
    replaced
}

/// Returns whether a file is in the folder of another one, or in a folder below it.
fn is_beside(file: &str, other: &str) -> bool {
    let plain = |file: &str| Path::new(file.strip_prefix("./").unwrap_or(file)).to_owned();
    let (file, other) = (plain(file), plain(other));
    match other.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => file.starts_with(folder),
        _ => file == other || file.is_relative() && !file.starts_with(".."),
    }
}

#[cfg(test)]
mod tests {
    use super::is_beside;

    #[test]
    fn own_files_are_beside_the_kernels_or_below() {
        for (file, other) in
            [("k.cu", "k.cu"), ("./sub/own.cuh", "k.cu"), ("/a/b/k.cu", "/a/b/k.cu"), ("/a/b/c/x.h", "/a/b/k.cu")]
        {
            assert!(is_beside(file, other), "{file} of {other}");
        }
        for (file, other) in [
            ("/usr/include/cuda_fp16.hpp", "k.cu"),
            ("../x.cuh", "k.cu"),
            ("/a/bc/x.h", "/a/b/k.cu"),
            ("x.h", "/a/k.cu"),
        ] {
            assert!(!is_beside(file, other), "{file} of {other}");
        }
    }
}
