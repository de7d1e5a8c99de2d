//! Checks of memory accesses and synchronization: races, reads of uninitialized memory, divergent barriers.
//!
//! Races are detected by the order of accesses, not by values, because lockstep execution hides their effects. For each word
//! of shared and global memory (each byte, once a kernel accesses bytes), the checks record the last writes and reads, and
//! how many barriers of the block and of the warp preceded them. For synchronization of a part of a warp they record which
//! lanes have synchronized with which.
//!
//! compute-sanitizer detects races in shared memory only. Here, races in global memory are detected, too, within a block and
//! between blocks. Two accesses do not race there if one of them is atomic, unless both write, or the kernel relies on the value
//! of a plain load (`lower/reach.rs`): loops that begin with a plain read and end with a compare-and-swap are correct. Locks and
//! flags need a fence, within a block too; see `flag_order.rs` for those of one block, and `vector_clock.rs` for other blocks and
//! for grid barriers, which are built from them.
//!
//! Within a warp, only `bar.warp.sync` orders memory, and no other warp-level instruction; see `order.rs`. Volatile accesses of a
//! block do not race if the load is that of a flag: its value decides a branch (`lower/uses.rs`).
//!
//! An atomic whose scope is the block is none for other blocks, and a fence, release or acquire of this scope orders nothing for
//! them. The scope of a cluster counts as that of the device. A load by the read-only path is a mistake if the launch writes the
//! same bytes, whatever the order; reads of textures are not observed.
//!
//! Uninitialized bytes are reported where they are loaded, unless they may be the padding of a structure or are only moved within
//! shared memory; see `undefined.rs`. Local memory is not checked for initialization.
//!
//! A thread that has seen a flag by a volatile or relaxed load needs a fence before it reads what the flag announces. The checks
//! do not ask for it if a barrier or a warp-level instruction is between them, or if an atomic has read the flag: published kernels
//! rely on these. They do not detect that a thread relies on the fence of another thread of its warp.
//!
//! Mbarriers order accesses as PTX specifies: a thread that has waited for a phase is ordered after the arrivals of that
//! phase, and after everything that was ordered before them; see `mbarrier_order.rs`. No thread may access a byte that a
//! pending asynchronous copy will write, or write a byte that a pending product of a warpgroup
//! or a pending copy to global memory reads; see `products.rs`.
//! Asynchronous operations see what threads have written to shared memory after a `fence.proxy.async` of the writing or of the
//! issuing warp.
//!
//! Blocks of a cluster are ordered by its barrier (`order.rs`) and by arrivals at each other's mbarriers. A block must have begun
//! before another accesses its shared memory, and end after that.
//!
//! An address of local memory that one thread stores and another loads and uses is a mistake, whatever it finds there; see `lent.rs`.
//!
//! The recorded accesses also yield the ranges of global memory that a launch accessed, for comparison with other work on the
//! device; see `accessed.rs`.
//!
//! All findings at the same lines of source are merged, because an unrolled loop repeats one mistake a thousand times.

mod absent_lanes;
pub(crate) mod accessed;
pub(crate) mod checking;
mod cluster_order;
pub(crate) mod finding;
mod flag_order;
mod lent;
mod mbarrier_order;
pub(crate) mod occurrence;
pub(crate) mod order;
mod pending_copies;
mod plain;
mod products;
mod race_detector;
pub(crate) mod shadow;
pub(crate) mod touch;
mod traits;
mod undefined;
mod vector_clock;
