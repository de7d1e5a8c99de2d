//! The records of a stage on an H200.

use crate::limiters::limiter;
use common::report::Record;
use common::stage::{Plan, Stage};
use predict::Limiter;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

/// A kernel as Nsight Compute saw it.
#[derive(Deserialize)]
struct Profile {
    kernel: String,
    metrics: BTreeMap<String, f64>,
}

/// The measured times and profiles of a stage.
pub struct Records {
    times: Vec<Record>,
    profiles: Vec<Profile>,
}

impl Records {
    /// Reads the records of a stage.
    pub fn of(stage: &Stage) -> Result<Self, Box<dyn Error>> {
        let number = &stage.name[..7];
        let profiles = read(&file(&format!("{number}-profile.json")))?;
        Ok(Self { times: read(&file(&format!("{number}.json")))?, profiles })
    }

    /// Returns the record of a plan.
    pub fn of_plan(&self, plan: &Plan) -> Option<&Record> {
        let config = plan.config();
        let (grid, block): ([u32; 3], [u32; 3]) = (config.grid_dim.into(), config.block_dim.into());
        self.times.iter().find(|record| {
            let is_rust = format!("{:?}", record.language).to_lowercase() == "rust";
            record.kernel == plan.rung.kernel
                && is_rust == plan.in_rust
                && (record.size, record.grid, record.block) == (plan.size.n, grid, block)
                && record.time_ms.is_some()
        })
    }

    /// Returns what Nsight Compute shows that the warps of a plan wait for.
    pub fn limiter(&self, plan: &Plan) -> Option<Limiter> {
        let profile = self.profiles.iter().find(|profile| profile.kernel == plan.rung.kernel)?;
        limiter(&profile.metrics)
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/nvidia-h200").join(name)
}

fn read<T: for<'a> Deserialize<'a>>(file: &Path) -> Result<T, Box<dyn Error>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("cannot read {}: {error}", file.display()).into())
}
