//! Asynchronous copies to shared memory, which continue while the threads execute other instructions.

use super::class::Class;
use super::form::{Form, Modifiers};

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
    BulkCopy,
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
    row("cp.async.commit_group", "close the open group of copies", |_| Asynchronous::Commit),
    row("cp.async.wait_group", "wait until at most a groups of copies are in flight", |_| Asynchronous::WaitForGroups),
    Form::row(
        "cp.async.bulk.{shared::cluster|shared::cta}.global.mbarrier::complete_tx::bytes",
        Class::Memory,
        "c bytes of shared memory at a = global memory at b, asynchronously; signals the barrier at d",
        &[],
        &[],
        |_| Asynchronous::BulkCopy,
    ),
    row("cp.async.wait_all", "wait for all copies", |_| Asynchronous::WaitForAll),
];

const fn copy(pattern: &'static str, build: fn(&Modifiers<'_>) -> Asynchronous) -> Form<Asynchronous> {
    let equation = "c bytes of shared memory at a = global memory at b, asynchronously; zeros after d bytes, or all zeros if d is true";
    Form::row(pattern, Class::Memory, equation, &[], &[], build)
}

const fn row(
    pattern: &'static str,
    equation: &'static str,
    build: fn(&Modifiers<'_>) -> Asynchronous,
) -> Form<Asynchronous> {
    Form::row(pattern, Class::Control, equation, &[], &[], build)
}
