//! Options that have no effect are refused.

use super::*;
use crate::device::Backend;
use crate::kernel::{CudaCpp, KernelSource};
use crate::problem::reduction::{Buffers, Reduction};
use crate::problem::transpose::{self, Transpose};

static SUM: Rung = Rung::new(
    "sum",
    KernelSource { file: "sum", language: &CudaCpp, text: "", ptx: || "", crate_folder: "", rust: None },
    &Reduction::<Buffers> { launch: |_, _| Ok(()) },
);

static STAGE: Stage = Stage { name: "stage", title: "", rungs: &[&SUM], counts: |_| &[], read_on: "" };

static TURN: Rung = Rung { kernel: "turn", work: &Transpose::<transpose::Buffers> { launch: |_, _| Ok(()) }, ..SUM };

/// A problem that takes a thousand million integers, and one that takes 32,768 rows.
static BOTH: Stage = Stage { rungs: &[&SUM, &TURN], ..STAGE };

fn refusal(arguments: &[&str]) -> String {
    refusal_of(&STAGE, arguments)
}

fn refusal_of(stage: &Stage, arguments: &[&str]) -> String {
    match parsed(stage, arguments) {
        Ok(options) => {
            refuse(stage, &options).and_then(|()| options.plans(stage, Backend::Cuda)).unwrap_err().to_string()
        }
        Err(error) => error.to_string(),
    }
}

fn parsed(stage: &Stage, arguments: &[&str]) -> Result<Options, clap::Error> {
    Options::parse_for(stage, ["stage"].iter().chain(arguments).map(Into::into))
}

#[test]
fn a_problem_that_does_not_take_the_n_of_the_others_is_left_out() {
    let options = parsed(&BOTH, &["--n", "65536"]).unwrap();
    let plans = options.plans(&BOTH, Backend::Cuda).unwrap();
    assert_eq!(plans.iter().map(|plan| plan.rung.kernel).collect::<Vec<_>>(), ["sum"]);
    let line = "F, transpose of a square matrix, is left out: it takes 1 to 32768 rows.";
    assert_eq!(left_out(&BOTH, &options), [line]);
    let options = parsed(&BOTH, &["--n", "1024"]).unwrap();
    assert_eq!((options.plans(&BOTH, Backend::Cuda).unwrap().len(), left_out(&BOTH, &options).len()), (2, 0));
}

#[test]
fn kernels_that_a_device_is_too_old_too_new_or_too_small_for_are_left_out_in_words() {
    static AMPERE: Rung =
        Rung { kernel: "ampere", source: KernelSource { ptx: || ".target sm_80\n", ..SUM.source }, ..SUM };
    static HOPPER: Rung = Rung {
        kernel: "hopper",
        source: KernelSource { ptx: || ".target sm_90a\n", ..SUM.source },
        shared_bytes_per_thread: 1024,
        ..SUM
    };
    static LARGE: Rung = Rung { kernel: "large", shared_bytes_per_thread: 1024, ..SUM };
    static ALL: Stage = Stage { rungs: &[&SUM, &AMPERE, &HOPPER, &LARGE], ..STAGE };
    let on = |capability, shared_kib: u32| {
        let plans = parsed(&ALL, &[]).unwrap().plans(&ALL, Backend::Cuda).unwrap();
        let (plans, lines) = split(plans, capability, Some(shared_kib << 10));
        (plans.iter().map(|plan| plan.rung.kernel).collect::<Vec<_>>(), lines.join("\n"))
    };
    let turing = "ampere is left out: it needs compute capability 8.0, and this GPU has 7.5.\n\
                  hopper is left out: it needs exactly compute capability 9.0, and this GPU has 7.5.\n\
                  large is left out: it needs 128 KiB of shared memory per block, and this GPU has 64.";
    assert_eq!(on((7, 5), 64), (vec!["sum"], turing.into()));
    assert_eq!(on((9, 0), 227), (vec!["sum", "ampere", "hopper", "large"], String::new()));
    let too_small = "hopper, large are left out: they need 128 KiB of shared memory per block, and this GPU has 99.";
    assert_eq!(on((9, 0), 99), (vec!["sum", "ampere"], too_small.into()));
    let (kernels, lines) = on((12, 0), 128);
    assert_eq!(kernels, ["sum", "ampere", "large"]);
    assert_eq!(lines, "hopper is left out: it needs exactly compute capability 9.0, and this GPU has 12.0.");
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

#[test]
fn runs_are_refused_if_nothing_is_timed_and_a_seed_if_nothing_is_random() {
    assert_eq!(refusal(&["--runs", "5", "--check"]), "--runs 5: --check measures no times");
    assert!(refusal(&["--runs", "5", "--device", "emulator"]).starts_with("--runs 5: the emulator measures no times"));
    static TURNS: Stage = Stage { rungs: &[&TURN], ..STAGE };
    assert!(refusal_of(&TURNS, &["--seed", "5"]).starts_with("--seed 5: the inputs"));
    for accepted in [&["--runs", "5"][..], &["--seed", "5"]] {
        assert!(refuse(&BOTH, &parsed(&BOTH, accepted).unwrap()).is_ok(), "{accepted:?}");
    }
}

#[test]
fn help_is_grouped_and_names_the_options_of_these_kernels_only() {
    let help = parsed(&BOTH, &["--help"]).unwrap_err().to_string();
    for heading in ["Kernels", "Where and how to run them", "Size and launch shape", "Output"] {
        assert!(help.contains(&format!("\n{heading}:\n")), "{help}");
    }
    assert!(!help.contains("own options") && !help.contains("--steps"), "{help}");
}
