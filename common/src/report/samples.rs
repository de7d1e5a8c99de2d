//! Outcomes made by hand, for the tests of the report.

use crate::kernel::{CudaCpp, KernelSource};
use crate::plan::Plan;
use crate::problem::forces::{Buffers, Forces};
use crate::problem::{Cost, CpuTimes, Size};
use crate::session::Outcome;
use crate::stage::{Blocks, Entry, Grid, Rung, Shape, Stage};
use crate::timing::Timing;
use crate::verify::Report;
use emulator::Counters;

pub(crate) static RUNG: Rung = Rung {
    kernel: "computeForces",
    source: KernelSource {
        file: "x",
        language: &CudaCpp,
        text: "",
        ptx: "",
        crate_folder: "/nowhere/stage01-naive",
        rust: None,
    },
    entry: Entry::Single("x"),
    companion: None,
    work: &Forces::<Buffers> { launch: |_, _| Ok(()) },
    grid: Grid::Covering(1),
    block: 128,
    blocks: Blocks::Any,
    shared_bytes_per_thread: 0,
    sweep: &[],
    published: None,
    below: None,
};

pub(crate) static STAGE: Stage =
    Stage { name: "stage01-naive", title: "", rungs: &[&RUNG], lesson: ["", ""], read_on: "" };

pub(crate) fn timing(low: f64, median: f64, high: f64) -> Timing {
    Timing { median, low, high, runs: 20 }
}

pub(crate) fn outcome(timing: Option<Timing>, counters: Option<Counters>) -> Outcome<'static> {
    Outcome {
        plan: Plan::new(&RUNG, Size { seed: 7, ..Size::of(1024) }, Shape::block(128)).expect("an accepted size"),
        is_beside: false,
        report: Report { compared: 1, ..Report::default() },
        timing,
        counters,
        cost: Cost { amount: 1.0, interactions: None, bytes_needed_by_a_launch: 1.0 },
        shares: None,
        code: String::new(),
        registers: None,
        shared_bytes: None,
        occupancy: None,
        cpu: CpuTimes { serial_ms: 1.0, parallel_ms: 1.0, threads: 1, scaled_from: None },
        written: Vec::new(),
    }
}
