//! Outcomes made by hand, for the tests of the report.

use crate::columns::Column;
use crate::device::Attributes;
use crate::kernel::{CudaCpp, KernelSource, PREBUILT, Resources};
use crate::outcome::Outcome;
use crate::problem::forces::{Buffers, Forces};
use crate::problem::{Cost, CpuTimes, Size};
use crate::recorded::Recorded;
use crate::report::data::readings::Readings;
use crate::report::data::view::View;
use crate::session::Run;
use crate::stage::{Entry, Plan, Rung, Shape, Stage};
use crate::timing::Timing;
use crate::verify::Report;
use emulator::Counters;
use predict::{Limiter, RunEstimate, Way};

const SOURCE: KernelSource = KernelSource {
    file: "x",
    language: &CudaCpp,
    text: "",
    ptx: || "",
    crate_folder: "/nowhere/stage01-naive",
    rust: None,
};

pub(crate) static RUNG: Rung = Rung {
    entry: Entry::Single("x"),
    ..Rung::new("computeForces", SOURCE, &Forces::<Buffers> { launch: |_, _| Ok(()) })
};

pub(crate) static STAGE: Stage = Stage {
    name: "stage01-naive",
    title: "",
    rungs: &[&RUNG],
    counts: |_| &[Column::SectorsPerLoad, Column::Traffic, Column::Barriers],
    read_on: "",
};

pub(crate) fn timing(low: f64, median: f64, high: f64) -> Timing {
    Timing { median, low, high, runs: 20, clock: None }
}

pub(crate) fn outcome(timing: Option<Timing>, counters: Option<Counters>) -> Outcome<'static> {
    let run = Run {
        plan: Plan::new(&RUNG, Size { seed: 7, ..Size::new(1024) }, Shape::block(128)).expect("an accepted size"),
        report: Report { compared: 1, ..Report::default() },
        timing,
        counters,
        cost: Cost { amount: 1.0, interactions: None, bytes_needed_by_a_launch: 1.0 },
        is_edited: false,
        code: String::new(),
        resources: Resources::default(),
        sample: None,
        smaller: None,
    };
    let cpu = Some(CpuTimes { serial_ms: 1.0, parallel_ms: 1.0, threads: 1, scaled_from: None });
    Outcome { run, shares: None, recorded: None, estimate: None, shipped: None, cpu, written: Vec::new(), twin: None }
}

/// Adds a recorded run of an outcome's launch, on the other kind of device.
pub(crate) fn with_record(
    mut outcome: Outcome<'static>,
    time_ms: Option<Timing>,
    counters: Option<Counters>,
) -> Outcome<'static> {
    let plan = &outcome.run.plan;
    let record = serde_json::json!({
        "kernel": plan.rung.kernel, "size": plan.size.n, "steps": null, "grid": [8, 1, 1], "block": [128, 1, 1],
        "device": "NVIDIA H200", "date": "", "time_ms": time_ms, "counters": counters,
        "kernel_sha256": plan.rung.version(false),
    });
    let record: Recorded = serde_json::from_value(record).expect("a record");
    assert!(record.is_of(plan));
    outcome.run.code = PREBUILT.into();
    Outcome { recorded: Some(record), ..outcome }
}

/// An estimate with this range in nanoseconds.
pub(crate) fn estimate(way: Way, [low, high]: [u64; 2]) -> RunEstimate {
    let nanoseconds = u64::midpoint(low, high);
    let gpu = "H200".into();
    let launches = Vec::new();
    RunEstimate { gpu, cycles: nanoseconds, nanoseconds, band: (low, high), limiter: Limiter::Memory, way, launches }
}

/// The attributes of an H200.
pub(crate) static H200: Attributes = Attributes {
    multiprocessors: Some(132),
    threads_per_multiprocessor: Some(2048),
    fp32_flops_per_second: Some(66.9e12),
    tensor_flops_per_second: Some(1070e12),
    special_functions_per_second: Some(4.18e12),
    memory_bytes_per_second: Some(4.917e12),
};

/// Returns a view of these rows, with times if one was timed.
pub(crate) fn view<'v, 'a>(rows: &'v [Outcome<'a>]) -> View<'v, 'a> {
    static NONE: std::sync::LazyLock<Readings> = std::sync::LazyLock::new(Readings::default);
    let is_timed = rows.iter().any(|row| row.run.timing.is_some());
    View {
        stage: &STAGE,
        attributes: &H200,
        rows,
        readings: &NONE,
        is_sweep: false,
        chosen: None,
        with_counters: false,
        has_times: is_timed,
    }
}
