//! Barriers of the block.

use super::class::Class;
use super::form::{Form, Modifiers};
use crate::vector::registers::OperandKind::{self, Narrow, Predicate};

/// What a predicate of all threads is combined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poll {
    /// Number of threads for which it holds.
    Count,
    All,
    Any,
}

/// What an instruction does at a barrier of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// Waits for the threads of the block. One that is `aligned` must be reached by all lanes of a warp together.
    Wait { aligned: bool },
    /// Counts as arrived and goes on.
    Arrive,
    /// Waits, and combines a predicate of all threads.
    Poll(Poll),
}

/// Number of the barrier, and its threads.
const WAIT: &[OperandKind] = &[Narrow, Narrow];
const POLL: &[OperandKind] = &[Narrow, Narrow, Predicate];

/// Rows of the table.
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
    Form::row(pattern, Class::Control, "wait at barrier a for b threads, or all", &[], WAIT, build)
}

const fn arrive(pattern: &'static str) -> Form<Barrier> {
    Form::row(pattern, Class::Control, "arrive at barrier a of b threads", &[], WAIT, |_| Barrier::Arrive)
}

const fn count(pattern: &'static str) -> Form<Barrier> {
    Form::row(pattern, Class::Control, "d = number of threads with c", &[Narrow], POLL, |_| Barrier::Poll(Poll::Count))
}

const fn all_or_any(pattern: &'static str) -> Form<Barrier> {
    Form::row(pattern, Class::Control, "p = c of all, or of any thread", &[Predicate], POLL, |m| {
        Barrier::Poll(if m.has("and") { Poll::All } else { Poll::Any })
    })
}
