//! The machine, which executes the steps of a kernel block by block, in warps of 32 lanes.
//!
//! Lanes that diverge at a branch become *splits* of their warp, which reconverge at the immediate post-dominator of the
//! branch. A split that waits at a barrier or a warp-level instruction is not runnable, and others run instead. If nothing
//! else can run, lanes that only wait to reconverge continue without the others, because PTX does not guarantee
//! reconvergence. Splits that wait at warp-level instructions meet if instruction, qualifiers and mask agree, even at
//! different lines, as on an H200; the checks report it. If nothing can run and some lanes wait, the launch ends with a
//! deadlock fault that lists the waiting threads.
//!
//! Asynchronous copies complete as late as PTX allows, when a thread waits for them ([`pending_copies`]). Mbarriers are
//! words of shared memory ([`mbarrier`]), and waits for their phases time out there.
//!
//! Lanes that have left a loop do not wait forever for the others. If nothing else can run, and the loop reads what other
//! threads may write (an atomic, a volatile load), they continue, as with the independent thread scheduling since Volta.
//! This opens locks between the lanes of a warp. No lane continues in this way before a time slice of 16,384 basic blocks
//! is over and other blocks have had theirs.
//!
//! A block that waits for another block yields to it if both are resident ([`spin_detection`]). Blocks of a cluster take turns
//! on one worker ([`cluster`]).

mod access;
pub(crate) mod addresses;
mod async_copy;
mod barrier;
pub(crate) mod bind;
pub(crate) mod block;
mod calls;
mod clock;
mod cluster;
mod cluster_barrier;
mod context_switch;
pub(crate) mod events;
mod exchange;
mod heap;
mod matrix;
mod mbarrier;
mod memories;
mod pending_copies;
mod print;
mod register_pool;
mod rounds;
mod schedule;
mod spin_detection;
mod spin_probe;
mod split;
pub(crate) mod stop;
pub(crate) mod suspended;
mod waiting;
mod warp_sync;
mod warpgroup;
mod whole_warp;
mod word;
