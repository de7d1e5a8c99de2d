//! The cost of each line of a kernel.

use emulator::{Counted, Counters, Shape};
use judge::kernel_file::{Sources, shown};
use predict::Gpu;
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// The lanes of a warp.
const LANES: u64 = 32;

/// The bytes of a sector.
const SECTOR_BYTES: u64 = 32;

/// A line of a kernel with its counts.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The source file; `None` if the PTX has no line information, and then the line is that of the PTX.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// Its part of the work of the kernel, in percent: see [`Gpu::work`].
    pub work_percent: f64,
    /// The part of the loaded sectors of global memory that is used, in percent; `None` if it loads none.
    pub loaded_used_percent: Option<f64>,
    /// The same for stored sectors.
    pub stored_used_percent: Option<f64>,
    /// The lanes that execute its instructions, on average.
    pub lanes: f64,
    /// The counters, by Nsight Compute's definitions.
    #[serde(serialize_with = "without_zeros")]
    pub counters: Counters,
    #[serde(skip)]
    pub shape: Shape,
    #[serde(skip)]
    pub work: u64,
    /// The line of the last branch before it that diverges.
    #[serde(skip)]
    pub branch: Option<u32>,
}

impl Line {
    /// Returns the wavefronts of shared memory, and those due to conflicts.
    pub fn wavefronts(&self) -> (u64, u64) {
        wavefronts(&self.counters)
    }

    /// Returns the place as text: `kernel.cu:12`, or `PTX line 40`.
    pub fn place(&self) -> String {
        match &self.file {
            Some(file) => format!("{file}:{}", self.line),
            None => format!("PTX line {}", self.line),
        }
    }
}

/// Returns the sectors of loads and copies.
pub fn loaded(counters: &Counters) -> u64 {
    counters.global_load_sectors + counters.async_copy_sectors
}

/// Returns the wavefronts of shared memory, and those due to conflicts.
pub fn wavefronts(counters: &Counters) -> (u64, u64) {
    let all = counters.shared_load_wavefronts + counters.shared_store_wavefronts + counters.shared_atomic_wavefronts;
    let conflicts = counters.shared_load_conflicts + counters.shared_store_conflicts + counters.shared_atomic_conflicts;
    (all, conflicts)
}

/// The counts of the instructions of a line.
#[derive(Default)]
struct Sum {
    counters: Counters,
    shape: Shape,
    branch: Option<u32>,
}

/// The counts of a launch.
#[derive(Clone, Debug, Serialize)]
pub struct Costs {
    /// Whether they end with a fault.
    pub ends_with_a_fault: bool,
    /// The counters of the launch.
    #[serde(serialize_with = "without_zeros")]
    pub total: Counters,
    /// The lines, the most expensive first.
    pub lines: Vec<Line>,
    #[serde(skip)]
    pub work: u64,
}

impl Costs {
    /// Sums the counts up by line of source.
    pub fn new(counted: Counted, ptx: &str, sources: &mut Sources, gpu: &Gpu, ends_with_a_fault: bool) -> Self {
        let ptx_lines: Vec<&str> = ptx.lines().collect();
        let mut sums: BTreeMap<(Option<String>, u32), Sum> = BTreeMap::new();
        let mut branch = None;
        let mut location = None;
        for instruction in &counted.instructions {
            // Line 0 is the compiler's own code, of the line before it.
            location = instruction.location.as_ref().filter(|(_, line)| *line > 0).or(location);
            let (file, line) = location.map_or((None, instruction.line), |(file, line)| (Some(shown(file)), *line));
            if instruction.counters.divergent_branches > 0 {
                branch = Some(line);
            }
            let sum = sums.entry((file, line)).or_default();
            sum.counters.add(&instruction.counters, 1);
            sum.shape.add(&instruction.shape);
            sum.branch = branch;
        }
        let work: u64 = sums.values().map(|sum| gpu.work(&sum.counters)).sum();
        let mut text = |file: Option<&str>, line: u32| match file {
            Some(file) => sources.line(file, line).unwrap_or_default(),
            None => ptx_lines.get(line as usize - 1).map_or("", |text| text.trim()).to_owned(),
        };
        let mut lines: Vec<Line> = sums
            .into_iter()
            .map(|((file, line), Sum { counters, shape, branch })| {
                let own = gpu.work(&counters);
                let used = |bytes: u64, sectors: u64| (sectors > 0).then(|| percent(bytes, SECTOR_BYTES * sectors));
                Line {
                    text: text(file.as_deref(), line),
                    file,
                    line,
                    work_percent: percent(own, work),
                    loaded_used_percent: used(shape.loaded.bytes, loaded(&counters)),
                    stored_used_percent: used(shape.stored.bytes, counters.global_store_sectors),
                    lanes: counters.thread_instructions as f64 / counters.warp_instructions.max(1) as f64,
                    counters,
                    shape,
                    work: own,
                    branch,
                }
            })
            .collect();
        lines.sort_by_key(|line| (std::cmp::Reverse(line.work), line.line));
        Self { ends_with_a_fault, total: counted.total, lines, work }
    }

    /// Returns the lanes that execute an instruction that no branch leads to: 32, or fewer in blocks with a part of a warp.
    pub fn usual_lanes(&self) -> f64 {
        self.lines.iter().map(|line| line.lanes).fold(0.0, f64::max).min(LANES as f64)
    }
}

/// Returns a part in percent, with one digit after the point.
pub fn percent(part: u64, whole: u64) -> f64 {
    (1000.0 * part as f64 / whole.max(1) as f64).round() / 10.0
}

/// Writes counts that are not 0.
fn without_zeros<S: Serializer>(counters: &Counters, serializer: S) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(counters).map_err(S::Error::custom)?;
    remove_zeros(&mut value);
    value.serialize(serializer)
}

fn remove_zeros(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.values_mut().for_each(remove_zeros);
        fields.retain(|_, value| value.as_u64() != Some(0) && value.as_object().is_none_or(|inner| !inner.is_empty()));
    }
}
