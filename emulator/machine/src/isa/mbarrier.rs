//! Barriers in shared memory (mbarriers), and copies that arrive at them.

use super::form::{Form, Modifiers};

/// An instruction at an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    pub(crate) action: MbarrierAction,
    /// Whether the address is generic.
    pub(crate) generic: bool,
    /// Whether it has acquire or release semantics, which is the default.
    pub(crate) orders: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MbarrierAction {
    /// Initializes the barrier for a number of arrivals.
    Initialize,
    /// Invalidates the barrier.
    Invalidate,
    /// Expects more bytes.
    Expect,
    Arrive(Arrival),
    /// Arrives when the lane's copies have completed. If `adds`, the barrier first expects one more arrival.
    ArriveAfterCopies {
        adds: bool,
    },
    /// Tests whether a phase is complete, given a state or a parity. If `waits`, the thread may be suspended until then.
    Test {
        parity: bool,
        waits: bool,
    },
}

impl Mbarrier {
    /// Returns whether a loop with this instruction may be a spin loop.
    pub(crate) fn polls(self) -> bool {
        matches!(self.action, MbarrierAction::Test { .. })
    }
}

/// The modifiers of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Whether it expects bytes before it arrives once.
    pub(crate) expects: bool,
    /// Whether the thread drops out of later phases.
    pub(crate) drops: bool,
    /// Whether it must not complete the phase.
    pub(crate) no_complete: bool,
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Mbarrier>] = &[
    Form::control("mbarrier.init[.shared|.shared::cta].b64", "initialize the barrier at a for b arrivals", |m| {
        mbarrier(m, MbarrierAction::Initialize)
    }),
    Form::control("mbarrier.inval[.shared|.shared::cta].b64", "invalidate the barrier at a", |m| {
        mbarrier(m, MbarrierAction::Invalidate)
    }),
    Form::control(
        "mbarrier.expect_tx[.relaxed][.cta|.cluster][.shared|.shared::cta|.shared::cluster].b64",
        "expect b more bytes at the barrier at a",
        |m| mbarrier(m, MbarrierAction::Expect),
    ),
    Form::control(
        "mbarrier.{arrive|arrive_drop}[.expect_tx|.noComplete][.release|.relaxed][.cta|.cluster][.shared|.shared::cta|.shared::cluster].b64",
        "d = state; b threads arrive at the barrier at a, or one thread arrives and expects b bytes",
        |m| mbarrier(m, MbarrierAction::Arrive(arrival(m))),
    ),
    Form::control(
        "mbarrier.{test_wait|try_wait}[.parity][.acquire|.relaxed][.cta|.cluster][.shared|.shared::cta].b64",
        "p = whether the phase of state b, or of parity b, is complete at the barrier at a",
        |m| mbarrier(m, MbarrierAction::Test { parity: m.has("parity"), waits: m.has("try_wait") }),
    ),
    Form::control(
        "cp.async.mbarrier.arrive[.noinc][.shared|.shared::cta].b64",
        "arrive at the barrier at a when the lane's copies have completed",
        |m| mbarrier(m, MbarrierAction::ArriveAfterCopies { adds: !m.has("noinc") }),
    ),
];

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
