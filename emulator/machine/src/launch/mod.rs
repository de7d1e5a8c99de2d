//! Launches, with counters, of a sample of the blocks, with checks, or with a trace of one block.

mod block_scheduler;
pub(crate) mod checked;
pub(crate) mod counted;
mod deadlock;
mod dependence;
mod monitor;
mod places;
pub(crate) mod sampled;
pub(crate) mod shape;
pub(crate) mod streamed;
pub(crate) mod traced;
pub(crate) mod workers;
