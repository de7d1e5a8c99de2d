//! The CUDA toolkit's own headers, which `cargo learn headers` downloads: cooperative groups, halves, products of matrices, CUB.

use loading::Wheel;
use std::path::PathBuf;

/// The folder of all releases in the cache.
const TOOL: &str = "headers";

/// The headers of the runtime library, of the release of the pinned NVRTC. Wheels of all platforms have the same ones.
const RUNTIME: Wheel = Wheel {
    tool: TOOL,
    package: "nvidia-cuda-runtime-cu12",
    version: "12.1.105",
    platform: "manylinux1_x86_64",
    sha256: "6e258468ddf5796e25f1dc591a31029fa317d97a0a94ed93468fc86301d61e40",
    file: "nvidia/cuda_runtime/include/cuda_runtime.h",
    is_alone: false,
    megabytes: 1,
};

/// The core libraries for C++, of the first release whose parts for blocks and warps every supported NVRTC compiles.
const CORE_LIBRARIES: Wheel = Wheel {
    tool: TOOL,
    package: "nvidia-cuda-cccl-cu12",
    version: "12.9.27",
    platform: "manylinux2014_x86_64",
    sha256: "37869e17ce2e1ecec6eddf1927cca0f8c34e64fd848d40453df559091e2d7117",
    file: "nvidia/cuda_cccl/include/cub/cub.cuh",
    is_alone: false,
    megabytes: 3,
};

/// The compiler's headers, of the same release: `mma.h` of the runtime library includes `crt/mma.h`. The compiler itself is not
/// used.
const COMPILER: Wheel = Wheel {
    tool: "headers-of-nvcc",
    package: "nvidia-cuda-nvcc-cu12",
    version: "12.1.105",
    platform: "manylinux1_x86_64",
    sha256: "a0712a05ffd57d9f017580ffcc808b207f7f4ef7a5ca8ac1312318b153739a18",
    file: "nvidia/cuda_nvcc/include/crt/mma.h",
    is_alone: false,
    megabytes: 20,
};

/// The wheels with the headers. The first part of a file's path, up to `include`, is the folder to include from.
pub const WHEELS: [Wheel; 3] = [RUNTIME, CORE_LIBRARIES, COMPILER];

/// The toolkit's folder on Linux; on Windows the variable `CUDA_PATH` names it.
const TOOLKIT: &str = "/usr/local/cuda";

/// Returns the folders of an installed toolkit's headers, or else of the downloaded ones; empty if there are none.
#[must_use]
pub fn folders() -> Vec<PathBuf> {
    let toolkit = std::env::var_os("CUDA_PATH").map_or_else(|| TOOLKIT.into(), PathBuf::from).join("include");
    if toolkit.join("cuda_runtime.h").is_file() {
        return vec![toolkit];
    }
    let kept = WHEELS.iter().filter_map(Wheel::kept_file).filter(|file| file.is_file());
    kept.filter_map(|file| file.ancestors().find(|folder| folder.ends_with("include")).map(Into::into)).collect()
}
