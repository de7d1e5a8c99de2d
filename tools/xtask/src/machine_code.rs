//! `cargo x machine-code`: what ptxas makes of the PTX of the stages, as compact listings (`predict::MachineCode`).

use crate::packed;
use crate::workspace::{self, Kernel, Stage};
use anyhow::{Context, Result, anyhow, bail};
use cuda_cpp::Assembler;
use cuda_cpp::assembler::{ARCHITECTURE, NVDISASM_VERSION, PTXAS_VERSION};
use predict::MachineCode;

/// The beginning of the names of stages' folders. Other folders with kernels have no estimates of their own.
const STAGE: &str = "stage";

/// Assembles the kernels of stages and writes their listings. With `check`, compares them with the files.
///
/// # Errors
/// Returns an error if the programs cannot be downloaded, if a kernel cannot be assembled, if a file cannot be written, if a
/// listing has no kernel, or if `check` finds a difference.
pub fn run(stages: &[Stage], check: bool) -> Result<()> {
    let assembler = crate::compiler::pinned_assembler()?;
    let mut differences = Vec::new();
    for stage in stages.iter().filter(|stage| stage.name().starts_with(STAGE)) {
        let kernels = stage.prebuilt_kernels()?;
        for kernel in &kernels {
            let text = listing(&assembler, kernel).with_context(|| format!("cannot assemble {}", kernel.shown))?;
            let file = stage.listing(kernel);
            differences.extend(packed::update(&file, &file.display().to_string(), &text, check)?);
        }
        differences.extend(orphans(stage, &kernels)?);
    }
    if !differences.is_empty() {
        bail!(
            "write these files by `cargo x machine-code`, or delete those without a kernel:\n  {}",
            differences.join("\n  ")
        );
    }
    println!("The listings of machine code are up to date.");
    Ok(())
}

/// Prints the kernels of the stages that have no listing of their present version, which takes no assembler. Their times are
/// estimated from the PTX then, so this is not an error.
///
/// # Errors
/// Returns an error if a kernel's PTX cannot be read.
pub fn report_stale(stages: &[Stage]) -> Result<()> {
    for stage in stages.iter().filter(|stage| stage.name().starts_with(STAGE)) {
        for kernel in stage.prebuilt_kernels()? {
            let ptx = packed::read(&kernel.ptx).with_context(|| format!("cannot read {}", kernel.ptx.display()))?;
            let stated = format!("// version {}", version(&ptx));
            let file = stage.listing(&kernel);
            if !packed::read(&file).is_ok_and(|listing| listing.lines().take(2).any(|line| line == stated)) {
                println!(
                    "notice: {} is missing, or of another version of its kernel: `cargo x machine-code`",
                    file.display()
                );
            }
        }
    }
    Ok(())
}

/// Returns the listing of a kernel file, which begins with the version of its PTX.
fn listing(assembler: &Assembler, kernel: &Kernel) -> Result<String> {
    let ptx = packed::read(&kernel.ptx).context("its PTX cannot be read")?;
    let code = assemble(assembler, &ptx)?;
    let version = version(&ptx);
    Ok(format!(
        "// {} by ptxas {PTXAS_VERSION} for {ARCHITECTURE}, read by nvdisasm {NVDISASM_VERSION}: `cargo x machine-code`\n\
         // version {version}\n{}",
        kernel.program,
        code.listing(|_| true)
    ))
}

/// Assembles PTX, and reads the machine code.
fn assemble(assembler: &Assembler, ptx: &str) -> Result<MachineCode> {
    let assembled = assembler.run(ptx).map_err(|error| anyhow!(error))?;
    MachineCode::decode(&assembled.disassembly, &assembled.messages).map_err(|error| anyhow!(error))
}

/// Returns the version of a kernel file as records state it.
fn version(ptx: &str) -> String {
    let lines: String = predict::instructions(ptx, rust_ptx::OF_PANICS).flat_map(|line| [line, "\n"]).collect();
    judge::set::sha256(&lines)
}

/// Returns a line for each listing without a kernel.
fn orphans(stage: &Stage, kernels: &[Kernel]) -> Result<Vec<String>> {
    let folder = stage.listings();
    let files = if folder.is_dir() { workspace::files(&folder, "gz")? } else { Vec::new() };
    let orphans = files.into_iter().filter(|file| kernels.iter().all(|kernel| stage.listing(kernel) != *file));
    Ok(orphans.map(|file| format!("{}: no kernel", file.display())).collect())
}
