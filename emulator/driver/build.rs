//! Sets the name under which programs request the CUDA driver.
//!
//! The crate is a `cdylib` named `libemulator_driver.so` with SONAME `libcuda.so`. A program opens it by its full path before
//! cudarc requests `libcuda.so`. For other programs, the feature `libcuda` sets NVIDIA's SONAME, `libcuda.so.1`, which a program
//! that is linked with the file then requests from any driver (README.md). The alternative, a stub library created in
//! memory, only works with glibc on x86-64.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Loaders return a loaded library for this name. The file has another name, because cargo adds its folder to the library
    // path, where a `libcuda.so` would hide a real driver. Windows has no such names, so `loading` opens a copy of the file.
    let version = if std::env::var_os("CARGO_FEATURE_LIBCUDA").is_some() { ".1" } else { "" };
    let soname = format!("-Wl,-soname,libcuda.so{version}");
    let option = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => soname.as_str(),
        Ok("macos") => "-Wl,-install_name,@rpath/libcuda.dylib",
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={option}");
}
