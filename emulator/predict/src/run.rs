//! The estimate of a run: several launches, one after the other.

use crate::estimate::{Estimate, Limiter};
use crate::gpu::Gpu;
use crate::refusal::Refusal;
use crate::source::Way;
use serde::{Deserialize, Serialize};

/// The estimated time of a run.
///
/// It serializes with its name as heading, so that nobody takes it for a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEstimate {
    /// The GPU.
    pub gpu: String,
    /// The cycles of all launches, without the time to launch them; 0 in records made before 2026-11-25.
    #[serde(default)]
    pub cycles: u64,
    /// The time in nanoseconds, from the first launch to the end of the last.
    pub nanoseconds: u64,
    /// The range in which nine of ten measured times should lie, in nanoseconds, which depends on the way.
    pub band: (u64, u64),
    /// The limiter of the kernel that takes the longest.
    pub limiter: Limiter,
    /// The source: the PTX if that is so for any of the launches.
    #[serde(default)]
    pub way: Way,
    /// The different launches, each once.
    pub launches: Vec<Estimate>,
}

impl RunEstimate {
    /// Returns the limiter in words, or that launching takes more than half of the time.
    #[must_use]
    pub fn limited_by(&self) -> &'static str {
        let on_the_gpu = Gpu::from_id(&self.gpu).map_or(u64::MAX, |gpu| gpu.nanoseconds(self.cycles));
        if on_the_gpu < self.nanoseconds / 2 { "launch" } else { self.limiter.name() }
    }

    /// Returns the range with two digits: `62-110 µs`.
    #[must_use]
    pub fn band_text(&self) -> String {
        let (low, high) = self.band;
        let (unit, name) = match high {
            high if high >= 1_000_000_000 => (1e9, "s"),
            high if high >= 1_000_000 => (1e6, "ms"),
            _ => (1e3, "µs"),
        };
        let number = |nanoseconds: u64| two_digits(nanoseconds as f64 / unit);
        format!("{}-{} {name}", number(low), number(high))
    }
}

/// Rounds a positive number to two digits, which is more than an estimate is good for.
#[must_use]
pub fn two_digits(value: f64) -> f64 {
    let digits = 1 - value.log10().floor() as i32;
    let power = 10_f64.powi(digits.abs());
    if digits < 0 { (value / power).round() * power } else { (value * power).round() / power }
}

/// The answer about one launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prediction {
    /// The estimate.
    Estimate(Estimate),
    /// The reason why there is none.
    Refused(String),
}

impl From<Result<Estimate, Refusal>> for Prediction {
    fn from(result: Result<Estimate, Refusal>) -> Self {
        result.map_or_else(|refusal| Self::Refused(refusal.to_string()), Self::Estimate)
    }
}

/// Adds the launches of a run up.
///
/// # Errors
/// The reason why there is no estimate: that of the first launch without one, or that launching takes most of the time.
pub fn run(gpu: &Gpu, launches: Vec<Prediction>) -> Result<RunEstimate, String> {
    let estimates = launches.into_iter().map(|launch| match launch {
        Prediction::Estimate(estimate) => Ok(estimate),
        Prediction::Refused(reason) => Err(reason),
    });
    let launches: Vec<Estimate> = estimates.collect::<Result<_, _>>()?;
    let cycles: u64 = launches.iter().map(|launch| launch.cycles).sum();
    let further = (launches.len() as u64).saturating_sub(1);
    let nanoseconds = gpu.nanoseconds(cycles) + gpu.first_launch_ns + further * gpu.next_launch_ns;
    let longest = launches.iter().max_by_key(|launch| launch.cycles);
    let Some(limiter) = longest.map(|launch| launch.limiter) else {
        return Err("there is no launch".into());
    };
    let mut different: Vec<Estimate> = Vec::new();
    for launch in launches {
        if !different.contains(&launch) {
            different.push(launch);
        }
    }
    let launches = different;
    let is_followed = launches.iter().all(|launch| launch.way == Way::MachineCode);
    let way = if is_followed { Way::MachineCode } else { Way::Ptx };
    let gpu = gpu.name.to_owned();
    let band = band(nanoseconds, way);
    Ok(RunEstimate { gpu, cycles, nanoseconds, band, limiter, way, launches })
}

/// Returns the band of an estimate. From PTX, it is 0.85 to 1.5 times the estimate, which holds nine tenths of all recorded launches
/// on the H200, one in twenty being shorter and one longer. From machine code, it is 0.9 to 1.25 times: chosen on the recorded
/// default rungs in CUDA C++.
fn band(nanoseconds: u64, way: Way) -> (u64, u64) {
    match way {
        Way::Ptx => (nanoseconds * 85 / 100, nanoseconds * 3 / 2),
        Way::MachineCode => (nanoseconds * 9 / 10, nanoseconds * 5 / 4),
    }
}
