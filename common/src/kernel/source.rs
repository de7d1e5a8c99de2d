//! One kernel file, as text and as PTX.

use super::language::Language;
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// One kernel file at the time when the program was built, from [`kernel_source!`](crate::kernel_source).
#[derive(Clone, Copy, Debug)]
pub struct KernelSource {
    /// File name without extension, `01_compute_forces`.
    pub file: &'static str,
    /// Its language.
    pub language: &'static dyn Language,
    /// Its text.
    pub text: &'static str,
    /// Returns the PTX made from it, or from an earlier version.
    pub ptx: fn() -> &'static str,
    /// The crate's folder on the machine that built the program.
    pub crate_folder: &'static str,
    /// The Rust version of a CUDA C++ file, if it has one.
    pub rust: Option<&'static Self>,
}

/// Includes the kernel file `kernels/NAME.cu` of the calling crate, in CUDA C++, with `ptx/NAME.ptx`. With `rust` after the
/// name, also includes its Rust version `kernels/NAME.rs` with `ptx/NAME.rs.ptx.gz`.
#[macro_export]
macro_rules! kernel_source {
    ($name:literal) => {
        $crate::kernel_source!(@ $name, CudaCpp, ".cu", $crate::kernel_source!(@ptx $name), None)
    };
    ($name:literal, rust) => {
        $crate::kernel_source!(@ $name, CudaCpp, ".cu", $crate::kernel_source!(@ptx $name), Some(&$crate::kernel_source!(@rust $name)))
    };
    (@rust $name:literal) => {
        $crate::kernel_source!(@ $name, Rust, ".rs", || {
            static PTX: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
                let packed = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/", $name, ".rs.ptx.gz"));
                $crate::kernel::unpack(packed).expect("packed PTX")
            });
            &PTX
        }, None)
    };
    (@ptx $name:literal) => {
        || include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/", $name, ".ptx"))
    };
    (@ $name:literal, $language:ident, $text:literal, $ptx:expr, $rust:expr) => {
        $crate::kernel::KernelSource {
            file: $name,
            language: &$crate::kernel::$language,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $name, $text)),
            ptx: $ptx,
            crate_folder: env!("CARGO_MANIFEST_DIR"),
            rust: $rust,
        }
    };
}

impl KernelSource {
    /// Returns the Rust version if `in_rust` and there is one, else this file.
    #[must_use]
    pub fn written(&self, in_rust: bool) -> &Self {
        self.rust.filter(|_| in_rust).unwrap_or(self)
    }

    /// Returns `kernels/01_compute_forces.cu`, the name in messages of compilers and profilers.
    #[must_use]
    pub fn name(&self) -> String {
        format!("kernels/{}.{}", self.file, self.language.extension())
    }

    /// Returns the path of the file on the machine that built the program.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        PathBuf::from(self.crate_folder).join(self.name())
    }

    /// Returns the prebuilt PTX.
    #[must_use]
    pub fn ptx(&self) -> &'static str {
        (self.ptx)()
    }

    /// Returns the current text on disk, or the built-in copy if there is no such file.
    #[must_use]
    pub fn current_text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap_or_else(|_| self.text.into())
    }

    /// Returns whether the prebuilt PTX was made from `text`.
    #[must_use]
    pub fn ptx_is_of(&self, text: &str) -> bool {
        stated_sha256(self.ptx()) == Some(hexadecimal(&Sha256::digest(text)).as_str())
    }

    /// Returns the oldest compute capability that the kernel supports: the target of the prebuilt PTX.
    #[must_use]
    pub fn compute_capability(&self) -> (i32, i32) {
        let digits: String = self.target().chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<i32>().map_or((7, 5), |number| (number / 10, number % 10))
    }

    /// Returns whether the kernel supports no newer compute capability: the target of the prebuilt PTX ends in `a`.
    #[must_use]
    pub fn is_specific(&self) -> bool {
        self.target().trim_start_matches(|character: char| character.is_ascii_digit()).starts_with('a')
    }

    /// Returns the target of the prebuilt PTX, from its number on.
    fn target(&self) -> &'static str {
        self.ptx().lines().find_map(|line| line.strip_prefix(".target sm_")).unwrap_or_default()
    }

    /// Returns the instructions of the prebuilt PTX, one per line: see [`predict::instructions`].
    pub fn instructions(&self) -> impl Iterator<Item = &'static str> {
        predict::instructions(self.ptx(), rust_ptx::OF_PANICS)
    }

    /// Returns the listing of what ptxas makes of the prebuilt PTX (`cargo x machine-code`); `None` without a file on disk, and if
    /// it is of another version of the kernel.
    #[must_use]
    pub fn machine_code(&self) -> Option<String> {
        let end = if self.language.extension() == "rs" { ".rs" } else { "" };
        let folder = Path::new(self.crate_folder);
        let listings = folder.parent()?.join("results/machine-code").join(folder.file_name()?);
        let text = unpack(&std::fs::read(listings.join(format!("{}{end}.sass.gz", self.file))).ok()?).ok()?;
        (stated_version(&text)? == version([self])).then_some(text)
    }
}

/// Returns a text that was gzipped.
///
/// # Errors
/// Returns an error if the bytes are not gzip, or not of a text.
pub fn unpack(bytes: &[u8]) -> std::io::Result<String> {
    std::io::read_to_string(GzDecoder::new(bytes))
}

/// Returns the version that the comment lines at the beginning of a listing of machine code state.
#[must_use]
pub fn stated_version(listing: &str) -> Option<&str> {
    let comments = listing.lines().take_while(|line| line.starts_with("//"));
    comments.filter_map(|line| line.strip_prefix("// version ")).next()
}

/// SHA-256 of the instructions of kernel files, in hexadecimal: which version of a kernel a record is of.
#[must_use]
pub fn version<'a>(files: impl IntoIterator<Item = &'a KernelSource>) -> String {
    version_of(files.into_iter().flat_map(KernelSource::instructions))
}

/// SHA-256 of instructions, one per line, in hexadecimal.
#[must_use]
pub fn version_of<'a>(instructions: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for line in instructions {
        hash.update(line);
        hash.update("\n");
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 in the comment lines that open a PTX file.
fn stated_sha256(ptx: &str) -> Option<&str> {
    let is_hash = |word: &&str| word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit());
    ptx.lines().take_while(|line| line.starts_with("//")).flat_map(str::split_whitespace).find(is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::CudaCpp;

    const PTX: &str = "// kernels/x.cu\n// SHA-256 \
        2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n.version 8.1\n";

    fn source() -> KernelSource {
        KernelSource { file: "x", language: &CudaCpp, text: "hello", ptx: || PTX, crate_folder: "/nowhere", rust: None }
    }

    #[test]
    fn prebuilt_ptx_belongs_to_the_text_whose_hash_it_bears() {
        assert!(source().ptx_is_of("hello"));
        assert!(!source().ptx_is_of("hello "));
    }

    #[test]
    fn a_kernel_is_for_the_target_of_its_ptx() {
        let of = |ptx: fn() -> &'static str| KernelSource { ptx, ..source() }.compute_capability();
        assert_eq!(of(|| "// card\n.version 8.1\n.target sm_90\n"), (9, 0));
        assert_eq!(of(|| ".target sm_120, texmode_independent\n"), (12, 0));
        assert_eq!(of(|| ".version 8.1\n"), (7, 5));
        let is_specific = |ptx: fn() -> &'static str| KernelSource { ptx, ..source() }.is_specific();
        assert!(is_specific(|| ".target sm_90a\n"));
        assert!(!is_specific(|| ".target sm_90\n") && !is_specific(|| ".target sm_120, texmode_independent\n"));
    }

    #[test]
    fn ptx_without_a_hash_belongs_to_no_text() {
        let source = KernelSource { ptx: || ".version 8.1\n", ..source() };
        assert!(!source.ptx_is_of("hello"));
    }

    #[test]
    fn a_version_is_of_instructions_and_not_of_comments() {
        let of = |ptx: fn() -> &'static str| version([&KernelSource { ptx, ..source() }]);
        let first = of(|| "// card\n.loc 1 2 3\n  ret;\n.file 1 \"x\"\n.section .debug_str\n{ }\n");
        assert_eq!(first, of(|| "ret;\n"));
        assert_eq!(first, of(|| "{ // panic_\nmov.b32 %panic_at, 12;\n} // panic_\nret;\n"));
        assert_ne!(first, of(|| "exit;\n"));
        assert_eq!(first.len(), 64);
    }

    #[test]
    fn a_file_that_is_not_there_has_its_built_in_text() {
        assert_eq!(source().current_text(), "hello");
    }
}
