//! Options that no chosen kernel heeds are refused.

use super::*;
use crate::kernel::{CudaCpp, KernelSource};
use crate::problem::reduction::{Buffers, Reduction};
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

fn refusal(arguments: &[&str]) -> String {
    let arguments = ["stage"].iter().chain(arguments).map(Into::into);
    match Options::parse_for(&STAGE, arguments) {
        Ok(options) => plan(&STAGE, &options, Backend::Cuda).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
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
