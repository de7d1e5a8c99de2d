//! The machine: executes the steps of a kernel, block by block, in warps of 32 lanes.
//!
//! Lanes that diverge at a branch become *splits* of their warp, which meet at the immediate post-dominator of the
//! branch. A split that waits at a barrier or a warp-level instruction parks while others run. When nothing else can
//! run, lanes that wait only to meet others go on without them: PTX does not promise the meeting. Splits that wait at
//! warp-level instructions meet by kind, qualifiers and mask, also at different lines, as on an H200; checks tell of it.
//! When nothing can run and some lanes wait, the launch ends with a fault that says who waits where, instead of a hang.
//!
//! Asynchronous copies land as late as PTX has it: when somebody waits for them ([`copies`]). Barriers in shared memory are
//! words of it ([`mbarrier`]), and who waits for a phase of one parks ([`stalls`]).
//!
//! Lanes that arrived behind a loop do not wait forever: when nothing else can run, and the loop reads what others may
//! write (an atomic, a volatile load), they run on, as threads do since Volta. So locks between the lanes of a warp
//! open. No lane runs on before a turn of 16,384 basic blocks is over and other blocks have had theirs.
//!
//! A block that waits for another block lets it go first, as long as both are resident; `patience.rs` says when.

mod access;
pub(crate) mod addresses;
mod arrivals;
mod aside;
mod assertion;
mod barrier;
pub(crate) mod bind;
pub(crate) mod block;
mod clock;
mod copies;
pub(crate) mod events;
mod exchange;
mod landing;
mod matrix;
mod mbarrier;
mod meeting;
mod memories;
mod patience;
mod rounds;
mod schedule;
mod split;
mod stalls;
pub(crate) mod stop;
pub(crate) mod turns;
pub(crate) mod waiting;
mod whole_warp;
mod word;
