//! Control flow, fences and hints.

use super::form::{Form, Modifiers};
use super::memory::Scope;

/// An instruction that affects the control flow or the memory order of a thread, or does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Branch,
    /// A branch to one of several labels.
    JumpTable,
    Call,
    /// Returns from a function, or exits from the kernel.
    Return,
    Exit,
    Trap,
    /// A memory fence. The machine is sequentially consistent, so only the checks observe it.
    Fence(Scope),
    /// A fence between accesses of threads and asynchronous operations, which only the checks observe.
    ProxyFence,
    /// An instruction without an effect in the emulator: a sleep or a prefetch.
    Nothing,
    /// A change of the number of registers per thread, which has no effect in the emulator.
    SetRegisters,
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Flow>] = &[
    Form::control("bra[.uni]", "continue at the label", |_| Flow::Branch),
    Form::control("brx.idx[.uni]", "continue at label number a of list b", |_| Flow::JumpTable),
    Form::control("call[.uni]", "call the function", |_| Flow::Call),
    Form::control("ret[.uni]", "return from the function, or end the thread", |_| Flow::Return),
    Form::control("exit", "end the thread", |_| Flow::Exit),
    Form::control("trap", "end the launch with an error", |_| Flow::Trap),
    Form::control("membar.{cta|gl|sys}", "order memory accesses", fence),
    Form::control("fence[.sc|.acq_rel|.acquire|.release].{cta|cluster|gpu|sys}", "order memory accesses", fence),
    Form::control("nanosleep.u32", "sleep for about a nanoseconds", |_| Flow::Nothing),
    hint("prefetch[.global|.local].{L1|L2}", "prefetch memory at a"),
    Form::control(
        "fence.proxy.async[.global|.shared::cta|.shared::cluster]",
        "order memory accesses and bulk copies",
        |_| Flow::ProxyFence,
    ),
    // The checks take it for a fence of all accesses.
    Form::control("fence.mbarrier_init.release.cluster", "order the initialization of barriers", |_| {
        Flow::Fence(Scope::Device)
    }),
    hint("cp.async.bulk.prefetch.L2.global", "prefetch b bytes of memory at a"),
    Form::control(
        "griddepcontrol.{launch_dependents|wait}",
        "let dependent grids begin, or wait for earlier grids",
        |_| Flow::Nothing,
    ),
    Form::control("setmaxnreg.{inc|dec}.sync.aligned.u32", "change the number of registers per thread to a", |_| {
        Flow::SetRegisters
    }),
    hint("prefetch[.const|.param].tensormap", "prefetch the tensor map at a"),
    hint("prefetchu.L1", "prefetch memory at a"),
    hint("discard[.global].L2", "allow the b bytes at a, which are then undefined, to leave the cache unwritten"),
    hint("applypriority[.global].L2::evict_normal", "give the b bytes at a the usual priority in the cache"),
];

/// Returns the row of a prefetch.
const fn hint(pattern: &'static str, equation: &'static str) -> Form<Flow> {
    Form::memory(pattern, equation, |_| Flow::Nothing)
}

fn fence(modifiers: &Modifiers<'_>) -> Flow {
    Flow::Fence(Scope::of(modifiers))
}
