//! Barriers of a block.

use super::class::Class;
use super::form::{Form, Modifiers};
use crate::vector::registers::OperandKind::{self, Narrow, Predicate};

/// How the predicates of all threads are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poll {
    /// To the number of threads whose predicate is true.
    Count,
    All,
    Any,
}

/// An instruction at a barrier of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// Waits for the threads of the block. If `aligned`, all lanes of a warp must execute it together.
    Wait { aligned: bool },
    /// Arrives without waiting.
    Arrive,
    /// Waits, and combines the predicates of all threads.
    Poll(Poll),
}

/// The sources: the number of the barrier, and the number of threads.
const WAIT: &[OperandKind] = &[Narrow, Narrow];
const POLL: &[OperandKind] = &[Narrow, Narrow, Predicate];

/// The rows of the table.
pub(crate) const FORMS: &[Form<Barrier>] = &[
    wait("bar[.cta].sync", |_| Barrier::Wait { aligned: true }),
    wait("barrier[.cta].sync[.aligned]", |m| Barrier::Wait { aligned: m.has("aligned") }),
    arrive("bar[.cta].arrive"),
    arrive("barrier[.cta].arrive[.aligned]"),
    count("bar[.cta].red.popc.u32"),
    count("barrier[.cta].red.popc[.aligned].u32"),
    all_or_any("bar[.cta].red.{and|or}.pred"),
    all_or_any("barrier[.cta].red.{and|or}[.aligned].pred"),
];

const fn wait(pattern: &'static str, build: fn(&Modifiers<'_>) -> Barrier) -> Form<Barrier> {
    Form::row(pattern, Class::Control, "wait at barrier a for b threads, or for all", &[], WAIT, build)
}

const fn arrive(pattern: &'static str) -> Form<Barrier> {
    Form::row(pattern, Class::Control, "arrive at barrier a of b threads", &[], WAIT, |_| Barrier::Arrive)
}

const fn count(pattern: &'static str) -> Form<Barrier> {
    Form::row(pattern, Class::Control, "d = number of threads whose c is true", &[Narrow], POLL, |_| {
        Barrier::Poll(Poll::Count)
    })
}

const fn all_or_any(pattern: &'static str) -> Form<Barrier> {
    Form::row(pattern, Class::Control, "p = whether c is true for all threads, or for any", &[Predicate], POLL, |m| {
        Barrier::Poll(if m.has("and") { Poll::All } else { Poll::Any })
    })
}
