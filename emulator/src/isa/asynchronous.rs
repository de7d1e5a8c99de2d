//! Copies into shared memory that go on while the threads do, each lane's for itself.

use super::class::Class;
use super::form::{Form, Modifiers};

/// What an instruction does with copies of its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asynchronous {
    /// Copies 4, 8 or 16 bytes of global memory into shared memory; those of `.cg` 16 alone.
    Copy { widest_only: bool },
    /// Closes the group of copies that is open.
    Commit,
    /// Waits until no more groups are under way than an operand says.
    WaitForGroups,
    /// Waits for all copies.
    WaitForAll,
    /// Copies any number of bytes of global memory into shared memory, and tells a barrier there.
    BulkCopy,
}

macro_rules! copy {
    ($cache:literal) => {
        concat!("cp.async.", $cache, ".{shared|shared::cta}.global[.L2::64B|.L2::128B|.L2::256B]")
    };
}

/// Rows of the table.
pub(crate) const FORMS: &[Form<Asynchronous>] = &[
    copy(copy!("ca"), |_| Asynchronous::Copy { widest_only: false }),
    copy(copy!("cg"), |_| Asynchronous::Copy { widest_only: true }),
    row("cp.async.commit_group", "close the group of copies", |_| Asynchronous::Commit),
    row("cp.async.wait_group", "wait until a groups of copies are under way", |_| Asynchronous::WaitForGroups),
    Form::row(
        "cp.async.bulk.{shared::cluster|shared::cta}.global.mbarrier::complete_tx::bytes",
        Class::Memory,
        "c bytes of shared memory at a = global memory at b, later, which the barrier at d waits for",
        &[],
        &[],
        |_| Asynchronous::BulkCopy,
    ),
    row("cp.async.wait_all", "wait for all copies", |_| Asynchronous::WaitForAll),
];

const fn copy(pattern: &'static str, build: fn(&Modifiers<'_>) -> Asynchronous) -> Form<Asynchronous> {
    let equation =
        "c bytes of shared memory at a = global memory at b, later; zeros behind d bytes, or all where d holds";
    Form::row(pattern, Class::Memory, equation, &[], &[], build)
}

const fn row(
    pattern: &'static str,
    equation: &'static str,
    build: fn(&Modifiers<'_>) -> Asynchronous,
) -> Form<Asynchronous> {
    Form::row(pattern, Class::Control, equation, &[], &[], build)
}
