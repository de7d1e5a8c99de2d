//! Shares worked out by hand.

use super::*;
use crate::kernel::{CudaCpp, KernelSource};
use crate::limit::Provenance;
use crate::problem::forces::{Buffers, Forces};
use crate::stage::{Blocks, Entry, Grid};

static RUNG: Rung = Rung {
    kernel: "computeForces",
    source: KernelSource { file: "x", language: &CudaCpp, text: "", ptx: "ret;", crate_folder: "/nowhere", rust: None },
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

fn known(launches: Vec<Launch>) -> Known {
    let rates = [(Unit::Issue, 1e12), (Unit::Special, 1e11), (Unit::Memory, 4e12)];
    Known { rates: rates.into(), launches }
}

/// For 1000 bodies, 600,000 instructions, 31,250 of them to the special-function unit.
fn launch(version: Option<String>, counted_by: CountedBy) -> Launch {
    let needs = [(Unit::Issue, 6e5), (Unit::Special, 31_250.0), (Unit::Fp32, 4e5)].into();
    Launch { kernel: "computeForces".into(), version, size: Size::of(1000), needs, counted_by }
}

#[test]
fn needs_grow_with_the_pairs_and_the_largest_share_is_the_limiters() {
    let known = known(vec![launch(None, CountedBy::MachineCode)]);
    // 100 times the pairs: 6e7 instructions at 1e12 a second are 60 µs, 3,125,000 at 1e11 are 31.25 µs
    let shares = known.shares(&RUNG, &Size::of(10_000), 4e6, 120e-6).expect("it is counted");
    let expected = [(Unit::Issue, 0.5), (Unit::Special, 31.25 / 120.0), (Unit::Memory, 1.0 / 120.0)];
    assert_eq!(shares.of_limit.keys().collect::<Vec<_>>(), expected.iter().map(|(unit, _)| unit).collect::<Vec<_>>());
    for (unit, share) in expected {
        assert!((shares.of_limit[&unit] - share).abs() < 1e-12, "{unit:?}");
    }
    assert_eq!((shares.limiter, shares.largest()), (Unit::Issue, shares.of_limit[&Unit::Issue]));
    // a run that must move 400 MB waits for memory
    let shares = known.shares(&RUNG, &Size::of(10_000), 4e8, 120e-6).expect("it is counted");
    assert_eq!(shares.limiter, Unit::Memory);
}

#[test]
fn steps_count_each() {
    let known = known(vec![launch(None, CountedBy::MachineCode)]);
    let size = Size { steps: Some(10), ..Size::of(1000) };
    let shares = known.shares(&RUNG, &size, 0.0, 6e-6).expect("it is counted");
    assert!((shares.largest() - 1.0).abs() < 1e-12);
}

#[test]
fn counts_of_another_version_are_not_used_and_machine_code_comes_first() {
    let other = launch(Some("12ab".into()), CountedBy::MachineCode);
    assert_eq!(known(vec![other.clone()]).shares(&RUNG, &Size::of(1000), 0.0, 1.0), None);
    let own = launch(Some(RUNG.version(false)), CountedBy::Emulator);
    let shares = known(vec![other, own.clone()]).shares(&RUNG, &Size::of(1000), 0.0, 1.0).expect("it is counted");
    assert_eq!(shares.counted_by, CountedBy::Emulator);
    let best = known(vec![launch(None, CountedBy::MachineCode), own]);
    assert_eq!(best.shares(&RUNG, &Size::of(1000), 0.0, 1.0).map(|one| one.counted_by), Some(CountedBy::MachineCode));
}

#[test]
fn without_limits_there_are_no_shares() {
    let known = Known { rates: PerUnit::new(), launches: vec![launch(None, CountedBy::MachineCode)] };
    assert!(!known.has_limits() && known.shares(&RUNG, &Size::of(1000), 1.0, 1.0).is_none());
}

#[test]
fn folder_without_files_knows_nothing() {
    let nowhere = Path::new("/nowhere");
    assert!(!Known::in_folder(nowhere, nowhere).has_limits() && !Known::of_device(nowhere, "NVIDIA X").has_limits());
}

#[test]
fn a_unit_has_the_best_of_its_measured_rates_and_none_of_a_wrong_result() {
    let measured = |limit: Quantity, rate: f64, verified| Measured {
        limit,
        kernel: String::new(),
        amount: 1.0,
        unit: limit.unit().into(),
        time_ms: None,
        rate: Some(rate),
        clock_hz: Some(2e9),
        nominal_clock_hz: None,
        multiprocessors: Some(100),
        made: Provenance::default(),
        verified,
    };
    let all = [
        measured(Quantity::Special, 1e11, true),
        measured(Quantity::Special, 1.2e11, true),
        measured(Quantity::Special, 9e11, false),
        measured(Quantity::Launch, 2e5, true),
    ];
    assert_eq!(rates(&all), [(Unit::Special, 1.2e11)].into());
    // what single precision reaches has been issued too
    let mixed = [measured(Quantity::Issue, 0.9e12, true), measured(Quantity::Fp32, 1.0e12, true)];
    assert_eq!(rates(&mixed), [(Unit::Issue, 1.0e12), (Unit::Fp32, 1.0e12)].into());
    assert_eq!(measured(Quantity::Issue, 8e11, true).per_clock(), Some(4.0));
}
