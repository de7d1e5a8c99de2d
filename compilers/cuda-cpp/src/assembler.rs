//! NVIDIA's assembler and disassembler, ptxas and nvdisasm: what becomes of PTX on a GPU. Neither needs a GPU.

use loading::Wheel;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The version of ptxas that makes the machine code in the repository: that of the assembler in driver 580, with which the records
/// were made.
pub const PTXAS_VERSION: &str = "13.0.88";

/// The version of nvdisasm that reads it. There is no wheel of its release 13.0.
pub const NVDISASM_VERSION: &str = "13.5.37";

/// The architecture of the machine code in the repository, that of the H100 and the H200.
pub const ARCHITECTURE: &str = "sm_90";

/// The toolkit's folder on Linux; on Windows the variable `CUDA_PATH` names it.
const TOOLKIT: &str = "/usr/local/cuda";

/// Returns the wheels with ptxas and with nvdisasm for this platform; `None` if NVIDIA does not publish them.
#[must_use]
pub fn wheels() -> Option<[Wheel; 2]> {
    wheels_for(std::env::consts::OS, std::env::consts::ARCH)
}

fn wheels_for(system: &str, machine: &str) -> Option<[Wheel; 2]> {
    let (platform, ptxas, nvdisasm) = match (system, machine) {
        ("linux", "x86_64") => (
            "manylinux_2_17_x86_64",
            "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
            "d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
        ),
        ("linux", "aarch64") => (
            "manylinux_2_17_aarch64",
            "c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f",
            "a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605",
        ),
        ("windows", "x86_64") => (
            "win_amd64",
            "7c3a32c8ca9866addfd784da363ddee2f6874d560027a296f583e86a61f2d543",
            "aa42a3ecda8c58ff6ff2f9cbe1fc905d7f797a1ca4071941349fda114bf2a628",
        ),
        _ => return None,
    };
    let is_windows = system == "windows";
    let wheel = |tool, package, version, sha256, program: [&'static str; 2], megabytes| Wheel {
        tool,
        package,
        version,
        platform,
        sha256,
        file: program[usize::from(is_windows)],
        is_alone: true,
        megabytes,
    };
    let files = [
        ["nvidia/cu13/bin/ptxas", "nvidia/cu13/bin/ptxas.exe"],
        ["nvidia/cu13/bin/nvdisasm", "nvidia/cu13/bin/nvdisasm.exe"],
    ];
    Some([
        wheel("ptxas", "nvidia-cuda-nvcc", PTXAS_VERSION, ptxas, files[0], 38),
        wheel("nvdisasm", "nvidia-cuda-nvdisasm", NVDISASM_VERSION, nvdisasm, files[1], 6),
    ])
}

/// The two programs.
#[derive(Clone, Debug)]
pub struct Assembler {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

/// What they say about a module.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The disassembly, with the encoding of each instruction (`nvdisasm -hex`).
    pub disassembly: String,
    /// The messages of `ptxas -v`, with the registers of each kernel.
    pub messages: String,
}

impl Assembler {
    /// Returns these programs.
    #[must_use]
    pub fn new(ptxas: PathBuf, nvdisasm: PathBuf) -> Self {
        Self { ptxas, nvdisasm }
    }

    /// Finds the downloaded programs, or else those of an installed CUDA toolkit.
    #[must_use]
    pub fn find() -> Option<Self> {
        let kept = wheels().and_then(|[ptxas, nvdisasm]| Some([ptxas.kept_file()?, nvdisasm.kept_file()?]));
        let folder = std::env::var_os("CUDA_PATH").map_or_else(|| TOOLKIT.into(), PathBuf::from).join("bin");
        let end = std::env::consts::EXE_SUFFIX;
        let installed = ["ptxas", "nvdisasm"].map(|name| folder.join(format!("{name}{end}")));
        let mut all = kept.into_iter().chain([installed]);
        all.find(|both| both.iter().all(|file| file.is_file())).map(|[ptxas, nvdisasm]| Self { ptxas, nvdisasm })
    }

    /// Assembles PTX for [`ARCHITECTURE`], and disassembles the result.
    ///
    /// # Errors
    /// A text: a program cannot be started, or it refuses its input, with its message.
    pub fn run(&self, ptx: &str) -> Result<Assembled, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let cubin = folder.path().join("kernel.cubin");
        let messages = self.assemble(ptx, &cubin)?;
        let disassembled = output(&self.nvdisasm, &["-hex", "-c"], &[&cubin])?;
        Ok(Assembled { disassembly: String::from_utf8_lossy(&disassembled.stdout).into_owned(), messages })
    }

    /// Assembles PTX for [`ARCHITECTURE`], and returns the messages of `ptxas -v`, with the registers of each kernel.
    ///
    /// # Errors
    /// A text: ptxas cannot be started, or it refuses its input, with its message.
    pub fn messages(&self, ptx: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        self.assemble(ptx, &folder.path().join("kernel.cubin"))
    }

    /// Writes the machine code to a file in a folder of its own.
    fn assemble(&self, ptx: &str, cubin: &Path) -> Result<String, String> {
        let source = cubin.with_extension("ptx");
        std::fs::write(&source, ptx).map_err(|error| format!("cannot write {}: {error}", source.display()))?;
        // Code for one architecture alone, such as that of tensor cores, has its own name.
        let is_alone = ptx.lines().any(|line| line.trim() == ".target sm_90a");
        let architecture = format!("-arch={ARCHITECTURE}{}", if is_alone { "a" } else { "" });
        let assembled = output(&self.ptxas, &["-v", &architecture, "-o"], &[cubin, &source])?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(text(&assembled.stderr) + &text(&assembled.stdout))
    }
}

fn output(program: &Path, options: &[&str], files: &[&Path]) -> Result<Output, String> {
    let output = Command::new(program).args(options).args(files).output();
    let output = output.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("{} fails: {said}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_has_its_own_wheels() {
        let platforms = [("linux", "x86_64"), ("linux", "aarch64"), ("windows", "x86_64")];
        let wheels = platforms.into_iter().flat_map(|(system, machine)| wheels_for(system, machine).expect("wheels"));
        let hashes: std::collections::BTreeSet<_> = wheels.map(|wheel| wheel.sha256).collect();
        assert!(hashes.len() == 6 && hashes.iter().all(|hash| hash.len() == 64));
        assert_eq!(wheels_for("macos", "aarch64"), None);
    }

    #[test]
    fn a_missing_program_is_named() {
        let assembler = Assembler::new("/no/such/ptxas".into(), "/no/such/nvdisasm".into());
        assert!(assembler.run(".version 8.0").unwrap_err().contains("cannot start /no/such/ptxas"));
    }
}
