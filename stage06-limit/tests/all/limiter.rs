//! The rule for the column `limited by`, compared with what Nsight Compute recorded of the same launches on an H200, and the
//! tables of these records.
//!
//! The rule sees a time, a launch shape and instruction counts. The profiler sees the multiprocessors: how many have work,
//! how many warps each holds, how busy its units are, and the reasons for which warps stall.

use common::ceilings::{Busiest, Ceilings, Limiter, Residency, TimedRun, Unit};
use common::columns::Chosen;
use common::device::{Attributes, Backend};
use common::format::WIDTH;
use common::kernel::Resources;
use common::options::Options;
use common::outcome::{Outcome, Twin};
use common::problem::{Cost, Size};
use common::recorded::{EMULATOR, Recorded, of_device};
use common::report::{Readings, Record, View, table};
use common::session::Run;
use common::stage::{Plan, Rung, Shape, Stage};
use common::verify::Report;
use loading::workspace_root;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

static STAGES: [&Stage; 8] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
    &stage06_limit::STAGE,
    &stage08_matmul::STAGE,
    &stage09_patterns::STAGE,
];

/// The causes that both can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// Multiprocessors without work.
    Idle,
    /// Blocks that start too slowly to fill the multiprocessors.
    Starts,
    /// A unit, or the issue slots.
    Unit,
    /// Warps that wait.
    Latency,
}

/// Kernels for which the rule and the profiler disagree, with the reason.
const DISAGREEMENTS: [(&str, &str); 20] = [
    ("transposeTile", "bank conflicts fill shared memory, whose wavefronts the profile does not contain"),
    ("coulombCoarsened", "issue slots at 66 %, at 58 % in the profile, which is of the first chunk of atoms only"),
    ("coulombCoarsenedCoalesced", "issue slots at 60 %, at 54 % in the profile, which is of the first chunk only"),
    ("periodicFused", "issue slots just below 60 %, and most stalls are of warps that are not selected"),
    ("matmulNaive", "warps wait for the queue of memory instructions, which is none of the listed units"),
    ("matmulRegisterColumn", "shared memory at 66 %, whose wavefronts the profile does not contain"),
    ("matmulRegisterTile", "issue slots at 59.7 %, at 60 % in the profile, which is rounded"),
    ("matmulVector", "shared memory at 73 %, whose wavefronts the profile does not contain"),
    ("matmulTensorPipeline", "tensor cores at 62 %, at 60 % in the profile"),
    ("attentionFused", "shared memory at 68 %, whose wavefronts the profile does not contain"),
    ("scanVector", "the profile is of the first of three launches, which alone is limited by memory"),
    ("scanLookBack", "memory at 66 %, at 53 % in the profile: 27 of the 67 MB that it writes stay in the L2 cache"),
    ("scanInclusive", "as scanLookBack: 26 of the 67 MB stay in the L2 cache"),
    ("histogramVector", "conflicts fill shared memory, whose wavefronts the profile does not contain"),
    (
        "sortLocal",
        "the profile is of a pass alone, which fills the integer units; half of the time is the launches that count",
    ),
    ("sparseRowPerThread", "as many warps as can be at the start; then one row is left, which the rule does not see"),
    ("sparseRowPerWarp", "starts at 66 % of their rate, with 13 of 16 places for warps taken"),
    ("sparseRowPerGroup", "as sparseRowPerThread: one row is left"),
    ("sparseFourInFlight", "as sparseRowPerThread: one row is left"),
    ("sparseStreaming", "as sparseRowPerThread: one row is left"),
];

/// Launches that are both timed and profiled.
const LAUNCHES: usize = 117;

/// The share from which a unit, or all multiprocessors, count as busy.
const BUSY: f64 = common::ceilings::BUSY;

/// Stall reasons of a warp that could issue if a scheduler, a unit or a queue were free.
const CONTENTION: [&str; 6] =
    ["not_selected", "math_pipe_throttle", "dispatch_stall", "mio_throttle", "lg_throttle", "tex_throttle"];

/// A kernel that was both timed and profiled.
struct Launch {
    rung: &'static Rung,
    record: Record,
    profile: Value,
}

fn results() -> PathBuf {
    workspace_root().join("results")
}

fn device() -> PathBuf {
    results().join("nvidia-h200")
}

fn read(file: &str) -> Value {
    let text = fs::read_to_string(device().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the kernels in CUDA C++ of all stages that have a record and a profile of the same launch.
fn launches() -> Vec<Launch> {
    let mut launches: Vec<Launch> = Vec::new();
    for stage in STAGES {
        let short = stage.name.split('-').next().expect("a name");
        let records: Vec<Record> = serde_json::from_value(read(&format!("{short}.json"))).expect("records");
        let profiles = read(&format!("{short}-profile.json"));
        for record in records.into_iter().filter(|record| !record.language.is_rust()) {
            let Some(rung) = stage.rungs.iter().find(|rung| rung.kernel == record.kernel) else { continue };
            let is_of = |profile: &&Value| {
                profile["kernel"] == *record.kernel
                    && profile["size"] == record.size
                    && profile["grid"] == grid(&record)
            };
            let profile = profiles.as_array().and_then(|all| all.iter().find(is_of)).cloned();
            let is_known = launches.iter().any(|launch| launch.rung.kernel == rung.kernel);
            if let Some(profile) = profile.filter(|_| !is_known) {
                launches.push(Launch { rung, record, profile });
            }
        }
    }
    launches
}

fn grid(record: &Record) -> Value {
    serde_json::json!(record.grid)
}

impl Launch {
    fn blocks(&self) -> u32 {
        self.record.grid.iter().product()
    }

    fn residency(&self, ceilings: &Ceilings) -> Residency {
        let threads = self.record.block.iter().product();
        let residency = Residency::new(self.blocks(), threads, self.record.occupancy, ceilings.attributes());
        residency.expect("the attributes of the H200 are recorded")
    }

    /// Applies the rule to the record.
    fn limiter(&self, ceilings: &Ceilings) -> Option<Limiter> {
        let record = &self.record;
        let parameters = record.parameters.clone().unwrap_or_default();
        let size = Size { steps: record.steps, parameters, ..Size::new(record.size) };
        let seconds = record.time_ms.expect("it was timed").median / 1e3;
        let run = TimedRun::new(self.rung.work.facts(), &size, self.blocks(), record.bytes_needed, seconds);
        let shares = ceilings.shares(self.rung, &size, &run);
        Limiter::find(shares.as_ref(), Some(self.residency(ceilings)))
    }

    fn metric(&self, name: &str) -> f64 {
        self.profile["metrics"][name].as_f64().unwrap_or_else(|| panic!("{}: no {name}", self.rung.kernel))
    }

    /// Concludes the cause from the profile.
    fn profiled(&self, ceilings: &Ceilings) -> Cause {
        let busy = self.metric("sm__cycles_active.avg") / self.metric("sm__cycles_elapsed.max");
        if busy < BUSY {
            return Cause::Idle;
        }
        // many blocks per multiprocessor, and still a quarter of the places for warps is empty
        let warps = self.metric("sm__warps_active.avg.per_cycle_active") / 4.0;
        let waves = f64::from(self.blocks()) / 132.0;
        if waves > 64.0 && warps < 0.75 * self.residency(ceilings).warps {
            return Cause::Starts;
        }
        let pipe =
            |name| self.metric(&format!("sm__inst_executed_pipe_{name}.avg.pct_of_peak_sustained_active")) / 100.0;
        let issued = self.metric("smsp__issue_active.avg.per_cycle_active");
        let tensor = self.metric("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active") / 100.0;
        let pipes = ["fma", "alu", "xu", "lsu"].map(pipe).into_iter();
        let of_a_multiprocessor = pipes.fold(issued.max(tensor), f64::max);
        // 4.6 TB/s: `readMemory` in results/nvidia-h200/limits.json
        let bytes = self.metric("dram__bytes_read.sum") + self.metric("dram__bytes_write.sum");
        let memory = bytes / (self.metric("gpu__time_duration.sum") * 1e-9) / 4.6e12;
        if of_a_multiprocessor * busy >= BUSY || memory >= BUSY || self.contention() > 0.5 {
            return Cause::Unit;
        }
        Cause::Latency
    }

    /// Returns the share of the stalls in which a warp could issue, but does not get its turn.
    fn contention(&self) -> f64 {
        let clocks =
            |reason| self.metric(&format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"));
        let stalled = self.metric("smsp__average_warp_latency_per_inst_issued.ratio") - clocks("selected");
        CONTENTION.map(clocks).iter().sum::<f64>() / stalled
    }
}

fn cause(limiter: Limiter) -> Cause {
    match limiter {
        Limiter::Unit(Busiest(Unit::Blocks, _)) => Cause::Starts,
        Limiter::Unit(_) => Cause::Unit,
        Limiter::Multiprocessors(..) => Cause::Idle,
        // The profile does not say whether there can be more warps.
        Limiter::Latency(..) | Limiter::Unlisted(_) => Cause::Latency,
    }
}

#[test]
fn the_rule_agrees_with_the_recorded_stall_reasons() {
    let ceilings = Ceilings::in_folder(&results(), &device()).expect("records");
    assert!(ceilings.notices().is_empty(), "{:?}", ceilings.notices());
    let mut disagreements = Vec::new();
    let launches = launches();
    for launch in &launches {
        let limiter = launch.limiter(&ceilings).unwrap_or_else(|| panic!("{} is not counted", launch.rung.kernel));
        let profiled = launch.profiled(&ceilings);
        if cause(limiter) != profiled {
            let reason =
                DISAGREEMENTS.iter().find(|(kernel, _)| *kernel == launch.rung.kernel).map_or("", |(_, why)| why);
            println!("{}: {limiter}, but the profile shows {profiled:?}; {reason}", launch.rung.kernel);
            disagreements.push(launch.rung.kernel);
        }
    }
    println!("{} of {} launches agree", launches.len() - disagreements.len(), launches.len());
    assert_eq!((disagreements, launches.len()), (DISAGREEMENTS.map(|(kernel, _)| kernel).to_vec(), LAUNCHES));
}

/// The attributes of the H200 that recorded the runs.
const H200: Attributes = Attributes {
    multiprocessors: Some(132),
    threads_per_multiprocessor: Some(2048),
    fp32_flops_per_second: Some(66.908e12),
    tensor_flops_per_second: Some(1070e12),
    special_functions_per_second: Some(4.182e12),
    memory_bytes_per_second: Some(4.917e12),
};

/// Returns the outcomes of a stage as they were recorded on the H200.
fn recorded(stage: &'static Stage, ceilings: &Ceilings) -> Vec<Outcome<'static>> {
    let short = stage.name.split('-').next().expect("a name");
    let records: Vec<Record> = serde_json::from_value(read(&format!("{short}.json"))).expect("records");
    let of = |rung: &Rung, in_rust: bool| {
        let is_of = |record: &&Record| record.kernel == rung.kernel && record.language.is_rust() == in_rust;
        records.iter().find(is_of)
    };
    let counts = of_device(stage, EMULATOR);
    let outcome = |rung: &'static Rung| {
        let record = of(rung, false)?;
        let parameters = record.parameters.clone().unwrap_or_default();
        let size = Size { steps: record.steps, parameters, ..Size::new(record.size) };
        let shape = Shape { grid: Some(record.grid.iter().product()), block: record.block.iter().product() };
        let plan = Plan::new(rung, size, shape).expect("a recorded launch");
        let timing = record.time_ms?;
        let rate = record.rate.as_ref()?;
        let run = TimedRun::new(plan.facts(), &plan.size, plan.grid, record.bytes_needed, timing.median / 1e3);
        let twin = of(rung, true).and_then(|twin| twin.time_ms);
        let shares = ceilings.shares(rung, &plan.size, &run);
        let run = Run {
            report: Report { compared: 1, max_relative_error: record.max_rel_error?, ..Report::default() },
            timing: Some(timing),
            counters: None,
            cost: Cost {
                amount: rate.value * 1e9 * timing.median / 1e3,
                interactions: None,
                bytes_needed_by_a_launch: record.bytes_needed,
            },
            is_edited: false,
            code: record.code.clone(),
            resources: Resources {
                registers: record.registers,
                shared_bytes: record.shared_bytes,
                occupancy: record.occupancy,
            },
            plan,
            sample: None,
            smaller: None,
        };
        let twin = twin.map(|twin| Twin { ratio: Some(twin.median / timing.median), passed: true, runs: Vec::new() });
        let estimate = None;
        let shipped = None;
        let written = Vec::new();
        let recorded = counts.iter().find(|record| record.is_of(&run.plan)).cloned();
        Some(Outcome { run, shares, recorded, estimate, shipped, cpu: record.cpu.clone(), written, twin })
    };
    stage.rungs.iter().filter_map(|rung| outcome(rung)).collect()
}

#[test]
fn the_tables_of_an_h200_keep_within_a_hundred_columns_and_name_what_limits_each_kernel() {
    let ceilings = Ceilings::in_folder(&results(), &device()).expect("records");
    let readings = Readings::default();
    for stage in STAGES {
        let rows = recorded(stage, &ceilings);
        assert!(!rows.is_empty(), "{}", stage.name);
        for chosen in [None, Some(&Chosen::All)] {
            let view = View {
                stage,
                attributes: &H200,
                rows: &rows,
                readings: &readings,
                is_sweep: false,
                chosen,
                with_counters: false,
                has_times: true,
            };
            let text = table::render(&view);
            println!("{text}");
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            assert!(["time", "limited", "result"].iter().all(|heading| text.contains(heading)), "{text}");
            assert!(!text.contains("not counted"), "{text}");
        }
    }
}

/// So without a GPU every printed time and gain of a kernel as shipped is the record's, and on a GPU every count; no row is without them.
#[test]
fn every_row_of_the_default_tables_has_a_recorded_time_and_recorded_counts() {
    for stage in STAGES {
        let [times, counts] = ["nvidia-h200", EMULATOR].map(|device| of_device(stage, device));
        let options = Options::parse_for(stage, [stage.name, "--language", "both"].map(Into::into)).expect("options");
        for plan in options.plans(stage, Backend::Cuda).expect("the default sizes are accepted") {
            let has_time = |record: &Recorded| record.time_ms.is_some() && record.is_of(&plan);
            let has_counts = |record: &Recorded| record.counters.is_some() && record.is_of(&plan);
            let what = format!("{} of {}", plan.name(), stage.name);
            assert!(times.iter().any(has_time), "{what} has no recorded time at its default launch");
            assert!(counts.iter().any(has_counts), "{what} has no recorded counts at its default launch");
        }
    }
}
