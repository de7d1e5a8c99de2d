//! The kernels of a file: each has one record, or one reason for having none that is true.

use super::{Entry, Findings, Refusal, Repository};
use crate::expected::Expected;
use crate::file::{Cause, GpuRecord, Name};
use std::collections::BTreeMap;

/// The data of every default launch fit in this memory: at most three arrays of 256 MiB, and what the driver takes.
const ENOUGH_MEMORY: u64 = 2 << 30;

/// The shared memory that a block has on every device.
const SHARED_BYTES_FOR_ALL: u32 = 48 << 10;

pub(super) fn check(repository: &Repository, file: &GpuRecord, entries: &[Entry], findings: &mut Findings) {
    let mut seen: BTreeMap<&Name, &str> = BTreeMap::new();
    for entry in entries {
        if seen.insert(&entry.name, "recorded").is_some() {
            add(findings, &entry.name, "kernel", "it is recorded twice".into());
        }
    }
    for one in &file.left_out {
        let name = one.name();
        let Some((name, kernel)) = repository.kernels.get_key_value(&name) else {
            add(findings, &name, "left_out", repository.unknown(&name));
            continue;
        };
        if let Some(before) = seen.insert(name, "left out") {
            add(findings, name, "left_out", format!("it is left out, and also {before}"));
        }
        let words = if one.reason.trim().is_empty() { Some("it has no words".into()) } else { None };
        if let Some(reason) = words.or_else(|| untrue(file, &kernel.expected, one.because)) {
            add(findings, name, "left_out.reason", reason);
        }
    }
    for (name, kernel) in &repository.kernels {
        let unfit = file.device.capability().and_then(|own| kernel.expected.unfit_for(own));
        match (seen.get(name), unfit) {
            (None, _) => {
                let record = Some(name.to_string());
                let reason =
                    "it is neither recorded nor left out: record again, or `cargo x record --prune FILE`".into();
                findings.all.push(Refusal { record, field: "kernel".into(), reason, is_gap: true });
            }
            (Some(&"recorded"), Some(reason)) => add(findings, name, "device.compute_capability", reason),
            _ => {}
        }
    }
    require_half(repository, file, entries, findings);
}

fn add(findings: &mut Findings, name: &Name, field: &str, reason: String) {
    findings.all.push(Refusal { record: Some(name.to_string()), field: field.into(), reason, is_gap: false });
}

/// Requires records of half of the kernels in CUDA C++ that the device can run, so that a file is worth its place.
fn require_half(repository: &Repository, file: &GpuRecord, entries: &[Entry], findings: &mut Findings) {
    let Some(own) = file.device.capability() else { return };
    let possible = repository
        .kernels
        .values()
        .filter(|kernel| !kernel.expected.plan.in_rust && kernel.expected.unfit_for(own).is_none());
    let (possible, recorded) = (possible.count(), entries.iter().filter(|entry| !entry.name.in_rust).count());
    findings.require(2 * recorded >= possible, "records", || {
        format!("{recorded} kernels in CUDA C++ are recorded, less than half of the {possible} that the GPU can run")
    });
}

/// Returns why a reason for leaving out a kernel is not true; `None` if it can be.
fn untrue(file: &GpuRecord, expected: &Expected, because: Cause) -> Option<String> {
    let own = file.device.capability()?;
    match because {
        Cause::ComputeCapability if expected.unfit_for(own).is_none() => {
            Some(format!("compute capability {} suffices", file.device.compute_capability))
        }
        Cause::SharedMemory => {
            let needed = expected.plan.config().shared_mem_bytes;
            let has = shared_bytes_of_a_block(own);
            (needed <= has).then(|| format!("a block needs {needed} bytes of shared memory, and can have {has}"))
        }
        Cause::Memory if file.device.memory_bytes >= ENOUGH_MEMORY => {
            Some(format!("{} bytes of memory suffice: close the programs that use them", file.device.memory_bytes))
        }
        _ => None,
    }
}

/// Returns the most shared memory of a block, from the table "Technical Specifications per Compute Capability" of the CUDA C++
/// Programming Guide; for others the least.
fn shared_bytes_of_a_block(compute_capability: (i32, i32)) -> u32 {
    match compute_capability {
        (7, 5) => 64 << 10,
        (8, 6 | 9) | (12, _) => 99 << 10,
        (8, 0 | 7) => 163 << 10,
        (9 | 10, _) => 227 << 10,
        _ => SHARED_BYTES_FOR_ALL,
    }
}
