//! A source file with the headers beside it, which may be for the host in part too.

use super::{DeviceCode, Include};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Headers that are the host's in part, with those that have what kernels use of them: cuBLAS brings the types of 16 bits.
const FOR_DEVICE: [(&str, &[&str]); 4] = [
    ("cublas.h", HALVES),
    ("cublas_v2.h", HALVES),
    ("cublasLt.h", HALVES),
    (
        "cub/cub.cuh",
        &[
            "cub/block/block_adjacent_difference.cuh",
            "cub/block/block_discontinuity.cuh",
            "cub/block/block_exchange.cuh",
            "cub/block/block_histogram.cuh",
            "cub/block/block_load.cuh",
            "cub/block/block_merge_sort.cuh",
            "cub/block/block_radix_sort.cuh",
            "cub/block/block_reduce.cuh",
            "cub/block/block_scan.cuh",
            "cub/block/block_shuffle.cuh",
            "cub/block/block_store.cuh",
            "cub/warp/warp_exchange.cuh",
            "cub/warp/warp_load.cuh",
            "cub/warp/warp_merge_sort.cuh",
            "cub/warp/warp_reduce.cuh",
            "cub/warp/warp_scan.cuh",
            "cub/warp/warp_store.cuh",
        ],
    ),
];

const HALVES: &[&str] = &["cuda_fp16.h", "cuda_bf16.h"];

/// The device's part of a source file, and of the headers that it includes by `"…"` from its own folder.
#[derive(Debug)]
pub struct Program {
    /// The source file.
    pub code: DeviceCode,
    /// The names of the headers of which something was left out, in the order in which they are included.
    pub shortened: Vec<String>,
    /// The copies of the headers.
    folder: TempDir,
    /// The folders whose headers are shortened too.
    folders: Vec<PathBuf>,
    copies: HashMap<PathBuf, PathBuf>,
}

impl Program {
    /// Returns the device's part of `file`, which contains `text`. Headers from `folders` are shortened like those beside the
    /// file. Other headers for which `is_found` is false are left out.
    ///
    /// # Errors
    /// The copies of the headers cannot be written.
    pub fn read(file: &Path, text: &str, folders: &[PathBuf], is_found: impl Fn(&str) -> bool) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("coalesced-source-").tempdir()?;
        let code = DeviceCode { text: String::new(), left_out: Vec::new() };
        let folders = folders.to_vec();
        let mut program = Self { code, shortened: Vec::new(), folder, folders, copies: HashMap::new() };
        program.code = program.device_code(file, file, text, &is_found)?;
        program.shortened.reverse();
        Ok(program)
    }

    fn device_code(
        &mut self,
        main: &Path,
        file: &Path,
        text: &str,
        is_found: &impl Fn(&str) -> bool,
    ) -> io::Result<DeviceCode> {
        let mut failed = Ok(());
        let code = DeviceCode::new(text, |header, is_quoted| {
            let beside = if is_quoted { own_header(main, file, header) } else { None };
            let named = || self.folders.iter().map(|folder| folder.join(header)).find(|path| path.is_file());
            let own = beside.or_else(named);
            let copy = match (own, for_device(header, is_found)) {
                (Some(own), _) => self.copy(main, own, is_found),
                (None, Some(parts)) => self.parts(header, parts),
                (None, None) if is_found(header) => return Include::Found,
                (None, None) => return Include::LeftOut,
            };
            copy.map_or_else(
                |error| {
                    failed = Err(error);
                    Include::LeftOut
                },
                Include::From,
            )
        });
        failed.map(|()| code)
    }

    /// Writes a file that includes `parts` in place of a header, and returns its path.
    fn parts(&mut self, header: &str, parts: &[&str]) -> io::Result<PathBuf> {
        if !self.shortened.iter().any(|shortened| shortened == header) {
            self.shortened.push(header.to_owned());
        }
        let file = self.folder.path().join(format!("parts-of-{}", header.replace('/', "-")));
        let text: String = parts.iter().map(|part| format!("#include <{part}>\n")).collect();
        fs::write(&file, format!("#pragma once\n{text}"))?;
        Ok(file)
    }

    /// Writes the device's part of a header, and returns the path of the copy.
    fn copy(&mut self, main: &Path, header: PathBuf, is_found: &impl Fn(&str) -> bool) -> io::Result<PathBuf> {
        let key = fs::canonicalize(&header)?;
        if let Some(copy) = self.copies.get(&key) {
            return Ok(copy.clone());
        }
        let copy = self.folder.path().join(format!("{}.h", self.copies.len()));
        // Before its own headers, one of which may include it again.
        self.copies.insert(key, copy.clone());
        let text = String::from_utf8_lossy(&fs::read(&header)?).into_owned();
        let code = self.device_code(main, &header, &text, is_found)?;
        let name = header.display().to_string().replace('\\', "/");
        if !code.left_out.is_empty() {
            self.shortened.push(name.clone());
        }
        fs::write(&copy, format!("#line 1 \"{name}\"\n{}", code.text))?;
        Ok(copy)
    }
}

/// Returns the headers to include instead of `header`, if there are any and all of them are found.
fn for_device(header: &str, is_found: &impl Fn(&str) -> bool) -> Option<&'static [&'static str]> {
    let (_, parts) = FOR_DEVICE.iter().find(|(whole, _)| *whole == header)?;
    parts.iter().all(|part| is_found(part)).then_some(*parts)
}

/// Returns the path of a header that `file` includes by `"…"`: in its folder, or in that of the `main` file.
fn own_header(main: &Path, file: &Path, header: &str) -> Option<PathBuf> {
    let beside = [file, main].map(|file| file.parent().unwrap_or(Path::new("")).join(header));
    beside.into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cublas_leaves_the_types_of_16_bits() {
        let text = "#include <cublas_v2.h>\n#include <cublasLt.h>\n";
        let found = |header: &str| HALVES.contains(&header);
        let program = Program::read(Path::new("k.cu"), text, &[], found).expect("its parts");
        assert!(program.code.left_out.is_empty() && program.code.text.matches("parts-of-cublas").count() == 2);
        assert_eq!(program.shortened, ["cublas_v2.h", "cublasLt.h"]);
        let program = Program::read(Path::new("k.cu"), text, &[], |_| false).expect("its parts");
        assert_eq!((program.code.left_out.len(), program.shortened.len()), (2, 0));
    }

    #[test]
    fn headers_beside_the_file_lose_the_parts_for_the_host() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name);
        fs::create_dir(file("common")).expect("a folder");
        let common = "#pragma once\n#include <sys/time.h>\n#include \"types.h\"\ninline double seconds() { return 0; }\n\
                      __device__ real twice(real x) { return x + x; }\n";
        fs::write(file("common/common.h"), common).expect("a file");
        fs::write(file("common/types.h"), "#include \"common.h\"\ntypedef float real;\n").expect("a file");
        let text = "#include \"common/common.h\"\n#include \"absent.h\"\n__global__ void k() {}\n";
        let program = Program::read(&file("k.cu"), text, &[], |_| false).expect("its parts");
        let named = "#include <common.h>\n";
        let by_name = Program::read(Path::new("k.cu"), named, &[file("common")], |_| false).expect("its parts");
        assert_eq!((by_name.code.left_out.len(), by_name.shortened.len()), (0, 1));
        let left_out: Vec<String> = program.code.left_out.iter().map(ToString::to_string).collect();
        assert_eq!(left_out, ["#include \"absent.h\" (line 2)"]);
        let name = file("common/common.h").display().to_string().replace('\\', "/");
        assert_eq!(program.shortened, [name.as_str()]);
        let copy = program.code.text.split('"').nth(1).expect("the copy");
        let copied = fs::read_to_string(copy).expect("the copy");
        assert!(copied.starts_with(&format!("#line 1 \"{name}\"\n#pragma once\n")), "{copied}");
        assert!(!copied.contains("sys/time.h") && !copied.contains("seconds") && copied.contains("real twice"));
        assert_eq!(copied.lines().count(), common.lines().count() + 1, "lines keep their numbers");
    }
}
