//! `{{twins}}`: the kernels in Rust relative to those in CUDA C++, from records of both with the same launches.

use super::Sources;
use super::kernels::STAGES;
use super::records::{NOT_RECORDED, Records, device, short};
use super::version;
use anyhow::Result;
use common::format::{milliseconds, significant};
use common::report::Record;
use common::stage::{Rung, Stage};

/// A kernel in both languages, with its records.
pub struct Pair {
    stage: &'static Stage,
    kernel: &'static str,
    /// The median times on the GPU in milliseconds, CUDA C++ first.
    times: Option<[f64; 2]>,
    /// The warp instructions on the emulator, CUDA C++ first.
    instructions: Option<[f64; 2]>,
    /// The source: `NVIDIA H200, driver 580.159.04 (CUDA 13.0), 2026-11-21`.
    device: Option<String>,
}

/// Returns whether a rung, including its second kernel, has a Rust version.
pub fn has_twin(rung: &Rung) -> bool {
    let companion = rung.companion.as_ref().map(|(source, _)| source);
    rung.source.rust.is_some() && companion.is_none_or(|source| source.rust.is_some())
}

impl Sources {
    /// Returns every kernel with a Rust version, in the order of the stages.
    pub(super) fn pairs(&self) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        for stage in STAGES {
            let timed = self.records(stage.name)?;
            let counted = self.counts(stage.name)?;
            let twins = stage.rungs.iter().filter(|rung| !stage.is_baseline(rung) && has_twin(rung));
            pairs.extend(twins.map(|rung| Pair::new(stage, rung, &timed, &counted)));
        }
        Ok(pairs)
    }
}

impl Pair {
    fn new(stage: &'static Stage, rung: &'static Rung, timed: &Records, counted: &Records) -> Self {
        let timed = timed.pair(rung.kernel);
        let counted = counted.pair(rung.kernel);
        let median = |record: &Record| record.time_ms.map(|time| time.median);
        let instructions = |record: &Record| record.counters.map(|counters| counters.warp_instructions as f64);
        Self {
            stage,
            kernel: rung.kernel,
            times: timed.and_then(|[own, twin]| Some([median(own)?, median(twin)?])),
            instructions: counted.and_then(|[own, twin]| Some([instructions(own)?, instructions(twin)?])),
            device: timed.map(|[_, twin]| device(twin)),
        }
    }

    fn line(&self) -> String {
        let number = short(self.stage.name).trim_start_matches("stage0");
        let or_not = |text: Option<String>| text.map_or(NOT_RECORDED.into(), |text| text.replace(' ', "\u{a0}"));
        let [own, twin] = [0, 1].map(|which| or_not(self.times.map(|times| milliseconds(times[which]))));
        let [time, instructions] = [self.times, self.instructions].map(|both| or_not(both.map(ratio).map(significant)));
        format!("| {number} | `{}` | {own} | {twin} | {time} | {instructions} |\n", self.kernel)
    }
}

/// Returns the quotient of Rust and CUDA C++.
fn ratio([own, twin]: [f64; 2]) -> f64 {
    twin / own
}

/// Returns a table with one line per kernel and the geometric means.
pub fn table(pairs: &[Pair]) -> String {
    let mut text = String::from(
        "| stage | kernel | CUDA C++ | Rust | time, Rust ÷ CUDA C++ | instructions, Rust ÷ CUDA C++ |\n|---|---|--:|--:|--:|--:|\n",
    );
    text.extend(pairs.iter().map(Pair::line));
    let [time, instructions] = [TIMES, INSTRUCTIONS].map(|both| mean(pairs, both));
    text += &format!("| | **geometric mean** | | | **{time}** | **{instructions}** |\n");
    let mut devices: Vec<&str> = pairs.iter().filter_map(|pair| pair.device.as_deref()).collect();
    devices.dedup();
    let device = if devices.is_empty() { NOT_RECORDED.to_owned() } else { devices.join("; ") };
    text += &format!(
        "\n<p class=\"source\">Times: {device}; medians, both languages in one run of the program. Instructions of warps: PTX, \
         counted by the emulator.</p>\n"
    );
    let missing: Vec<&str> = pairs.iter().filter(|pair| pair.times.is_none()).map(|pair| pair.kernel).collect();
    text + &version::gaps(&missing)
}

/// Returns the time of a kernel's Rust version divided by its time in CUDA C++.
pub fn one(pairs: &[Pair], kernel: &str) -> String {
    let times = pairs.iter().find(|pair| pair.kernel == kernel).and_then(|pair| pair.times);
    times.map_or(NOT_RECORDED.into(), |times| significant(ratio(times)))
}

/// Numbers of a kernel in both languages.
type Both = fn(&Pair) -> Option<[f64; 2]>;
pub const TIMES: Both = |pair| pair.times;
pub const INSTRUCTIONS: Both = |pair| pair.instructions;

/// Returns the geometric mean of quotients over all kernels that are recorded in both languages.
pub fn mean(pairs: &[Pair], both: Both) -> String {
    let ratios: Vec<f64> = pairs.iter().filter_map(both).map(ratio).collect();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    if ratios.is_empty() { NOT_RECORDED.into() } else { significant(mean) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(times: Option<[f64; 2]>, instructions: Option<[f64; 2]>) -> Pair {
        let device = times.map(|_| "a GPU".to_owned());
        Pair { stage: STAGES[0], kernel: "sum", times, instructions, device }
    }

    #[test]
    fn means_are_geometric_and_over_what_is_recorded() {
        let pairs = [pair(Some([1.0, 2.0]), None), pair(Some([4.0, 2.0]), Some([100.0, 104.0])), pair(None, None)];
        assert_eq!(mean(&pairs, TIMES), "1.00");
        assert_eq!(mean(&pairs, INSTRUCTIONS), "1.04");
        assert_eq!(mean(&pairs[2..], TIMES), "not recorded");
        assert_eq!([one(&pairs, "sum"), one(&pairs, "product")], ["2.00", "not recorded"]);
    }

    #[test]
    fn a_kernel_without_records_says_so_in_each_column_and_below() {
        let text = table(&[pair(None, Some([100.0, 98.0]))]);
        assert!(text.contains("| 1 | `sum` | not recorded | not recorded | not recorded | 0.980 |"), "{text}");
        assert!(text.contains("Not recorded yet: <code>sum</code>."), "{text}");
    }
}
