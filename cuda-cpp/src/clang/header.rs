//! The course's own header for CUDA C++, in place of NVIDIA's: embedded in the program, and written to a folder for clang.

use std::fs;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The file that every kernel includes before its first line, as NVRTC's built-in declarations are.
pub(super) const FIRST: &str = "cuda_runtime.h";

/// The names and texts of the files, which are in the folder `header` of this crate.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../header/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "coalesced/arithmetic.h"
    "coalesced/atomics.h"
    "coalesced/bits.h"
    "coalesced/conversions.h"
    "coalesced/exponentials.h"
    "coalesced/exponentials_of_double.h"
    "coalesced/halves.h"
    "coalesced/indices.h"
    "coalesced/keywords.h"
    "coalesced/memory.h"
    "coalesced/pairs.h"
    "coalesced/powers.h"
    "coalesced/powers_of_double.h"
    "coalesced/special.h"
    "coalesced/synchronization.h"
    "coalesced/trigonometry.h"
    "coalesced/trigonometry_of_double.h"
    "coalesced/vectors.h"
    "coalesced/warp.h"
    "assert.h"
    "cmath"
    "cooperative_groups.h"
    "cstddef"
    "cstdint"
    "cstdio"
    "cuda_fp16.h"
    "cuda_runtime.h"
    "math.h"
    "math_constants.h"
    "stddef.h"
    "stdint.h"
    "stdio.h"
];

/// Returns the names of the headers that a kernel may include.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name).filter(|name| !name.contains('/'))
}

/// The files in a folder that is removed at the end.
#[derive(Debug)]
pub(super) struct Header(TempDir);

impl Header {
    /// Writes all files.
    pub fn write() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("coalesced-header-").tempdir()?;
        fs::create_dir(folder.path().join("coalesced"))?;
        for (name, text) in FILES {
            fs::write(folder.path().join(name), text)?;
        }
        Ok(Self(folder))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Removes the name of the folder from clang's messages, which differs from run to run.
    pub fn without_folder(&self, messages: &str) -> String {
        messages
            .replace(&format!("{}{}", self.folder().display(), std::path::MAIN_SEPARATOR), "")
            .replace(&format!("{}/", self.folder().display()), "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_of_the_folder_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("header");
        let names_in = |folder: &Path, prefix: &str| {
            let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry"));
            let files = entries.filter(|entry| entry.path().is_file());
            files.map(|entry| format!("{prefix}{}", entry.file_name().display())).collect::<BTreeSet<String>>()
        };
        let mut found = names_in(&folder, "");
        found.append(&mut names_in(&folder.join("coalesced"), "coalesced/"));
        assert_eq!(found, FILES.iter().map(|(name, _)| (*name).to_owned()).collect());
    }
}
