//! The rules for a record in `results`.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Accepts a record of a kernel in the repository, given as a line of JSON.
///
/// # Errors
/// Returns an error if the line is not a record, if the kernel's results were wrong, if the record has an estimate, or if the kernel
/// was compiled on this machine, because its PTX is then not the committed one.
pub fn judge(line: &str) -> Result<()> {
    let record: Value = serde_json::from_str(line).with_context(|| format!("this is not a record: {line}"))?;
    // Records of stage 7 name a rung.
    let kernel = record["kernel"].as_str().or(record["rung"].as_str()).unwrap_or("a kernel");
    ensure!(record["verified"] == true, "{kernel} has wrong results");
    ensure!(
        record["kernel_sha256"].is_string(),
        "{kernel} was compiled on this machine ({}): run `cargo x ptx` after editing a kernel, and build again",
        record["code"].as_str().unwrap_or_default()
    );
    ensure!(record["estimate"].is_null(), "{kernel} has an estimated time, and records are of what was measured");
    Ok(())
}
