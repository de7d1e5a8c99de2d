//! The releases of NVRTC that the binding is tested with: the oldest and the newest of CUDA 12 and of CUDA 13.

use super::wheel;
use anyhow::{Context, Result, ensure};
use loading::Wheel;
use nvrtc::pinned::TOOL;
use std::process::Command;
use workspace_root::workspace_root;

const CUDA_12: &str = "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
const CUDA_13: &str = "nvidia/cu13/lib/libnvrtc.so.13";

/// The releases.
pub const RELEASES: [Wheel; 4] = [
    Wheel {
        tool: TOOL,
        package: "nvidia-cuda-nvrtc-cu12",
        version: "12.1.105",
        platform: "manylinux1_x86_64",
        sha256: "339b385f50c309763ca65456ec75e17bbefcbbf2893f462cb8b90584cd27a1c2",
        file: CUDA_12,
        is_alone: false,
        megabytes: 24,
    },
    Wheel {
        tool: TOOL,
        package: "nvidia-cuda-nvrtc-cu12",
        version: "12.9.86",
        platform: "manylinux2010_x86_64",
        sha256: "210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4",
        file: CUDA_12,
        is_alone: false,
        megabytes: 90,
    },
    // This library has no run path and cannot find its second file by itself.
    Wheel {
        tool: TOOL,
        package: "nvidia-cuda-nvrtc",
        version: "13.0.88",
        platform: "manylinux2010_x86_64",
        sha256: "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
        file: CUDA_13,
        is_alone: false,
        megabytes: 90,
    },
    Wheel {
        tool: TOOL,
        package: "nvidia-cuda-nvrtc",
        version: "13.5.37",
        platform: "manylinux2010_x86_64",
        sha256: "86b4d68058807988b7d9af5b44917a0601e9c337f35ccd657bfb3c759ff8d8bc",
        file: CUDA_13,
        is_alone: false,
        megabytes: 58,
    },
];

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
