//! Checks of memory accesses and synchronization: races, reads of uninitialized memory, divergent barriers.
//!
//! Races are detected by the order of accesses, not by values, because lockstep execution hides their effects. For each word
//! of shared and global memory (each byte, once a kernel accesses bytes), the checks record the last writes and reads, and
//! how many barriers of the block and of the warp preceded them. For synchronization of a part of a warp they record which
//! lanes have synchronized with which.
//!
//! compute-sanitizer detects races in shared memory only. Here, races in global memory are detected, too, within a block and
//! between blocks. Two accesses do not race there if one of them is atomic, or, within a block, if the earlier thread has
//! executed a fence since: locks, flags, and loops that begin with a plain read and end with a compare-and-swap are correct.
//! Between blocks, a fence and a flag are needed, or a grid barrier built from them; see `vector_clock.rs`.
//!
//! Local memory is not checked for initialization.
//!
//! Between blocks, the checks do not detect that the reader of a flag lacks a fence, because every atomic or volatile read
//! counts as an acquire; that the scope of a fence or an atomic is only the block; or that a thread relies on the fence of
//! another thread of its warp.
//!
//! Mbarriers order accesses as PTX specifies: a thread that has waited for a phase is ordered after the arrivals of that
//! phase, and after everything that was ordered before them; see `mbarrier_order.rs`. No thread may access a byte that a
//! pending asynchronous copy will write, or write a byte that a pending product of a warpgroup reads; see `products.rs`.
//! Asynchronous operations see what threads have written to shared memory after a `fence.proxy.async` of the writing or of the
//! issuing warp.
//!
//! Blocks of a cluster are ordered by its barrier (`order.rs`) and by arrivals at each other's mbarriers. A block must have begun
//! before another accesses its shared memory, and end after that.
//!
//! The recorded accesses also yield the ranges of global memory that a launch accessed, for comparison with other work on the
//! device; see `accessed.rs`.
//!
//! All findings at the same lines of source are merged, because an unrolled loop repeats one mistake a thousand times.

pub(crate) mod accessed;
pub(crate) mod checking;
pub(crate) mod finding;
mod mbarrier_order;
pub(crate) mod occurrence;
pub(crate) mod order;
mod pending_copies;
mod plain;
mod products;
mod race_detector;
pub(crate) mod shadow;
pub(crate) mod touch;
mod vector_clock;
