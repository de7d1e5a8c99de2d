//! The releases of NVRTC that the binding is tested with: the oldest and the newest of CUDA 12 and of CUDA 13.

use super::wheel;
use anyhow::{Context, Result, ensure};
use loading::Wheel;
use loading::workspace_root;
use nvrtc::pinned::TOOL;
use std::process::Command;

/// The releases.
pub const RELEASES: [Wheel; 4] = [
    cuda_12("12.1.105", "manylinux1_x86_64", "339b385f50c309763ca65456ec75e17bbefcbbf2893f462cb8b90584cd27a1c2", 24),
    cuda_12("12.9.86", "manylinux2010_x86_64", "210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4", 90),
    // This library has no run path and cannot find its second file by itself.
    cuda_13("13.0.88", "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575", 90),
    cuda_13("13.5.37", "86b4d68058807988b7d9af5b44917a0601e9c337f35ccd657bfb3c759ff8d8bc", 58),
];

const fn cuda_12(version: &'static str, platform: &'static str, sha256: &'static str, megabytes: u32) -> Wheel {
    let file = "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
    let package = "nvidia-cuda-nvrtc-cu12";
    Wheel { tool: TOOL, package, version, platform, sha256, file, is_alone: false, megabytes }
}

const fn cuda_13(version: &'static str, sha256: &'static str, megabytes: u32) -> Wheel {
    let file = "nvidia/cu13/lib/libnvrtc.so.13";
    let package = "nvidia-cuda-nvrtc";
    Wheel { package, file, ..cuda_12(version, "manylinux2010_x86_64", sha256, megabytes) }
}

/// The kernel that is compiled and run, and the options of its launch.
const PROGRAM: &str = "emulator/machine/tests/faults/kernels/barrier_missing_after_load.cu";
const LAUNCH: &str = "--kernel fixed --grid 2 --block 64 --arg f32[128]=index --arg f32[128]";

/// Downloads each release and runs `cargo learn check` on a kernel with it. Each release is tested in another process, because
/// a process cannot unload the first one.
///
/// # Errors
/// Returns an error on other platforms than Linux on x86-64, or if a release cannot be downloaded or does not work.
pub fn run() -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "the releases are pinned only for Linux on x86-64: run `cargo learn nvrtc --every-release` there"
    );
    let program = std::env::current_exe().context("the program's own path is unknown")?;
    for release in RELEASES {
        let library = wheel::fetch(&release)?;
        let mut check = Command::new(&program);
        check.current_dir(workspace_root()).args(["check", PROGRAM]).args(LAUNCH.split(' '));
        let status = check.env("COALESCED_NVRTC", &library).status()?;
        ensure!(status.success(), "NVRTC {} does not work: {check:?} failed ({status})", release.version);
        println!("NVRTC {} works: {}", release.version, library.display());
    }
    Ok(())
}
