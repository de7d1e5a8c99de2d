//! The NVRTC that `cargo x nvrtc` fetches, and where it keeps it.
//!
//! It lies in the user's cache folder and not in `target`: it survives `cargo clean`, and one copy of 64 MB serves every
//! checkout, the stages as well as `cargo x ptx` and `cargo x check`.

use std::path::PathBuf;

/// A release of NVRTC, as NVIDIA's Python wheel of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wheel {
    /// Name of the Python package.
    pub package: &'static str,
    /// Version of the package: `12.1.105`.
    pub version: &'static str,
    /// The platform as Python names it.
    pub platform: &'static str,
    /// SHA-256 of the wheel, in lower-case hexadecimal.
    pub sha256: &'static str,
    /// The library's file in the wheel; its second file, the built-in headers, lies beside it.
    pub library: &'static str,
    /// What there is to fetch, in 10^6 bytes.
    pub megabytes: u32,
}

/// Version of the compiler that makes the PTX files in the repository. Its PTX, ISA 8.1, is loaded by any driver from
/// R530 on.
pub const PTX_VERSION: &str = "12.1.105";

const X86_64: Wheel = Wheel {
    package: "nvidia-cuda-nvrtc-cu12",
    version: PTX_VERSION,
    platform: "manylinux1_x86_64",
    sha256: "339b385f50c309763ca65456ec75e17bbefcbbf2893f462cb8b90584cd27a1c2",
    library: "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    megabytes: 24,
};

const WINDOWS: Wheel = Wheel {
    package: "nvidia-cuda-nvrtc-cu12",
    version: PTX_VERSION,
    platform: "win_amd64",
    sha256: "0a98a522d9ff138b96c010a65e145dc1b4850e9ecb75a0172371793752fd46ed",
    library: "nvidia/cuda_nvrtc/bin/nvrtc64_120_0.dll",
    megabytes: 19,
};

/// NVIDIA has no wheel of [`PTX_VERSION`] for Arm.
const AARCH64: Wheel = Wheel {
    package: "nvidia-cuda-nvrtc-cu12",
    version: "12.4.127",
    platform: "manylinux2014_aarch64",
    sha256: "0eedf14185e04b76aa05b1fea04133e59f465b6f960c0cbf4e37c3cb6b0ea198",
    library: "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    megabytes: 24,
};

/// The wheel for this platform; `None` where NVIDIA makes none.
#[must_use]
pub fn wheel() -> Option<Wheel> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some(X86_64),
        ("linux", "aarch64") => Some(AARCH64),
        ("windows", "x86_64") => Some(WINDOWS),
        _ => None,
    }
}

impl Wheel {
    /// The folder in which it is kept, `~/.cache/coalesced/nvrtc/12.1.105`; `None` for a user without a home.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        Some(loading::cache_folder()?.join("nvrtc").join(self.version))
    }

    /// The library's file, whether it is there or not.
    #[must_use]
    pub fn library_file(&self) -> Option<PathBuf> {
        Some(self.folder()?.join(self.library))
    }
}
