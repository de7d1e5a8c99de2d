//! Gives the shared library the name by which programs ask for the CUDA driver.
//!
//! The crate is a `cdylib` named `libemulator_driver.so` with SONAME `libcuda.so`, opened by its full path before
//! cudarc asks for `libcuda.so`. The same file serves other programs (README.md). An alternative without a file, a stub
//! library made in memory, works on x86-64 glibc only.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Loaders hand an object that is already loaded to whoever asks for this name. The file itself keeps its own
    // name: cargo puts its folder on the library path, where a `libcuda.so` would hide a real driver.
    // Windows has no such names: there a copy of the file is opened (`loading`).
    let option = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => "-Wl,-soname,libcuda.so",
        Ok("macos") => "-Wl,-install_name,@rpath/libcuda.dylib",
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={option}");
}
