//! The stage's table: in this order, each rung of a problem changes one thing of the one before.

use crate::rung::Rung;
use crate::{coulomb, forces, galaxy, reduction};
use std::sync::OnceLock;

/// All rungs.
pub static RUNGS: [&dyn Rung; 12] = [
    &forces::HOST_STAGED,
    &forces::ALL_GATHER,
    &forces::OWN_BLOCK_FIRST,
    &forces::RING,
    &forces::THIRD_LAW,
    &forces::TWO_LEVEL,
    &forces::PEER_COPIES,
    &reduction::ALL_REDUCE,
    &galaxy::STEPS,
    &galaxy::STEPS_GRAPH,
    &coulomb::BY_POINTS,
    &coulomb::BY_ATOMS,
];

/// The rung of a program that is an exercise.
static EXERCISE: OnceLock<&'static dyn Rung> = OnceLock::new();

/// The rungs of this program: the exercise that it is, or all.
pub fn table() -> impl Iterator<Item = &'static dyn Rung> + Clone {
    let exercise = EXERCISE.get().copied();
    exercise.into_iter().chain(RUNGS.into_iter().filter(move |_| exercise.is_none()))
}

/// Makes this program an exercise, whose table is this rung alone.
pub(crate) fn become_exercise(rung: &'static dyn Rung) {
    // Called once, by the program's main.
    let _ = EXERCISE.set(rung);
}
