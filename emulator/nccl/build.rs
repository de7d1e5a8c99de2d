//! Sets the name under which programs request NCCL, `libnccl.so`, as emulator-driver's `build.rs` does for the driver.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The file has another name, because a `libnccl.so` next to a stage's program would hide a real one. Windows has no such
    // names, so `loading` opens a copy of the file.
    let option = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => "-Wl,-soname,libnccl.so",
        Ok("macos") => "-Wl,-install_name,@rpath/libnccl.dylib",
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={option}");
}
