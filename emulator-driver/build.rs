//! Gives the shared library the name by which programs ask for the CUDA driver.
//!
//! The crate is a `cdylib` named `libemulator_driver.so` with SONAME `libcuda.so`, opened by its full path before
//! cudarc asks for `libcuda.so`. The same file serves other programs (README.md). An alternative without a file, a stub
//! library made in memory, works on x86-64 glibc only.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The loader hands an object that is already loaded to whoever asks for its SONAME. The file itself keeps its own
    // name: cargo puts its folder on the library path, where a `libcuda.so` would hide a real driver.
    if std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|system| system == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
    }
}
