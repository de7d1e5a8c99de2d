//! The size of each crate's `src`, which has a ceiling. Raise one by hand, in the commit that needs it, with the reason there.

use crate::floors::crates;
use loading::workspace_root;
use std::collections::BTreeMap;

/// The largest number of lines in the files of each crate's `src`, without those of unit tests (`tests.rs`).
const MAX_LINES: &[(&str, usize)] = &[
    ("book", 15160),
    ("book/pages/editor", 600),
    ("book/pages/emulator", 400),
    ("common", 14460),
    ("common/reference", 4350),
    ("compilers/cuda-cpp", 3080),
    ("compilers/device", 1300),
    ("compilers/ir-ptx", 6420),
    ("compilers/loading", 500),
    ("compilers/nvrtc", 610),
    ("compilers/rust-ptx", 1600),
    ("emulator/driver", 8700),
    ("emulator/machine", 28260),
    ("emulator/nccl", 3300),
    ("emulator/predict", 6200),
    ("emulator/simd", 500),
    ("learn/cli", 8000),
    ("learn/judge", 3600),
    ("stage01-naive", 200),
    ("stage02-shared", 200),
    ("stage03-unroll", 200),
    ("stage04-shuffle", 100),
    ("stage05-coulomb", 200),
    ("stage06-limit", 1000),
    ("stage07-many", 4820),
    ("stage08-matmul", 600),
    ("stage09-patterns", 775),
    ("tools/bench", 100),
    ("tools/limits", 1660),
    ("tools/records", 1470),
    ("tools/shared-features", 100),
    ("tools/stage-tests", 1620),
    ("tools/xtask", 3900),
];

/// Returns the number of lines in the sources of a crate.
fn lines(krate: &str) -> usize {
    crate::floors::house(krate).values().map(|text| text.lines().count()).sum()
}

#[test]
fn no_crate_grows_beyond_its_ceiling() {
    let ceilings: BTreeMap<&str, usize> = MAX_LINES.iter().copied().collect();
    let crates = crates();
    let mut complaints = Vec::new();
    for krate in &crates {
        match (lines(krate), ceilings.get(krate.as_str())) {
            (lines, Some(ceiling)) if lines > *ceiling => {
                complaints.push(format!("{krate} has {lines} lines, of at most {ceiling}"));
            }
            (_, Some(_)) => {}
            (lines, None) => complaints.push(format!("{krate} has {lines} lines and no ceiling")),
        }
    }
    let gone = ceilings.keys().filter(|krate| !workspace_root().join(krate).join("src").is_dir());
    complaints.extend(gone.map(|krate| format!("{krate} has a ceiling, and there is no such crate")));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
