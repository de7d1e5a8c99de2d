//! The stage's table: in this order, each rung of a problem changes one thing of the one before.

use crate::rung::Rung;
use crate::{coulomb, forces, galaxy, reduction};

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
