//! What the emulator counts in one launch of a row, and whether it depends on the emulator's threads.

use common::device::DeviceChoice;
use common::options::DEFAULT_SEED;
use common::stage::{Plan, Row, Session, Shape};
use common::workload::{Launch, LaunchResult, Size, Work, forces, galaxy, periodic, reduction};
use emulator::Counters;
use stage01_naive::launch;
use std::sync::{Mutex, PoisonError};

/// Whether launches are counted is a setting of the process, so that tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// The counts of one launch, whose results are right.
pub fn counts(row: &Row, n: usize, shape: Shape) -> Counters {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    counts_on(row, n, shape, 0)
}

/// The same on so many threads of the emulator; 0 for as many as there are cores.
fn counts_on(row: &Row, n: usize, shape: Shape, threads: usize) -> Counters {
    let mut session = Session::open(DeviceChoice::Emulator, false).unwrap();
    session.gpu.set_emulator_threads(threads);
    let steps = row.companion.map(|_| 1);
    let plan = Plan::new(row, Size { n, steps, seed: DEFAULT_SEED }, shape).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    assert!(outcome.report.passed(), "{}: {:?}", row.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

/// Each global access of a full warp to neighbouring words touches this many sectors.
pub const FULL_SECTORS: u64 = 4;

/// What the last launch through [`kept`] wrote.
static OUTPUT: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Results are the same to the last bit, and counts the same, on one thread of the emulator and on several.
pub fn does_not_depend_on_threads(row: &Row) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let kept_row = Row { work: kept(row.work), ..*row };
    let shape = Shape { grid: None, block: row.block };
    let on = |threads| {
        let counters = counts_on(&kept_row, 3000, shape, threads);
        (std::mem::take(&mut *OUTPUT.lock().unwrap()), counters)
    };
    let alone = on(1);
    assert!(!alone.0.is_empty(), "{} wrote nothing", row.kernel);
    for threads in [2, 5] {
        assert!(on(threads) == alone, "{} differs on {threads} threads", row.kernel);
    }
}

/// The same work, with the outputs of its launches kept.
fn kept(work: Work) -> Work {
    match work {
        Work::Forces { .. } => Work::Forces { launch: kept_forces },
        Work::Periodic { integrate, .. } => Work::Periodic { accelerate: kept_accelerations, integrate },
        Work::Reduction { .. } => Work::Reduction { launch: kept_sums },
        Work::Galaxy { .. } => Work::Galaxy { launch: kept_galaxy },
        Work::Coulomb { .. } => panic!("no stage with this helper has tutorial E"),
    }
}

fn keep(words: impl Iterator<Item = u32>) {
    OUTPUT.lock().unwrap().extend(words);
}

fn kept_forces(launch: &Launch, buffers: &mut forces::Buffers) -> LaunchResult {
    launch::forces(launch, buffers)?;
    for output in [&buffers.fx, &buffers.fy, &buffers.fz] {
        keep(launch.stream.clone_dtoh(output)?.into_iter().map(f32::to_bits));
    }
    Ok(())
}

fn kept_accelerations(launch: &Launch, buffers: &mut periodic::Buffers) -> LaunchResult {
    launch::periodic_accelerate(launch, buffers)?;
    keep(launch.stream.clone_dtoh(&buffers.bodies)?.into_iter().map(f32::to_bits));
    Ok(())
}

fn kept_sums(launch: &Launch, buffers: &mut reduction::Buffers) -> LaunchResult {
    launch::reduction(launch, buffers)?;
    keep(launch.stream.clone_dtoh(&buffers.partials)?.into_iter().map(i32::cast_unsigned));
    Ok(())
}

fn kept_galaxy(launch: &Launch, buffers: &mut galaxy::Buffers) -> LaunchResult {
    launch::galaxy(launch, buffers)?;
    for output in [&buffers.new_position, &buffers.new_velocity] {
        keep(launch.stream.clone_dtoh(output)?.into_iter().flatten().map(f32::to_bits));
    }
    Ok(())
}
