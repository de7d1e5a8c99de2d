//! `cargo x registers`: the emulator's estimates of registers, beside what ptxas allocates.

use crate::packed;
use crate::workspace::Workspace;
use anyhow::{Context, Result, anyhow, bail};
use cuda_cpp::Assembler;
use cuda_cpp::assembler::{ARCHITECTURE, PTXAS_VERSION};
use emulator::{Kernel, Memory, Module, Resources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The block sizes for which resident blocks are compared.
const THREADS: [u32; 4] = [128, 256, 512, 1024];

/// The size of device memory in bytes, for the variables of a module.
const MEMORY_BYTES: u64 = 16 << 30;

/// A kernel's registers by ptxas and by the emulator, and the resident blocks that follow at each of [`THREADS`]; `None` if the
/// kernel does not allow such a block.
struct Row {
    allocated: u32,
    estimated: u32,
    blocks: [Option<(u32, u32)>; 4],
}

/// Compares the kernels of PTX files, or else those of the workspace.
///
/// # Errors
/// Returns an error if ptxas cannot be downloaded, or if a file cannot be read, or if no kernel could be compared.
pub fn run(workspace: &Workspace, files: &[PathBuf]) -> Result<()> {
    let assembler = crate::compiler::pinned_assembler()?;
    let files = if files.is_empty() { prebuilt(workspace)? } else { files.to_vec() };
    println!(
        "Registers by ptxas {PTXAS_VERSION} for {ARCHITECTURE}, by estimate, and resident blocks of {THREADS:?} threads"
    );
    let mut rows = Vec::new();
    for file in &files {
        let shown = file.strip_prefix(&workspace.root).unwrap_or(file).display();
        match compare(&assembler, file).with_context(|| format!("{shown}")) {
            Ok(kernels) => {
                for (name, row) in kernels {
                    println!("{shown} {name}: {}", row.text());
                    rows.push(row);
                }
            }
            // A file that one of the two refuses says nothing about the others.
            Err(error) => eprintln!("left out: {error:#}"),
        }
    }
    if rows.is_empty() {
        bail!("no kernel could be compared");
    }
    summarize(&rows);
    Ok(())
}

/// Returns the PTX of the workspace's kernels.
fn prebuilt(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in workspace.kernel_folders(&[])? {
        files.extend(folder.prebuilt_kernels()?.into_iter().map(|kernel| kernel.ptx));
    }
    Ok(files)
}

/// Returns the rows of a file's kernels, without those that the emulator refuses.
fn compare(assembler: &Assembler, file: &Path) -> Result<BTreeMap<String, Row>> {
    let ptx = packed::read(file).context("cannot be read")?;
    let module = Module::load(&ptx, &Arc::new(Memory::new(MEMORY_BYTES)))?;
    let messages = assembler.messages(&ptx).map_err(|error| anyhow!(error))?;
    let rows = parse_allocated(&messages).filter_map(|(name, registers)| {
        let kernel = module.kernel(name)?;
        Some((name.to_owned(), Row::new(kernel, registers)))
    });
    Ok(rows.collect())
}

/// Reads `ptxas info : Compiling entry function 'k' for 'sm_90'` and, later, `Used 32 registers`.
fn parse_allocated(messages: &str) -> impl Iterator<Item = (&str, u32)> {
    let mut kernel = None;
    messages.lines().filter_map(move |line| {
        if line.contains("Compiling entry function") {
            kernel = line.split('\'').nth(1);
        }
        let (_, rest) = line.split_once("Used ")?;
        Some((kernel.take()?, rest.split(' ').next()?.parse().ok()?))
    })
}

impl Row {
    fn new(kernel: &Kernel, allocated: u32) -> Self {
        let resources = |registers| Resources {
            registers,
            static_shared_bytes: kernel.static_shared_bytes(),
            max_threads: kernel.max_threads_per_block(),
            max_dynamic_shared_bytes: 0,
        };
        let estimated = kernel.registers();
        let blocks = THREADS.map(|threads| {
            let resident = |registers| resources(registers).blocks_per_multiprocessor(threads, 0);
            (threads <= kernel.max_threads_per_block()).then(|| (resident(allocated), resident(estimated)))
        });
        Self { allocated, estimated, blocks }
    }

    fn ratio(&self) -> f64 {
        f64::from(self.estimated) / f64::from(self.allocated)
    }

    fn text(&self) -> String {
        let blocks = self.blocks.map(|blocks| match blocks {
            None => "-".to_owned(),
            Some((ptxas, ours)) if ptxas == ours => format!("{ours}"),
            Some((ptxas, ours)) => format!("{ours} for {ptxas}"),
        });
        format!("{}, {}; {}", self.allocated, self.estimated, blocks.join(", "))
    }
}

/// Prints the errors of the registers, and how often the resident blocks are right.
fn summarize(rows: &[Row]) {
    let mut errors: Vec<f64> = rows.iter().map(|row| (row.ratio() - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let percentile = |percent: usize| 100.0 * errors[(errors.len() - 1) * percent / 100];
    let mean = rows.iter().map(Row::ratio).sum::<f64>() / rows.len() as f64;
    println!(
        "{} kernels: |estimate / ptxas - 1| has the median {:.1} % and the 90th percentile {:.1} %; the mean ratio is {mean:.2}",
        rows.len(),
        percentile(50),
        percentile(90)
    );
    for (index, threads) in THREADS.iter().enumerate() {
        let pairs: Vec<(u32, u32)> = rows.iter().filter_map(|row| row.blocks[index]).collect();
        let share = |is_counted: fn(u32) -> bool| {
            let count = pairs.iter().filter(|(ptxas, ours)| is_counted(ptxas.abs_diff(*ours))).count();
            100.0 * count as f64 / pairs.len().max(1) as f64
        };
        println!(
            "blocks of {threads}: {} kernels; resident blocks equal {:.1} %, off by one {:.1} %, by more {:.1} %",
            pairs.len(),
            share(|difference| difference == 0),
            share(|difference| difference == 1),
            share(|difference| difference > 1)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_belong_to_the_kernel_before_them() {
        let messages = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
                        ptxas info    : Function properties for k\n\
                        \u{20}   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                        ptxas info    : Used 24 registers, used 0 barriers\n\
                        ptxas info    : Used 9 registers\n\
                        ptxas info    : Compiling entry function 'l' for 'sm_90'\n\
                        ptxas info    : Used 12 registers, 352 bytes cmem[0]\n";
        assert_eq!(parse_allocated(messages).collect::<Vec<_>>(), [("k", 24), ("l", 12)]);
    }
}
