//! Gives the shared library the name by which programs ask for NCCL: `libnccl.so`, as emulator-driver's `build.rs` does
//! for the driver.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The file keeps its own name: beside a stage's program, a `libnccl.so` would hide a real one.
    if std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|system| system == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libnccl.so");
    }
}
