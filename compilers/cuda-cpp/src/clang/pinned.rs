//! The clang that `cargo learn clang` downloads: a program in a Python wheel, which is published for every system and contains
//! clang with LLVM's target for NVIDIA's GPUs. No other file of the wheel is used.

use loading::Wheel;

/// The version of the clang in the program.
pub const CLANG_VERSION: &str = "22.1.8";

/// The version of the package.
const VERSION: &str = "0.17.1";

/// Returns the wheel for this platform; `None` if none is published.
#[must_use]
pub fn wheel() -> Option<Wheel> {
    wheel_for(std::env::consts::OS, std::env::consts::ARCH)
}

fn wheel_for(system: &str, machine: &str) -> Option<Wheel> {
    let (platform, sha256, megabytes) = match (system, machine) {
        ("linux", "x86_64") => {
            ("manylinux_2_12_x86_64", "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54", 101)
        }
        ("linux", "aarch64") => {
            ("manylinux_2_17_aarch64", "b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e", 98)
        }
        ("macos", "aarch64") => {
            ("macosx_13_0_arm64", "09953b6af7f64168b915180a42774f520f92d86ef6331b28e33915c7e1f0bb23", 100)
        }
        ("macos", "x86_64") => {
            ("macosx_13_0_x86_64", "4e0b4b9c02b8d0d220e9948010f860b62ff11d96abb39762eca5fa2ef3f7bc97", 105)
        }
        ("windows", "x86_64") => ("win_amd64", "69c3dfc3aff6a297ec4017aa904782c0e450eb988982d7f675d83edce27526fb", 102),
        ("windows", "aarch64") => ("win_arm64", "27a8da5f8eaa0e76ebbc7c2594130ed4646c1101ada2ce0aa86fe580c74154b9", 97),
        _ => return None,
    };
    let file = if system == "windows" { "ziglang/zig.exe" } else { "ziglang/zig" };
    Some(Wheel {
        tool: "clang",
        package: "ziglang",
        version: VERSION,
        platform,
        sha256,
        file,
        is_alone: true,
        megabytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_its_own_wheel() {
        let systems = ["linux", "macos", "windows"].into_iter();
        let wheels = systems
            .flat_map(|system| ["x86_64", "aarch64"].map(|machine| wheel_for(system, machine).expect("a wheel")));
        let hashes: std::collections::BTreeSet<_> = wheels.map(|wheel| wheel.sha256).collect();
        assert_eq!(hashes.len(), 6);
        assert!(hashes.iter().all(|hash| hash.len() == 64));
        assert_eq!(wheel_for("freebsd", "x86_64"), None);
    }
}
