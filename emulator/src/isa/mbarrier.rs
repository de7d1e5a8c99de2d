//! Barriers in shared memory, and the copies that arrive at them.

use super::class::Class;
use super::form::{Form, Modifiers};

/// What an instruction does with a barrier in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    pub(crate) action: MbarrierAction,
    /// Whether the address is generic.
    pub(crate) generic: bool,
    /// Whether it orders the accesses of its thread: by acquire or release, as those do that name nothing.
    pub(crate) orders: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MbarrierAction {
    /// Makes it a barrier for a number of arrivals.
    Initialise,
    /// Ends its life.
    Invalidate,
    /// Expects that many more bytes.
    Expect,
    Arrive(Arrival),
    /// Arrives when the copies of the lane have landed. One that `adds` is an arrival more than the barrier is for.
    ArriveAfterCopies {
        adds: bool,
    },
    /// Tells whether a phase is over, by a state or by its parity. One that `waits` lets others go first.
    Test {
        parity: bool,
        waits: bool,
    },
}

impl Mbarrier {
    /// Whether a loop with it may wait for another thread.
    pub(crate) fn polls(self) -> bool {
        matches!(self.action, MbarrierAction::Test { .. })
    }
}

/// How a thread arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// It expects bytes first, and arrives once.
    pub(crate) expects: bool,
    /// It takes no part in later phases.
    pub(crate) drops: bool,
    /// It must not end the phase.
    pub(crate) no_complete: bool,
}

/// Rows of the table.
pub(crate) const FORMS: &[Form<Mbarrier>] = &[
    row("mbarrier.init[.shared|.shared::cta].b64", "barrier at a = one for b arrivals", |m| {
        mbarrier(m, MbarrierAction::Initialise)
    }),
    row("mbarrier.inval[.shared|.shared::cta].b64", "barrier at a is none any more", |m| {
        mbarrier(m, MbarrierAction::Invalidate)
    }),
    row(
        "mbarrier.expect_tx[.relaxed][.cta|.cluster][.shared|.shared::cta|.shared::cluster].b64",
        "barrier at a expects b more bytes",
        |m| mbarrier(m, MbarrierAction::Expect),
    ),
    row(
        "mbarrier.{arrive|arrive_drop}[.expect_tx|.noComplete][.release|.relaxed][.cta|.cluster][.shared|.shared::cta|.shared::cluster].b64",
        "d = state; b threads arrive at the barrier at a, or one that expects b bytes",
        |m| mbarrier(m, MbarrierAction::Arrive(arrival(m))),
    ),
    row(
        "mbarrier.{test_wait|try_wait}[.parity][.acquire|.relaxed][.cta|.cluster][.shared|.shared::cta].b64",
        "p = the phase of state b, or of parity b, is over at the barrier at a",
        |m| mbarrier(m, MbarrierAction::Test { parity: m.has("parity"), waits: m.has("try_wait") }),
    ),
    row(
        "cp.async.mbarrier.arrive[.noinc][.shared|.shared::cta].b64",
        "arrive at the barrier at a once the copies have landed",
        |m| mbarrier(m, MbarrierAction::ArriveAfterCopies { adds: !m.has("noinc") }),
    ),
];

const fn row(pattern: &'static str, equation: &'static str, build: fn(&Modifiers<'_>) -> Mbarrier) -> Form<Mbarrier> {
    Form::row(pattern, Class::Control, equation, &[], &[], build)
}

fn mbarrier(modifiers: &Modifiers<'_>, action: MbarrierAction) -> Mbarrier {
    let generic = !modifiers.0.iter().any(|name| name.starts_with("shared"));
    Mbarrier { action, generic, orders: !modifiers.has("relaxed") }
}

fn arrival(modifiers: &Modifiers<'_>) -> Arrival {
    Arrival {
        expects: modifiers.has("expect_tx"),
        drops: modifiers.has("arrive_drop"),
        no_complete: modifiers.has("noComplete"),
    }
}
