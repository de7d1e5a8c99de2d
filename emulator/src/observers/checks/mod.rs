//! Checks of how a kernel uses memory and barriers: races, reads of uninitialized memory, divergent barriers.
//!
//! Races are judged by barriers, not by values, since lockstep hides them. For each word of shared and global memory
//! (each byte, once a kernel accesses bytes) the checks remember who wrote and read it last, and how many barriers of
//! the block and of the warp had passed; for barriers of a part of a warp they keep which lanes have met.
//! compute-sanitizer judges races of shared memory alone; here those of global memory are found too, inside a block and
//! between blocks. There an atomic on one side counts as handing over, and inside a block a fence of the earlier thread:
//! locks, flags, and the loop that begins with a plain read and ends in a compare-and-swap are correct programs. Between
//! blocks a fence and a flag do, or a barrier of the grid made of them: `knowledge.rs` has how.
//!
//! What is not found between blocks: that the reader of a flag lacks its fence, since every atomic or volatile read counts
//! as one that acquires; that a fence or an atomic is for the block alone where it names the order itself; that a thread
//! counts on the fence of another one of its warp.
//!
//! Barriers in shared memory order what PTX says that they do: who waits for a phase knows what those did who arrived, and
//! what they knew: `phases.rs` has how. A byte that an asynchronous copy is under way to is nobody's until somebody has
//! waited.
//!
//! What the checks remember also says which bytes of global memory a launch accessed, for who compares it with other work
//! on the device: `accessed.rs`.
//!
//! All findings of the same lines of source are one, since an unrolled loop has the same mistake a thousand times.

pub(crate) mod accessed;
pub(crate) mod checking;
pub(crate) mod finding;
mod knowledge;
pub(crate) mod order;
mod phases;
pub(crate) mod shadow;
pub(crate) mod sighting;
mod under_way;
