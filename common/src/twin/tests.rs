//! Comparisons of outcomes made by hand, and a Rust version that cannot be compiled here.

use super::*;
use crate::device::DeviceChoice;
use crate::kernel::{Compiler, KernelSource, Language, MissingCompiler};
use crate::problem::Size;
use crate::report::samples::{RUNG, STAGE, outcome, timing};
use crate::stage::Rung;
use cuda_cpp::Choice;
use emulator::Counters;

/// A language without a compiler.
#[derive(Debug)]
struct Nowhere;

impl Language for Nowhere {
    fn extension(&self) -> &'static str {
        "rs"
    }

    fn compiler(&self, _: Option<Choice>) -> Result<Box<dyn Compiler>, MissingCompiler> {
        Err(MissingCompiler { reason: "type `get compiler`".into(), fetch: None })
    }
}

/// An edited file: its prebuilt PTX, which is empty, is not of this text.
static EDITED: KernelSource = KernelSource { language: &Nowhere, text: "edited", ..RUNG.source };
static WITH_TWIN: Rung = Rung { source: KernelSource { rust: Some(&EDITED), ..RUNG.source }, ..RUNG };

fn options(arguments: &[&str]) -> Options {
    Options::parse_for(&STAGE, ["stage"].iter().chain(arguments).map(Into::into)).expect("options")
}

fn in_rust(mut kernel: Outcome<'_>) -> Outcome<'_> {
    kernel.run.plan.in_rust = true;
    kernel
}

fn instructions(warp_instructions: u64) -> Outcome<'static> {
    outcome(None, Some(Counters { warp_instructions, ..Counters::default() }))
}

#[test]
fn a_version_without_a_compiler_is_left_out_with_a_line_that_says_what_to_type() {
    let plan = Plan::new(&WITH_TWIN, Size::new(64), Shape::block(32)).expect("an accepted size");
    let mut session = Session::open(DeviceChoice::Emulator, None).expect("the emulator opens");
    let mut row = outcome(None, None);
    row.run.plan = plan;
    let line = compare(&options(&[]), &mut session, &mut row).expect("no error").expect("a line");
    assert!(line.starts_with("Note: computeForces in Rust is left out: "), "{line}");
    assert!(
        line.ends_with("x.rs was changed and must be compiled: type `get compiler`") && !line.contains('\n'),
        "{line}"
    );
}

#[test]
fn a_kernel_without_a_rust_version_is_not_compared() {
    let plan = Plan::new(&RUNG, Size::new(64), Shape::block(32)).expect("an accepted size");
    assert!(plans(&plan, &options(&[]), Backend::Emulator).expect("no error").is_empty());
}

#[test]
fn on_the_emulator_a_large_kernel_runs_again_at_a_small_size_and_a_small_one_does_not() {
    let planned = |n, backend| {
        let plan = Plan::new(&WITH_TWIN, Size::new(n), Shape::block(32)).expect("an accepted size");
        let plans = plans(&plan, &options(&[]), backend).expect("no error");
        plans.iter().map(|plan| (plan.size.n, plan.in_rust)).collect::<Vec<_>>()
    };
    assert_eq!(planned(64, Backend::Emulator), [(64, true)]);
    assert_eq!(planned(16384, Backend::Emulator), [(COMPARED_N, false), (COMPARED_N, true)]);
    assert_eq!(planned(16384, Backend::Cuda), [(16384, true)]);
}

#[test]
fn kernels_are_compared_if_the_column_is_chosen_and_no_language() {
    let has = |arguments: &[&str]| options(arguments).has_twins_beside();
    let column = ["--columns", "rust/cuda"];
    assert!(has(&column) && has(&["--columns", "all"]) && !has(&[]) && !has(&["--columns", "time"]));
    for arguments in [["--language", "cuda"], ["--language", "both"], ["--json", "--small"]] {
        assert!(!has(&[column, arguments].concat()), "{arguments:?}");
    }
}

#[test]
fn a_rust_version_is_compared_with_its_kernel_in_the_same_launch() {
    let [kernel, mut other] = [(); 2].map(|()| outcome(Some(timing(4.0, 4.0, 4.0)), None));
    other.run.plan.block = 64;
    let mut outcomes = [other, kernel];
    pair(&mut outcomes, &in_rust(outcome(Some(timing(5.0, 5.0, 5.0)), None)));
    assert!(outcomes[0].twin.is_none());
    assert_eq!(outcomes[1].twin.as_ref().map(|twin| (twin.ratio, twin.passed)), Some((Some(1.25), true)));
}

#[test]
fn without_times_instructions_are_compared_and_wrong_results_are_kept() {
    let mut rust = in_rust(instructions(98));
    rust.run.report.failed = 1;
    let mut outcomes = [instructions(100)];
    pair(&mut outcomes, &rust);
    assert_eq!(outcomes[0].twin.as_ref().map(|twin| (twin.ratio, twin.passed)), Some((Some(0.98), false)));
    let mut outcomes = [instructions(100)];
    pair(&mut outcomes, &instructions(98));
    assert!(outcomes[0].twin.is_none(), "a kernel in CUDA C++ is not the Rust version of another");
}
