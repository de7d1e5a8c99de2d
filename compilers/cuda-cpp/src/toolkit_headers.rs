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

/// The library of random numbers, of the same release. Kernels use its headers alone, and most kernels do without.
pub const CURAND: Wheel = Wheel {
    tool: "headers-of-curand",
    package: "nvidia-curand-cu12",
    version: "10.3.2.106",
    platform: "manylinux1_x86_64",
    sha256: "9d264c5036dde4e64f1de8c50ae753237c12e0b1348738169cd0f8a536c0e1e0",
    file: "nvidia/curand/include/curand_kernel.h",
    is_alone: false,
    megabytes: 56,
};

/// The wheels with the other headers. The first part of a file's path, up to `include`, is the folder to include from.
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
    let kept = WHEELS.iter().chain([&CURAND]).filter_map(Wheel::kept_file).filter(|file| file.is_file());
    kept.filter_map(|file| file.ancestors().find(|folder| folder.ends_with("include")).map(Into::into)).collect()
}

/// The beginnings of the names of the toolkit's headers. Names that a program's own headers often begin with are whole.
const NAMES: [&str; 41] = [
    "builtin_types.h",
    "channel_descriptor.h",
    "common_functions.h",
    "cooperative_groups.h",
    "cooperative_groups/",
    "crt/",
    "cuComplex.h",
    "cub/",
    "cublas.h",
    "cublasLt.h",
    "cublasXt.h",
    "cublas_",
    "cuda.h",
    "cuda/",
    "cudaGL.h",
    "cudaProfiler.h",
    "cudaTypedefs.h",
    "cuda_awbarrier",
    "cuda_bf16.h",
    "cuda_device_runtime_api.h",
    "cuda_fp16.h",
    "cuda_fp8.h",
    "cuda_gl_interop.h",
    "cuda_occupancy.h",
    "cuda_pipeline",
    "cuda_profiler_api.h",
    "cuda_runtime",
    "cuda_surface_types.h",
    "cuda_texture_types.h",
    "cufft",
    "curand",
    "cusolver",
    "cusparse",
    "device_functions.h",
    "device_launch_parameters.h",
    "math_constants.h",
    "mma.h",
    "nv/",
    "surface_functions.h",
    "texture_fetch_functions.h",
    "vector_types.h",
];

/// Returns whether a header is the toolkit's by its name.
#[must_use]
pub fn is_toolkits(header: &str) -> bool {
    NAMES.iter().any(|name| header.starts_with(name)) || header.starts_with("thrust/")
}

/// Returns the command that brings a header of the toolkit that is missing; none if no command brings it.
#[must_use]
pub fn command_for(header: &str) -> Option<&'static str> {
    if header.starts_with("curand") {
        return Some("cargo learn headers --curand");
    }
    let is_of_library = |library: &&str| header.starts_with(*library);
    let is_brought = is_toolkits(header) && !["cublas", "cufft", "cusolver", "cusparse"].iter().any(is_of_library);
    let is_there = |wheel: &Wheel| wheel.kept_file().is_some_and(|file| file.is_file());
    (is_brought && !WHEELS.iter().all(is_there)).then_some("cargo learn headers")
}
