//! Options that no chosen kernel heeds are refused.

use super::*;
use crate::kernel::{CudaCpp, KernelSource};
use crate::problem::reduction::{Buffers, Reduction};
use crate::problem::transpose::{self, Transpose};
use crate::stage::{Blocks, Entry};

static SUM: Rung = Rung {
    kernel: "sum",
    source: KernelSource { file: "sum", language: &CudaCpp, text: "", ptx: "", crate_folder: "", rust: None },
    entry: Entry::Single("sum"),
    companion: None,
    work: &Reduction::<Buffers> { launch: |_, _| Ok(()) },
    grid: Grid::Covering(1),
    block: 128,
    blocks: Blocks::Any,
    shared_bytes_per_thread: 0,
    sweep: &[],
    published: None,
    below: None,
};

static STAGE: Stage = Stage { name: "stage", title: "", rungs: &[&SUM], lesson: [""; 2], read_on: "" };

static TURN: Rung = Rung {
    kernel: "turn",
    entry: Entry::Single("turn"),
    work: &Transpose::<transpose::Buffers> { launch: |_, _| Ok(()) },
    ..SUM
};

/// A problem that takes a thousand million integers, and one that takes 32,768 rows.
static BOTH: Stage = Stage { rungs: &[&SUM, &TURN], ..STAGE };

fn refusal(arguments: &[&str]) -> String {
    refusal_of(&STAGE, arguments)
}

fn refusal_of(stage: &Stage, arguments: &[&str]) -> String {
    match parsed(stage, arguments) {
        Ok(options) => plan(stage, &options, Backend::Cuda).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

fn parsed(stage: &Stage, arguments: &[&str]) -> Result<Options, clap::Error> {
    Options::parse_for(stage, ["stage"].iter().chain(arguments).map(Into::into))
}

#[test]
fn a_problem_that_does_not_take_the_n_of_the_others_is_left_out() {
    let options = parsed(&BOTH, &["--n", "65536"]).unwrap();
    let plans = plan(&BOTH, &options, Backend::Cuda).unwrap();
    assert_eq!(plans.iter().map(|plan| plan.rung.kernel).collect::<Vec<_>>(), ["sum"]);
    let line = "F, transpose of a square matrix, is left out: it takes 1 to 32768 rows.";
    assert_eq!(left_out(&BOTH, &options), [line]);
    let options = parsed(&BOTH, &["--n", "1024"]).unwrap();
    assert_eq!((plan(&BOTH, &options, Backend::Cuda).unwrap().len(), left_out(&BOTH, &options).len()), (2, 0));
}

#[test]
fn an_n_that_a_named_kernel_or_no_kernel_takes_is_refused() {
    let refused = "--n 65536: turn takes 1 to 32768 rows";
    assert!(refusal_of(&BOTH, &["--n", "65536", "--kernel", "turn"]).starts_with(refused));
    static TURNS: Stage = Stage { rungs: &[&TURN], ..STAGE };
    assert!(refusal_of(&TURNS, &["--n", "65536"]).starts_with(refused));
}

#[test]
fn options_of_problems_that_the_stage_does_not_have_are_refused_by_their_name() {
    for arguments in [["--width", "64"], ["--height", "1"], ["--spacing", "0.5"], ["--steps", "2"], ["--track", "t"]] {
        let refusal = refusal(&arguments);
        assert!(refusal.contains(&format!("{}: no kernel of stage takes this option", arguments[0])), "{refusal}");
    }
}

#[test]
fn options_that_no_chosen_kernel_heeds_are_refused_with_their_value() {
    assert!(refusal(&["--grid", "2"]).starts_with("--grid 2: no chosen kernel has a grid-stride loop"));
    assert!(refusal(&["--sweep"]).starts_with("--sweep: no chosen kernel"));
}
