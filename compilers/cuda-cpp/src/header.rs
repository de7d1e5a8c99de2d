//! The course's own headers for CUDA C++, in place of NVIDIA's and the host's: embedded in the program, and written to a folder for
//! the compilers.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The file that every kernel includes before its first line, as NVRTC's built-in declarations are.
pub(crate) const FIRST: &str = "cuda_runtime.h";

/// The names and texts of the files, which are in the folder `header` of this crate.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../header/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "algorithm"
    "array"
    "cmath"
    "coalesced/arithmetic.h"
    "coalesced/atomics.h"
    "coalesced/bits.h"
    "coalesced/conversions.h"
    "coalesced/dots.h"
    "coalesced/exponentials.h"
    "coalesced/exponentials_of_double.h"
    "coalesced/halves.h"
    "coalesced/host.h"
    "coalesced/indices.h"
    "coalesced/keywords.h"
    "coalesced/memory.h"
    "coalesced/pairs.h"
    "coalesced/powers.h"
    "coalesced/powers_of_double.h"
    "coalesced/special.h"
    "coalesced/standard.h"
    "coalesced/synchronization.h"
    "coalesced/trigonometry.h"
    "coalesced/trigonometry_of_double.h"
    "coalesced/unmarked.h"
    "coalesced/vectors.h"
    "coalesced/warp.h"
    "cooperative_groups.h"
    "cstddef"
    "cstdint"
    "cstdlib"
    "cuda_fp16.h"
    "cuda_runtime.h"
    "cufft.h"
    "float.h"
    "functional"
    "limits"
    "limits.h"
    "math.h"
    "math_constants.h"
    "stdint.h"
    "type_traits"
    "utility"
];

/// The headers of which a kernel can use nothing, or what it can use needs no `#include`. NVRTC refuses the functions in the
/// toolkit's driver_functions.h.
const EMPTY: [&str; 8] = [
    "assert.h",
    "cassert",
    "cstdbool",
    "cuda.h",
    "device_launch_parameters.h",
    "driver_functions.h",
    "initializer_list",
    "stdbool.h",
];

/// The headers with the contents of another.
const SAME: [(&str, &str); 12] = [
    ("cfloat", "float.h"),
    ("cinttypes", "cstdint"),
    ("climits", "limits.h"),
    ("cstdio", "cstdlib"),
    ("cstring", "cstdlib"),
    ("ctime", "cstdlib"),
    ("cufftXt.h", "cufft.h"),
    ("inttypes.h", "stdint.h"),
    ("stddef.h", "cstddef"),
    ("stdio.h", "cstdlib"),
    ("stdlib.h", "cstdlib"),
    ("string.h", "cstdlib"),
];

/// The files that NVRTC does not read, beside the parts of the first: they need clang's built-in functions. All but the first
/// have a part of what the toolkit's have.
const NOT_PLAIN: [&str; 3] = [FIRST, "cooperative_groups.h", "cuda_fp16.h"];

/// The text in place of a header of the host that is left out.
pub(crate) const HOST: &str = "coalesced/host.h";

/// The text that makes functions without a mark the device's too.
pub(crate) const UNMARKED: &str = "coalesced/unmarked.h";

/// The parts that NVRTC reads too.
const SHARED: [&str; 3] = [HOST, "coalesced/standard.h", "coalesced/dots.h"];

/// Returns the names of the headers that a kernel may include.
pub fn names() -> impl Iterator<Item = &'static str> {
    let files = FILES.iter().map(|(name, _)| *name).filter(|name| !name.contains('/'));
    files.chain(short().map(|(name, _)| name))
}

/// Returns the names of the headers that a kernel may include with NVRTC.
pub(crate) fn plain_names() -> impl Iterator<Item = &'static str> {
    plain().map(|(name, _)| name).filter(|name| !SHARED.contains(name))
}

/// Returns whether the file for clang has a part of what the toolkit's header has.
pub(crate) fn is_in_part(name: &str) -> bool {
    NOT_PLAIN[1..].contains(&name)
}

/// Returns the names and texts of the headers of one line.
fn short() -> impl Iterator<Item = (&'static str, String)> {
    let empty = EMPTY.into_iter().map(|name| (name, String::new()));
    empty.chain(SAME.into_iter().map(|(name, same)| (name, format!("#include <{same}>\n"))))
}

/// The runtime library's header for NVRTC, which declares by itself what is for the device. With nvcc, it includes these headers,
/// and the host's short names of types.
const RUNTIME_FOR_NVRTC: &str = "#pragma once\n#include <limits.h>\n#include <cmath>\n#include <cstdlib>\n#include <stdint.h>\n\
    typedef unsigned short ushort;\ntypedef unsigned int uint;\ntypedef unsigned long ulong;\n\
    #ifdef COALESCED_DOTS\n#include <coalesced/dots.h>\n#endif\n";

/// Returns the headers that NVRTC reads.
pub(crate) fn plain() -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
    let is_plain = |name: &str| SHARED.contains(&name) || !name.contains('/') && !NOT_PLAIN.contains(&name);
    let whole = FILES.iter().filter(move |(name, _)| is_plain(name)).map(|(name, text)| (*name, Cow::from(*text)));
    whole.chain([(FIRST, Cow::from(RUNTIME_FOR_NVRTC))]).chain(short().map(|(name, text)| (name, text.into())))
}

/// Returns all files by their paths in the folder, with their texts. Kernels include `cuda_runtime.h` before their first line.
pub fn files() -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
    let whole = FILES.iter().map(|(name, text)| (*name, Cow::from(*text)));
    whole.chain(short().map(|(name, text)| (name, text.into())))
}

/// The files in a folder that is removed at the end.
#[derive(Debug)]
pub(crate) struct Header(TempDir);

impl Header {
    /// Writes all files.
    pub fn write() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("coalesced-header-").tempdir()?;
        fs::create_dir(folder.path().join("coalesced"))?;
        files().try_for_each(|(name, text)| fs::write(folder.path().join(name), text.as_bytes()))?;
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
