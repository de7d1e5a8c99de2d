//! The strategies of the stage. Each strategy of a problem changes one thing of the one before.

use crate::ranks::strategy::Strategy;
use crate::{coulomb, forces, galaxy, reduction};

/// All strategies, in the order of the table.
pub static STRATEGIES: [&dyn Strategy; 12] = [
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
