//! The NVRTC that `cargo learn nvrtc` downloads. The wheel has a second file, with the built-in headers, in the library's folder.

use loading::Wheel;

/// The version of the compiler that makes the PTX files in the repository. Every driver from R530 on accepts its PTX, which is
/// of ISA 8.1.
pub const PTX_VERSION: &str = "12.1.105";

/// The folder of all releases in the cache.
pub const TOOL: &str = "nvrtc";

const X86_64: Wheel = Wheel {
    tool: TOOL,
    package: "nvidia-cuda-nvrtc-cu12",
    version: PTX_VERSION,
    platform: "manylinux1_x86_64",
    sha256: "339b385f50c309763ca65456ec75e17bbefcbbf2893f462cb8b90584cd27a1c2",
    file: "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    is_alone: false,
    megabytes: 24,
};

const WINDOWS: Wheel = Wheel {
    tool: TOOL,
    package: "nvidia-cuda-nvrtc-cu12",
    version: PTX_VERSION,
    platform: "win_amd64",
    sha256: "0a98a522d9ff138b96c010a65e145dc1b4850e9ecb75a0172371793752fd46ed",
    file: "nvidia/cuda_nvrtc/bin/nvrtc64_120_0.dll",
    is_alone: false,
    megabytes: 19,
};

/// NVIDIA does not publish a wheel of [`PTX_VERSION`] for Arm.
const AARCH64: Wheel = Wheel {
    tool: TOOL,
    package: "nvidia-cuda-nvrtc-cu12",
    version: "12.4.127",
    platform: "manylinux2014_aarch64",
    sha256: "0eedf14185e04b76aa05b1fea04133e59f465b6f960c0cbf4e37c3cb6b0ea198",
    file: "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    is_alone: false,
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
