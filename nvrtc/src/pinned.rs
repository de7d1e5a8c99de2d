//! The NVRTC that `cargo x nvrtc` downloads.
//!
//! It is kept in the user's cache folder and not in `target`, so that it survives `cargo clean` and one copy of 64 MB serves
//! all checkouts.

use std::path::PathBuf;

/// NVIDIA's Python wheel of a release of NVRTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wheel {
    /// The name of the Python package.
    pub package: &'static str,
    /// The version of the package: `12.1.105`.
    pub version: &'static str,
    /// Python's name for the platform.
    pub platform: &'static str,
    /// The SHA-256 of the wheel in lower-case hexadecimal.
    pub sha256: &'static str,
    /// The path of the library in the wheel. The second file, with the built-in headers, is in the same folder.
    pub library: &'static str,
    /// The size of the download in 10^6 bytes.
    pub megabytes: u32,
}

/// The version of the compiler that makes the PTX files in the repository. Every driver from R530 on accepts its PTX, which is
/// of ISA 8.1.
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

/// NVIDIA does not publish a wheel of [`PTX_VERSION`] for Arm.
const AARCH64: Wheel = Wheel {
    package: "nvidia-cuda-nvrtc-cu12",
    version: "12.4.127",
    platform: "manylinux2014_aarch64",
    sha256: "0eedf14185e04b76aa05b1fea04133e59f465b6f960c0cbf4e37c3cb6b0ea198",
    library: "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    megabytes: 24,
};

/// Returns the wheel for this platform; `None` if NVIDIA does not publish one.
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
    /// Returns the folder in which the wheel is unpacked, `~/.cache/coalesced/nvrtc/12.1.105`; `None` for a user without a home
    /// folder.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        Some(loading::cache_folder()?.join("nvrtc").join(self.version))
    }

    /// Returns the path of the library, which need not exist.
    #[must_use]
    pub fn library_file(&self) -> Option<PathBuf> {
        Some(self.folder()?.join(self.library))
    }
}
