//! Samples of a launch's blocks, whose counts must be those of all blocks.

use crate::results::own_rungs;
use crate::turn;
use common::device::DeviceChoice;
use common::problem::Size;
use common::recorded::Recorded;
use common::session::{Run, Session};
use common::stage::{Plan, Rung, Sampling, Shape, Stage};
use emulator::Counters;

/// The largest error of a count if the sampled blocks differ, relative to it or to the instructions of all blocks. Most counts are
/// within a hundredth. The largest known error is 2.3 %, of a grid of which half of the blocks, above its diagonal, end at once.
const MAX_ERROR: f64 = 0.03;

/// Compares samples of the stage's kernels in CUDA C++ at the tutorials' sizes with `records`, the emulator's counts of all blocks.
pub fn counts_are_recorded(stage: &Stage, records: &str) {
    let records: Vec<Recorded> = serde_json::from_str(records).expect("records");
    for rung in own_rungs(stage, false).chain(own_rungs(stage, true)) {
        let facts = rung.work.facts();
        let plan = plan(rung, facts.n, facts.emulated_n);
        let record = records.iter().find(|record| record.is_of(&plan));
        let all = record.unwrap_or_else(|| panic!("{} is not recorded", rung.kernel)).counters.expect("counts");
        compare(&run(&plan), &all);
    }
}

/// Compares samples with runs of all blocks, of these kernels at this size.
pub fn counts_are_those_of_all_blocks(rungs: &[&Rung], n: usize) {
    for rung in rungs {
        let plan = plan(rung, n, n);
        let all = run(&Plan { sampling: None, ..plan.clone() });
        compare(&run(&plan), &all.counters.expect("counts"));
    }
}

/// Returns a plan of which the emulator may run a part.
fn plan(rung: &Rung, n: usize, smaller: usize) -> Plan<'_> {
    let steps = rung.work.facts().steps;
    let size = Size { steps: steps.map(|steps| steps.published), ..Size::new(n) };
    let sampling = Some(Sampling { n: smaller, steps: steps.map(|steps| steps.emulated) });
    Plan { sampling, ..Plan::new(rung, size, Shape::block(rung.block)).expect("an accepted size") }
}

fn run<'a>(plan: &Plan<'a>) -> Run<'a> {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).expect("the emulator");
    let run = session.run(plan, 0).unwrap_or_else(|error| panic!("{}: {error}", plan.rung.kernel));
    assert!(run.report.passed(), "{}: {:?}", plan.rung.kernel, run.report);
    run
}

/// Compares the counts of a run with those of all blocks: they are equal, unless the run says that its sampled blocks differ. Nothing is
/// compared if all blocks ran: their counts may depend on how long they wait.
fn compare(run: &Run, all: &Counters) {
    let kernel = run.plan.rung.kernel;
    let own = run.counters.unwrap_or_else(|| panic!("{kernel} has no counts"));
    let Some(sample) = &run.sample else { return };
    if sample.is_uniform {
        assert_eq!(own, *all, "{kernel}");
        return;
    }
    let [own, all] = [own, *all].map(|counters| serde_json::to_value(counters).expect("counts"));
    let fields = all.as_object().expect("an object").iter().filter_map(|(name, count)| Some((name, count.as_f64()?)));
    let instructions = all["warp_instructions"].as_f64().expect("a number");
    for (name, count) in fields {
        let error = (own[name].as_f64().expect("a number") - count).abs() / count.max(instructions);
        assert!(error <= MAX_ERROR, "{kernel}, {name}: {} instead of {count}", own[name]);
    }
}
