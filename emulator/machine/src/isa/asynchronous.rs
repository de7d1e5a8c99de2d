//! Asynchronous copies to shared memory, which continue while the threads execute other instructions.

use super::form::{Form, Modifiers};
use super::memory::AtomicFunction;

/// An instruction that starts copies or waits for them. Copies and groups belong to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asynchronous {
    /// Copies 4, 8 or 16 bytes from global to shared memory. With `.cg`, only 16 bytes are allowed.
    Copy { widest_only: bool },
    /// Closes the open group of copies.
    Commit,
    /// Waits until at most the given number of groups are in flight.
    WaitForGroups,
    /// Waits for all copies.
    WaitForAll,
    /// Copies any number of bytes from global to shared memory, and signals an mbarrier there.
    ///
    /// With `multicast`, to the same place in the blocks of the cluster whose bits are set in a register that was set aside.
    BulkCopy { multicast: bool },
    /// Copies any number of bytes from shared to global memory, or adds elements of so many bytes to those there.
    BulkStore { sum: Option<(AtomicFunction, u8)> },
    /// Copies a box of a tensor in global memory to shared memory, and signals an mbarrier there.
    TensorLoad { dimensions: u8, multicast: bool },
    /// Copies a box of a tensor from shared to global memory.
    TensorStore { dimensions: u8 },
    /// Closes the open group of stores.
    CommitStores,
    /// Waits until at most the given number of groups of stores are in flight. Stores complete at once.
    WaitForStores,
}

macro_rules! copy {
    ($cache:literal) => {
        concat!("cp.async.", $cache, ".{shared|shared::cta}.global[.L2::64B|.L2::128B|.L2::256B]")
    };
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Asynchronous>] = &[
    copy(copy!("ca"), |_| Asynchronous::Copy { widest_only: false }),
    copy(copy!("cg"), |_| Asynchronous::Copy { widest_only: true }),
    Form::control("cp.async.commit_group", "close the open group of copies", |_| Asynchronous::Commit),
    Form::control("cp.async.wait_group", "wait until at most a groups of copies are in flight", |_| {
        Asynchronous::WaitForGroups
    }),
    Form::memory(
        "cp.async.bulk.{shared::cluster|shared::cta}.global.mbarrier::complete_tx::bytes[.multicast::cluster][.L2::cache_hint]",
        "c bytes of shared memory at a = global memory at b, asynchronously; signals the barrier at d; in all blocks of multicast mask e",
        |m| Asynchronous::BulkCopy { multicast: m.has("multicast::cluster") },
    ),
    Form::memory(
        "cp.async.bulk.global.shared::cta.bulk_group[.L2::cache_hint]",
        "c bytes of global memory at a = shared memory at b, asynchronously",
        |_| Asynchronous::BulkStore { sum: None },
    ),
    Form::memory(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group[.L2::cache_hint].add.{u32|s32|u64|f32|f64}",
        "c bytes of global memory at a += shared memory at b, element by element, asynchronously",
        |m| Asynchronous::BulkStore { sum: Some(sum(m.last())) },
    ),
    Form::memory(
        "cp.async.bulk.tensor.{1d|2d|3d}.{shared::cluster|shared::cta}.global[.tile].mbarrier::complete_tx::bytes[.multicast::cluster][.L2::cache_hint]",
        "shared memory at a = box of a tensor in global memory, asynchronously; b is the tensor map and the coordinates; signals the barrier at c; in all blocks of multicast mask d",
        |m| Asynchronous::TensorLoad { dimensions: m.dimensions(), multicast: m.has("multicast::cluster") },
    ),
    Form::memory(
        "cp.async.bulk.tensor.{1d|2d|3d}.global.shared::cta[.tile].bulk_group[.L2::cache_hint]",
        "box of a tensor in global memory = shared memory at b, asynchronously; a is the tensor map and the coordinates",
        |m| Asynchronous::TensorStore { dimensions: m.dimensions() },
    ),
    Form::control("cp.async.bulk.commit_group", "close the open group of stores", |_| Asynchronous::CommitStores),
    Form::control("cp.async.bulk.wait_group[.read]", "wait until at most a groups of stores are in flight", |_| {
        Asynchronous::WaitForStores
    }),
    Form::control("cp.async.wait_all", "wait for all copies", |_| Asynchronous::WaitForAll),
];

/// Returns the addition of a type, and the size of its elements in bytes.
fn sum(kind: &str) -> (AtomicFunction, u8) {
    let function = if kind.starts_with('f') { AtomicFunction::AddFloat } else { AtomicFunction::AddInteger };
    (function, if kind.ends_with("64") { 8 } else { 4 })
}

const fn copy(pattern: &'static str, build: fn(&Modifiers<'_>) -> Asynchronous) -> Form<Asynchronous> {
    let equation = "c bytes of shared memory at a = global memory at b, asynchronously; zeros after d bytes, or all zeros if d is true";
    Form::memory(pattern, equation, build)
}
