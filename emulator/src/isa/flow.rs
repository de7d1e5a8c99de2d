//! Where a thread goes on, and what it waits for without others.

use super::class::Class;
use super::form::{Form, Modifiers};

/// What an instruction does to the flow of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Branch,
    Call,
    /// Leaves the function; at the top, the kernel.
    Return,
    Exit,
    Trap,
    /// Orders memory accesses for the device; they are in order here.
    Fence,
    /// Changes nothing here: sleeps, prefetches, fences for the block.
    Nothing,
}

/// Rows of the table.
pub(crate) const FORMS: &[Form<Flow>] = &[
    row("bra[.uni]", "go on at the label", |_| Flow::Branch),
    row("call[.uni]", "run the function, then go on", |_| Flow::Call),
    row("ret[.uni]", "leave the function", |_| Flow::Return),
    row("exit", "end the thread", |_| Flow::Exit),
    row("trap", "stop the launch with an error", |_| Flow::Trap),
    row("membar.{cta|gl|sys}", "order memory accesses", fence),
    row("fence[.sc|.acq_rel|.acquire|.release].{cta|cluster|gpu|sys}", "order memory accesses", fence),
    row("nanosleep.u32", "wait about a nanoseconds", |_| Flow::Nothing),
    hint("prefetch[.global|.local].{L1|L2}", "bring memory at a nearer"),
    row("fence.proxy.async[.global|.shared::cta|.shared::cluster]", "order accesses and bulk copies", |_| {
        Flow::Nothing
    }),
    row("fence.mbarrier_init.release.cluster", "order the begin of barriers", |_| Flow::Nothing),
    hint("cp.async.bulk.prefetch.L2.global", "bring b bytes of memory at a nearer"),
    hint("prefetchu.L1", "bring memory at a nearer"),
];

const fn row(pattern: &'static str, equation: &'static str, build: fn(&Modifiers<'_>) -> Flow) -> Form<Flow> {
    Form::row(pattern, Class::Control, equation, &[], &[], build)
}

/// A hint about memory.
const fn hint(pattern: &'static str, equation: &'static str) -> Form<Flow> {
    Form::row(pattern, Class::Memory, equation, &[], &[], |_| Flow::Nothing)
}

fn fence(modifiers: &Modifiers<'_>) -> Flow {
    if modifiers.has("cta") { Flow::Nothing } else { Flow::Fence }
}
