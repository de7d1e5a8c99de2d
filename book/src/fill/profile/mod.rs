//! Nsight Compute's metrics of kernels: `results/DEVICE/stageNN-profile.json`, recorded by `cargo x record --only profile`.

mod issue;
mod levels;
mod reasons;
mod waits;

pub use issue::render as issue;
pub use levels::render as levels;
pub use waits::render as waits;

use super::Sources;
use super::kernels::STAGES;
use super::records::{self, NOT_RECORDED, SECTOR};
use anyhow::{Result, bail};
use common::format::{percent, significant};
use common::problem::{Facts, Parameters, Size};
use common::report::Record;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The end of a file's name, after `stage02`.
pub const ENDING: &str = "-profile.json";

/// The number of schedulers per multiprocessor.
const SCHEDULERS: f64 = limits::latency::SCHEDULERS as f64;

/// The metrics of a kernel's launch.
#[derive(Debug, Deserialize)]
pub struct Profile {
    kernel: String,
    size: usize,
    steps: Option<u32>,
    parameters: Option<Parameters>,
    grid: [u32; 3],
    block: [u32; 3],
    device: String,
    driver: String,
    tool: String,
    metrics: BTreeMap<String, f64>,
}

/// All profiles of a device.
pub struct Profiles(Vec<Profile>);

impl Sources {
    /// Reads the profiles of the device.
    pub(super) fn profiles(&self) -> Result<Profiles> {
        Profiles::read(&self.device()?.folder)
    }
}

impl Profiles {
    /// Reads the profiles of all stages that have a file.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let files = STAGES.iter().map(|stage| folder.join(format!("{}{ENDING}", records::short(stage.name))));
        let lists = files.filter(|file| file.is_file()).map(|file| records::read(&file));
        let lists: Vec<Vec<Profile>> = lists.collect::<Result<_>>()?;
        Ok(Self(lists.into_iter().flatten().collect()))
    }

    /// Returns the profile of a kernel's default launch, which is the first.
    pub fn usual(&self, kernel: &str) -> Option<&Profile> {
        self.0.iter().find(|profile| profile.kernel == kernel)
    }

    /// Returns the profile of a recorded launch.
    pub fn find_launch(&self, record: &Record) -> Option<&Profile> {
        let is_same = |profile: &&Profile| {
            (&profile.kernel, profile.size, profile.steps) == (&record.kernel, record.size, record.steps)
                && (profile.grid, profile.block) == (record.grid, record.block)
                && profile.parameters == record.parameters
        };
        self.0.iter().find(is_same)
    }

    fn at(&self, kernel: &str, size: usize) -> Option<&Profile> {
        self.0.iter().find(|profile| profile.kernel == kernel && profile.size == size)
    }

    /// Returns one number of a kernel's default launch, or of its launch at a size.
    ///
    /// # Errors
    /// Returns an error that lists the numbers if there is no such number.
    pub fn number(&self, kernel: &str, size: Option<usize>, what: &str) -> Result<String> {
        let profile = size.map_or_else(|| self.usual(kernel), |size| self.at(kernel, size));
        let Some(profile) = profile else { return Ok(NOT_RECORDED.into()) };
        Ok(match what {
            "issued" => format!("{:.2}", profile.issued()),
            "warps" => format!("{:.1}", profile.warps()),
            "clocks" => significant(profile.clocks()),
            "busy" => percent(profile.busy()),
            "fma" | "alu" | "xu" | "lsu" => percent(profile.pipe(what)),
            _ => match reasons::REASONS.iter().find(|reason| reason.word == what) {
                Some(reason) => percent(reason.clocks(profile) / profile.clocks()),
                None => bail!(
                    "no reading {what}; there are issued, warps, clocks, busy, fma, alu, xu, lsu, and of waiting {}",
                    reasons::REASONS.map(|reason| reason.word).join(", ")
                ),
            },
        })
    }
}

impl Profile {
    /// Returns a metric by its name in Nsight Compute. `cargo x record` requires that every record has all metrics.
    fn metric(&self, name: &str) -> f64 {
        self.metrics.get(name).copied().unwrap_or(f64::NAN)
    }

    /// Returns the clocks that an average warp waits before an instruction, for any of Nsight Compute's reasons in a list.
    fn stalled(&self, reasons: &[&str]) -> f64 {
        reasons.iter().filter_map(|reason| self.metrics.get(&stalled(reason))).sum()
    }

    /// Returns the instructions per clock of a scheduler, while its multiprocessor is active.
    fn issued(&self) -> f64 {
        self.metric("smsp__issue_active.avg.per_cycle_active")
    }

    /// Returns the resident warps per scheduler, while its multiprocessor is active.
    fn warps(&self) -> f64 {
        self.metric("sm__warps_active.avg.per_cycle_active") / SCHEDULERS
    }

    /// Returns the clocks between two instructions of a warp.
    fn clocks(&self) -> f64 {
        self.metric("smsp__average_warp_latency_per_inst_issued.ratio")
    }

    /// Returns the share of the launch in which an average multiprocessor is active.
    fn busy(&self) -> f64 {
        self.metric("sm__cycles_active.avg") / self.metric("sm__cycles_elapsed.max")
    }

    /// Returns the utilization of a unit, while its multiprocessor is active.
    fn pipe(&self, unit: &str) -> f64 {
        self.metric(&format!("sm__inst_executed_pipe_{unit}.avg.pct_of_peak_sustained_active")) / 100.0
    }

    /// Returns the bytes that warps request from the L1 caches, the bytes that these request from the L2 cache, and the traffic of
    /// memory.
    pub fn bytes(&self) -> [f64; 3] {
        let memory = self.metric("dram__bytes_read.sum") + self.metric("dram__bytes_write.sum");
        [self.metric("l1tex__t_sectors.sum") * SECTOR, self.metric("lts__t_sectors_srcunit_tex.sum") * SECTOR, memory]
    }

    /// Returns the launches of a step, of which the profile has one.
    fn launches(&self, facts: &Facts) -> u32 {
        let parameters = self.parameters.clone().unwrap_or_default();
        (facts.launches)(&Size { steps: self.steps, parameters, ..Size::new(self.size) }) / self.steps.unwrap_or(1)
    }

    fn source(&self) -> String {
        format!("{}, driver {}, {}", self.device, self.driver, self.tool)
    }
}

/// Returns the metric of a stall reason.
fn stalled(reason: &str) -> String {
    format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A launch of `computeForces` whose warps wait three clocks for memory and are chosen in the fourth.
    pub fn profile() -> Profile {
        serde_json::from_value(json!({
            "kernel": "computeForces", "size": 16384, "grid": [128, 1, 1], "block": [128, 1, 1], "device": "a GPU", "driver": "1", "tool": "Nsight Compute 1",
            "metrics": {
                "gpu__time_duration.sum": 400_000.0,
                "smsp__issue_active.avg.per_cycle_active": 0.25,
                "sm__warps_active.avg.per_cycle_active": 4.0,
                "smsp__average_warp_latency_per_inst_issued.ratio": 4.0,
                "sm__cycles_active.avg": 50.0,
                "sm__cycles_elapsed.max": 100.0,
                "smsp__inst_executed.sum": 16384.0 * 16384.0 / 32.0 * 30.0,
                "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active": 12.0,
                "l1tex__t_sectors.sum": 1000.0, "lts__t_sectors_srcunit_tex.sum": 100.0,
                "dram__bytes_read.sum": 10.0, "dram__bytes_write.sum": 5.0,
                (stalled("selected")): 1.0, (stalled("long_scoreboard")): 3.0,
            },
        }))
        .unwrap()
    }

    #[test]
    fn numbers_are_those_of_the_metrics() {
        let profiles = Profiles(vec![profile()]);
        let number = |what| profiles.number("computeForces", None, what).unwrap();
        assert_eq!(
            ["issued", "warps", "clocks", "busy", "fma", "memory"].map(number),
            ["0.25", "1.0", "4.00", "50 %", "12 %", "75 %"]
        );
        assert_eq!(profiles.number("computeForces", Some(1), "issued").unwrap(), NOT_RECORDED);
        assert!(profiles.number("computeForces", None, "luck").unwrap_err().to_string().contains("barrier"));
    }
}
