//! The sources that determine the PTX of a kernel: `device` and this crate.

/// The files of `device` for the GPU, as of the build of this program.
pub const DEVICE: [(&str, &str); 11] = [
    ("lib.rs", include_str!("../../device/src/lib.rs")),
    ("atomic.rs", include_str!("../../device/src/atomic.rs")),
    ("barrier.rs", include_str!("../../device/src/barrier.rs")),
    ("cache.rs", include_str!("../../device/src/cache.rs")),
    ("index.rs", include_str!("../../device/src/index.rs")),
    ("kernels.rs", include_str!("../../device/src/kernels.rs")),
    ("math.rs", include_str!("../../device/src/math.rs")),
    ("memory.rs", include_str!("../../device/src/memory.rs")),
    ("nvptx.rs", include_str!("../../device/src/nvptx.rs")),
    ("vector.rs", include_str!("../../device/src/vector.rs")),
    ("warp.rs", include_str!("../../device/src/warp.rs")),
];

/// The files of this crate.
const OWN: [(&str, &str); 12] = [
    ("lib.rs", include_str!("lib.rs")),
    ("ir/function.rs", include_str!("ir/function.rs")),
    ("ir/loops.rs", include_str!("ir/loops.rs")),
    ("ir/memory.rs", include_str!("ir/memory.rs")),
    ("ir/mod.rs", include_str!("ir/mod.rs")),
    ("ir/panics.rs", include_str!("ir/panics.rs")),
    ("ir/refusal.rs", include_str!("ir/refusal.rs")),
    ("ir/text.rs", include_str!("ir/text.rs")),
    ("library.rs", include_str!("library.rs")),
    ("panics.rs", include_str!("panics.rs")),
    ("ptx.rs", include_str!("ptx.rs")),
    ("toolchain.rs", include_str!("toolchain.rs")),
];

/// Returns the names and texts of all these files, whose hash is part of the header of every PTX file.
pub fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    DEVICE.into_iter().chain(OWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Returns the files below a folder, by their paths from it.
    fn files(folder: &Path, above: &str) -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries
            .flat_map(|path| {
                let name = format!("{above}{}", path.file_name().expect("a name").to_string_lossy());
                if path.is_dir() { files(&path, &format!("{name}/")) } else { BTreeSet::from([name]) }
            })
            .collect()
    }

    fn names(list: &[(&str, &str)], others: &[&str]) -> BTreeSet<String> {
        list.iter().map(|(name, _)| *name).chain(others.iter().copied()).map(str::to_owned).collect()
    }

    #[test]
    fn no_file_is_missing() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(files(&crates.join("../device/src"), ""), names(&DEVICE, &["host.rs"]));
        // `without.rs` is only for measurements and does not affect committed PTX.
        let others = ["ir/tests.rs", "sources.rs", "without.rs"];
        assert_eq!(files(&crates.join("src"), ""), names(&OWN, &others));
    }
}
