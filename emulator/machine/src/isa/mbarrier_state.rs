//! The 64 bits of an mbarrier, which are opaque in PTX. The emulator uses this layout, lowest bits first:
//!
//! | bits | contents |
//! |---|---|
//! | 0–19 | pending arrivals of the current phase |
//! | 20–39 | expected arrivals of each phase |
//! | 40–60 | pending bytes, in two's complement: negative if bytes have arrived before they were expected |
//! | 61–62 | 01, so that neither zeros nor ones are a valid barrier |
//! | 63 | parity of the current phase |
//!
//! A phase is complete when it has no pending arrivals and no pending bytes. The next phase starts immediately.

/// The maximum number of arrivals, and of bytes with either sign.
const MAX_COUNT: i64 = (1 << 20) - 1;

const MARK: u64 = 0b01 << 61;
const MARKED: u64 = 0b11 << 61;

/// The state of an mbarrier: its word in memory, or a copy in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(u64);

/// The reason why an operation on a barrier is invalid.
pub(crate) type Wrong = &'static str;

impl State {
    /// Returns a barrier for `arrivals` arrivals per phase.
    pub(crate) fn new(arrivals: u32) -> Result<Self, Wrong> {
        match i64::from(arrivals) {
            1..=MAX_COUNT => Ok(Self::from_parts(arrivals, arrivals, 0, false)),
            _ => Err("the number of arrivals must be 1 to 1048575"),
        }
    }

    /// Returns the state in a register, which may be any bits.
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the barrier in memory. Fails if there is none.
    pub(crate) fn in_memory(bits: u64) -> Result<Self, Wrong> {
        if bits & MARKED == MARK { Ok(Self(bits)) } else { Err("not an initialized barrier") }
    }

    fn from_parts(pending: u32, arrivals: u32, bytes: i64, parity: bool) -> Self {
        let bytes = bytes as u64 & 0x1F_FFFF;
        Self(u64::from(parity) << 63 | MARK | bytes << 40 | u64::from(arrivals) << 20 | u64::from(pending))
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Returns the number of pending arrivals.
    pub(crate) fn pending(self) -> u32 {
        (self.0 & MAX_COUNT as u64) as u32
    }

    fn arrivals(self) -> u32 {
        (self.0 >> 20 & MAX_COUNT as u64) as u32
    }

    /// Returns the number of pending bytes. It is negative if bytes have arrived before they were expected.
    pub(crate) fn bytes(self) -> i64 {
        (self.0 << 3) as i64 >> 43
    }

    /// Returns whether the number of the current phase, counted from 0, is odd.
    pub(crate) fn parity(self) -> bool {
        self.0 >> 63 != 0
    }

    /// Adds to the pending bytes. Bytes that arrive are negative.
    pub(crate) fn expecting(self, more: i64) -> Result<Self, Wrong> {
        let bytes = self.bytes() + more;
        match bytes.abs() {
            0..=MAX_COUNT => Ok(Self::from_parts(self.pending(), self.arrivals(), bytes, self.parity())),
            _ => Err("a barrier can track at most 1048575 bytes"),
        }
    }

    /// Expects one more arrival in this phase only.
    pub(crate) fn with_one_more(self) -> Result<Self, Wrong> {
        match i64::from(self.pending()) + 1 {
            pending @ ..=MAX_COUNT => {
                Ok(Self::from_parts(pending as u32, self.arrivals(), self.bytes(), self.parity()))
            }
            _ => Err("the number of arrivals must be 1 to 1048575"),
        }
    }

    /// Expects fewer arrivals in later phases.
    pub(crate) fn without(self, count: u32) -> Result<Self, Wrong> {
        let arrivals = self.arrivals().checked_sub(count).ok_or("more threads drop out than participate")?;
        Ok(Self::from_parts(self.pending(), arrivals, self.bytes(), self.parity()))
    }

    /// Makes `count` threads arrive.
    pub(crate) fn arrive(self, count: u32) -> Result<Self, Wrong> {
        match self.pending().checked_sub(count) {
            Some(pending) if count > 0 => Ok(Self::from_parts(pending, self.arrivals(), self.bytes(), self.parity())),
            Some(_) => Err("the number of arriving threads is 0"),
            None => Err("more threads arrive than are pending"),
        }
    }

    /// Starts the next phase if this one is complete. Returns whether it is.
    pub(crate) fn settle(self) -> (Self, bool) {
        if self.pending() == 0 && self.bytes() == 0 {
            (Self::from_parts(self.arrivals(), self.arrivals(), 0, !self.parity()), true)
        } else {
            (self, false)
        }
    }
}
