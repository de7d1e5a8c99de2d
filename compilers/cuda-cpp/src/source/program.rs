//! A source file with the headers beside it, which may be for the host in part too.

use super::blank::headers;
use super::needs::Needs;
use super::{DeviceCode, Extent, Include};
use crate::header::is_in_part;
use crate::toolkit_headers::is_toolkits;
use std::collections::{BTreeSet, HashMap};
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
    /// The headers that the compiler does not find. Of one that brings others for kernels, those are missing.
    pub missing: BTreeSet<String>,
    /// Those of them that are the program's own: named by `"…"`, and not the toolkit's.
    pub own_missing: BTreeSet<String>,
    /// The headers that the compiler finds, and of which the course's own for clang is a part.
    pub in_part: BTreeSet<String>,
    /// The copies of the headers.
    folder: TempDir,
    copies: HashMap<PathBuf, PathBuf>,
}

/// How a program is read.
pub struct Reading<'a> {
    /// The source file.
    pub file: &'a Path,
    /// The folders whose headers are shortened like those beside the file.
    pub folders: &'a [PathBuf],
    /// Whether the compiler finds a header. Other headers are left out.
    pub is_found: &'a dyn Fn(&str) -> bool,
    /// The parts that are left out.
    pub extent: Extent,
    /// The kernel without which [`Extent::Unneeded`] leaves out the others too.
    pub kernel: &'a str,
}

impl Program {
    /// Returns the device's part of a program, whose file contains `text`.
    ///
    /// # Errors
    /// The copies of the headers cannot be written.
    pub fn read(reading: &Reading<'_>, text: &str) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("coalesced-source-").tempdir()?;
        let code = DeviceCode { text: String::new(), left_out: Vec::new() };
        let mut needs = Needs::default();
        reading.add(reading.file, text, &mut needs, &mut BTreeSet::new())?;
        needs.resolve((reading.extent > Extent::Host).then_some(reading.kernel));
        let [missing, own_missing, in_part] = [const { BTreeSet::new() }; 3];
        let (shortened, copies) = (Vec::new(), HashMap::new());
        let mut program = Self { code, shortened, missing, own_missing, in_part, folder, copies };
        program.code = program.device_code(reading, &needs, reading.file, text)?;
        Ok(program)
    }

    fn device_code(&mut self, reading: &Reading<'_>, needs: &Needs, file: &Path, text: &str) -> io::Result<DeviceCode> {
        let mut failed = Ok(());
        let code = DeviceCode::new(text, needs, reading.extent, |header, is_quoted| {
            let copy = match (reading.own_header(file, header, is_quoted), for_device(header, reading.is_found)) {
                (Some(own), _) => self.copy(reading, needs, own),
                (None, Some(parts)) => self.parts(header, parts),
                (None, None) if (reading.is_found)(header) => {
                    self.in_part.extend(is_in_part(header).then(|| header.to_owned()));
                    return Include::Found;
                }
                (None, None) => {
                    let halves = FOR_DEVICE.iter().find(|(whole, parts)| *whole == header && *parts == HALVES);
                    match halves {
                        Some(_) => self.missing.extend(HALVES.iter().map(|part| (*part).to_owned())),
                        None => drop(self.missing.insert(header.to_owned())),
                    }
                    self.own_missing.extend((is_quoted && !is_toolkits(header)).then(|| header.to_owned()));
                    return Include::LeftOut;
                }
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
    fn copy(&mut self, reading: &Reading<'_>, needs: &Needs, header: PathBuf) -> io::Result<PathBuf> {
        let key = fs::canonicalize(&header)?;
        if let Some(copy) = self.copies.get(&key) {
            return Ok(copy.clone());
        }
        let copy = self.folder.path().join(format!("{}.h", self.copies.len()));
        // Before its own headers, one of which may include it again.
        self.copies.insert(key, copy.clone());
        let text = String::from_utf8_lossy(&fs::read(&header)?).into_owned();
        let code = self.device_code(reading, needs, &header, &text)?;
        let name = header.display().to_string().replace('\\', "/");
        if !code.left_out.is_empty() {
            self.shortened.push(name.clone());
        }
        fs::write(&copy, format!("#line 1 \"{name}\"\n{}", code.text))?;
        Ok(copy)
    }
}

impl Reading<'_> {
    /// Adds what a file and its own headers declare.
    fn add(&self, file: &Path, text: &str, needs: &mut Needs, seen: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        needs.add(text);
        for (header, is_quoted) in headers(text) {
            let Some(own) = self.own_header(file, &header, is_quoted) else { continue };
            if seen.insert(fs::canonicalize(&own)?) {
                let text = String::from_utf8_lossy(&fs::read(&own)?).into_owned();
                self.add(&own, &text, needs, seen)?;
            }
        }
        Ok(())
    }

    /// Returns the path of a header that is shortened: one in the folder of `file` that includes it, or in that of the source
    /// file, or one in the folders.
    fn own_header(&self, file: &Path, header: &str, is_quoted: bool) -> Option<PathBuf> {
        let beside = [file, self.file].map(|file| file.parent().unwrap_or(Path::new("")).join(header));
        // A folder that the compiler is told of is often the file's own.
        let is_own = is_quoted || !is_toolkits(header) && !(self.is_found)(header);
        let beside = beside.into_iter().filter(|_| is_own);
        let named = self.folders.iter().map(|folder| folder.join(header)).filter(|_| !is_toolkits(header));
        beside.chain(named).find(|path| path.is_file())
    }
}

/// Returns the text of a source file, followed by the texts of its own headers: those that it or they include by `"…"` from their
/// folders. It is for reading declarations.
#[must_use]
pub fn with_headers(file: &Path, text: String) -> String {
    let mut whole = String::new();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![(file.to_owned(), text)];
    while let Some((file, text)) = waiting.pop() {
        let quoted = headers(&text).into_iter().filter(|(_, is_quoted)| *is_quoted);
        for path in quoted.map(|(header, _)| file.with_file_name(header)) {
            let read =
                fs::canonicalize(&path).ok().filter(|key| seen.insert(key.clone())).and_then(|_| fs::read(&path).ok());
            waiting.extend(read.map(|bytes| (path, String::from_utf8_lossy(&bytes).into_owned())));
        }
        whole.push_str(&text);
        whole.push('\n');
    }
    whole
}

/// Returns the headers to include instead of `header`, if there are any and all of them are found.
fn for_device(header: &str, is_found: &dyn Fn(&str) -> bool) -> Option<&'static [&'static str]> {
    let (_, parts) = FOR_DEVICE.iter().find(|(whole, _)| *whole == header)?;
    parts.iter().all(|part| is_found(part)).then_some(*parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &Path, text: &str, folders: &[PathBuf], is_found: &dyn Fn(&str) -> bool) -> Program {
        let reading = Reading { file, folders, is_found, extent: Extent::Host, kernel: "k" };
        Program::read(&reading, text).expect("its parts")
    }

    #[test]
    fn cublas_leaves_the_types_of_16_bits() {
        let text = "#include <cublas_v2.h>\n#include <cublasLt.h>\n";
        let found = |header: &str| HALVES.contains(&header);
        let program = read(Path::new("k.cu"), text, &[], &found);
        assert!(program.code.left_out.is_empty() && program.code.text.matches("parts-of-cublas").count() == 2);
        assert_eq!(program.shortened, ["cublas_v2.h", "cublasLt.h"]);
        let program = read(Path::new("k.cu"), text, &[], &|_| false);
        assert_eq!((program.code.left_out.len(), program.shortened.len()), (2, 0));
        assert!(program.missing.iter().eq(["cuda_bf16.h", "cuda_fp16.h"]), "{:?}", program.missing);
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
        let program = read(&file("k.cu"), text, &[], &|_| false);
        let named = "#include <common.h>\n";
        let by_name = read(Path::new("k.cu"), named, &[file("common")], &|_| false);
        assert_eq!((by_name.code.left_out.len(), by_name.shortened.len()), (0, 1));
        let left_out: Vec<String> = program.code.left_out.iter().map(ToString::to_string).collect();
        assert_eq!(left_out, ["#include \"absent.h\" (line 2)"]);
        assert!(program.missing.iter().eq(["absent.h", "sys/time.h"]) && program.own_missing.iter().eq(["absent.h"]));
        let name = file("common/common.h").display().to_string().replace('\\', "/");
        assert_eq!(program.shortened, [name.as_str()]);
        let copy = program.code.text.split('"').nth(1).expect("the copy");
        let copied = fs::read_to_string(copy).expect("the copy");
        assert!(copied.starts_with(&format!("#line 1 \"{name}\"\n#pragma once\n")), "{copied}");
        assert!(!copied.contains("sys/time.h") && !copied.contains("seconds") && copied.contains("real twice"));
        assert_eq!(copied.lines().count(), common.lines().count() + 1, "lines keep their numbers");
    }
}
