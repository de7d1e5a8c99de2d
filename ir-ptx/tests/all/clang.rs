//! The one place that runs clang: a kernel to IR, and by LLVM's own back end to PTX.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A clang with LLVM's back end for PTX, and the header of the course.
pub struct Clang {
    program: PathBuf,
    header: PathBuf,
}

/// What clang makes of a kernel.
pub struct Compiled {
    /// LLVM's IR.
    pub ir: String,
    /// The PTX of LLVM's back end.
    pub ptx: String,
}

/// The options that do not depend on the kernel.
const OPTIONS: [&str; 18] = [
    "--target=x86_64-unknown-linux-gnu",
    "-x",
    "cuda",
    "--cuda-device-only",
    "-S",
    "-std=c++17",
    "-O3",
    "-ffp-contract=fast",
    "-gline-tables-only",
    "-Xclang",
    "-target-feature",
    "-Xclang",
    "+ptx81",
    "-nocudainc",
    "-nocudalib",
    "-nostdinc",
    "-fdeclspec",
    "-fno-jump-tables",
];

/// The options for IR: clang's own vectors suit CPUs.
const FOR_IR: [&str; 3] = ["-emit-llvm", "-fno-slp-vectorize", "-fno-vectorize"];

impl Clang {
    /// Finds clang.
    ///
    /// # Errors
    /// Returns the command that installs it.
    pub fn find() -> Result<Self, String> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let header = workspace.join("cuda-cpp/header");
        let program = std::env::var_os("COALESCED_CLANG").map(PathBuf::from);
        match program.filter(|program| program.is_file() && header.is_dir()) {
            Some(program) => Ok(Self { program, header }),
            None => Err("clang: `cargo x clang`".into()),
        }
    }

    /// Compiles a kernel in both ways for a compute capability (10 × major + minor).
    ///
    /// # Errors
    /// Returns clang's messages.
    pub fn compile(&self, text: &str, architecture: i32) -> Result<Compiled, String> {
        let ir = self.run(text, architecture, &FOR_IR)?;
        let ptx = self.run(text, architecture, &[])?;
        Ok(Compiled { ir, ptx })
    }

    fn run(&self, text: &str, architecture: i32, options: &[&str]) -> Result<String, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (kernel, out) = (folder.path().join("kernel.cu"), folder.path().join("out"));
        std::fs::write(&kernel, text).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.program);
        // Zig contains clang.
        if self.program.file_stem().is_some_and(|stem| stem == "zig") {
            command.arg("clang");
        }
        command.args(OPTIONS).args(options).arg(format!("--cuda-gpu-arch=sm_{architecture}"));
        command.arg("-isystem").arg(&self.header).args(["-include", "cuda_runtime.h", "-w"]);
        let ended = command.arg(&kernel).arg("-o").arg(&out).output().map_err(|error| error.to_string())?;
        if !ended.status.success() {
            return Err(String::from_utf8_lossy(&ended.stderr).into_owned());
        }
        std::fs::read_to_string(out).map_err(|error| error.to_string())
    }
}
