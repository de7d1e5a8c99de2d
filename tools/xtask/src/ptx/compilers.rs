//! The compilers of the PTX files, each opened at its first use.

use super::header::Header;
use crate::compiler;
use crate::workspace::{Kernel, read};
use anyhow::{Context, Result, ensure};
use cuda_cpp::{architecture, nvrtc_options};
use judge::kernel_file::Language;
use nvrtc::Nvrtc;
use nvrtc::pinned::PTX_VERSION;
use std::path::{Path, PathBuf};

/// The compilers that have been used so far.
pub struct Compilers {
    library: Option<PathBuf>,
    nvrtc: Option<Nvrtc>,
    rust: Option<rust_ptx::Compiler>,
}

impl Compilers {
    /// Opens no compiler yet. `library` names the NVRTC to use instead of the downloaded one.
    pub fn new(library: Option<&Path>) -> Self {
        Self { library: library.map(Path::to_owned), nvrtc: None, rust: None }
    }

    /// Compiles a kernel and returns the whole text of its PTX file.
    ///
    /// # Errors
    /// Returns an error if there is no compiler of the pinned version, or if the kernel does not compile.
    pub fn compile(&mut self, kernel: &Kernel) -> Result<String> {
        let source = read(&kernel.source)?;
        let ptx = match kernel.language {
            Language::Cuda => self.cuda(kernel, &source)?,
            Language::Rust => self.rust(kernel, &source)?,
        };
        Ok(format!("{}{}\n", Header::new(&kernel.program, kernel.language, &source), ptx.trim_end()))
    }

    /// Returns whether the pinned compiler for kernels in Rust is missing.
    pub fn lacks_rust(&mut self) -> bool {
        if self.rust.is_none() {
            self.rust = rust_ptx::Compiler::find().ok().filter(|rust| rust.version() == rust_ptx::PTX_VERSION);
        }
        self.rust.is_none()
    }

    fn cuda(&mut self, kernel: &Kernel, source: &str) -> Result<String> {
        let nvrtc = match self.nvrtc.take() {
            Some(nvrtc) => nvrtc,
            None => compiler::pinned_nvrtc(self.library.as_deref())?,
        };
        let ptx =
            nvrtc.ptx(&kernel.program, source, &nvrtc_options(source)).with_context(|| does_not_compile(kernel))?;
        self.nvrtc = Some(nvrtc);
        let version = compiler_version(&ptx).context("the compiler's PTX does not name its version")?;
        ensure!(version == PTX_VERSION, "this is NVRTC {version}; the prebuilt PTX takes {PTX_VERSION}");
        normalize(&ptx, &kernel.program)
    }

    fn rust(&mut self, kernel: &Kernel, source: &str) -> Result<String> {
        let rust = match self.rust.take() {
            Some(rust) => rust,
            None => rust_ptx::Compiler::find()?,
        };
        let version = rust.version();
        let wanted = rust_ptx::PTX_VERSION;
        ensure!(version == wanted, "this is rustc {version}; the prebuilt PTX takes {wanted}");
        let ptx =
            rust.compile(&kernel.program, source, architecture(source)).with_context(|| does_not_compile(kernel))?;
        self.rust = Some(rust);
        Ok(ptx)
    }
}

fn does_not_compile(kernel: &Kernel) -> String {
    format!("{} does not compile", kernel.source.display())
}

/// Returns `12.1.105` from the line `// Cuda compilation tools, release 12.1, V12.1.105`.
fn compiler_version(ptx: &str) -> Option<&str> {
    ptx.lines().find_map(|line| line.strip_prefix("// Cuda compilation tools, ")?.split_once(", V")).map(|(_, v)| v)
}

/// Replaces the absolute name of the source, which NVRTC writes in `.file`, by `program`, and leaves out blank lines and comments.
fn normalize(ptx: &str, program: &str) -> Result<String> {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")) {
        if line.trim_start().starts_with(".file") {
            let (number, path) = line.split_once('"').context("a .file line without a name")?;
            ensure!(path.ends_with(&format!("/{program}\"")), "a line table of another file than {program}: {line}");
            text.push_str(&format!("{number}\"{program}\"\n"));
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_version_is_read_from_its_banner() {
        let banner = "// Compiler Build ID: CL-32688072\n// Cuda compilation tools, release 12.1, V12.1.105\n";
        assert_eq!(compiler_version(banner), Some("12.1.105"));
        assert_eq!(compiler_version(".version 8.1\n"), None);
    }

    #[test]
    fn the_folder_of_the_run_comments_and_blank_lines_go() {
        let ptx = "// Generated\n\n\t// begin inline asm\nret;\n\t.file\t1 \"/home/ada/kernels/01_x.cu\"\n";
        let text = normalize(ptx, "kernels/01_x.cu").expect("the line is of this program");
        assert_eq!(text, "ret;\n\t.file\t1 \"kernels/01_x.cu\"\n");
    }

    #[test]
    fn file_line_of_another_source_is_refused() {
        let error = normalize("\t.file\t1 \"/usr/include/a.h\"\n", "kernels/01_x.cu").unwrap_err();
        assert!(error.to_string().contains("/usr/include/a.h"), "{error}");
    }
}
