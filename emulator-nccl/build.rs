//! Gives the shared library the name by which programs ask for NCCL: `libnccl.so`, as emulator-driver's `build.rs` does
//! for the driver.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The file keeps its own name: beside a stage's program, a `libnccl.so` would hide a real one.
    // Windows has no such names: there a copy of the file is opened (`loading`).
    let option = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => "-Wl,-soname,libnccl.so",
        Ok("macos") => "-Wl,-install_name,@rpath/libnccl.dylib",
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={option}");
}
