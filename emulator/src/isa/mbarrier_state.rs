//! The 64 bits of a barrier in shared memory. PTX calls them opaque; here they are, from the lowest:
//!
//! | bits | |
//! |---|---|
//! | 0–19 | arrivals that the phase at hand has left |
//! | 20–39 | arrivals of each phase |
//! | 40–60 | bytes that the phase waits for, in two's complement: they may land before they are expected |
//! | 61–62 | 01: fresh and cleared memory is no barrier |
//! | 63 | parity of the phase |
//!
//! A phase ends when it has no arrivals left and waits for no bytes; the next one begins at once.

/// Arrivals, and bytes either way, at most.
const MOST: i64 = (1 << 20) - 1;

const MARK: u64 = 0b01 << 61;
const MARKED: u64 = 0b11 << 61;

/// A barrier in shared memory, or a copy of it from before an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(u64);

/// Why an operation on a barrier has no meaning.
pub(crate) type Wrong = &'static str;

impl State {
    /// A barrier for this number of arrivals a phase.
    pub(crate) fn new(arrivals: u32) -> Result<Self, Wrong> {
        match i64::from(arrivals) {
            1..=MOST => Ok(Self::of(arrivals, arrivals, 0, false)),
            _ => Err("a barrier is for 1 to 1048575 arrivals"),
        }
    }

    /// Any bits, as a state that a kernel has in a register.
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The barrier that memory holds.
    pub(crate) fn in_memory(bits: u64) -> Result<Self, Wrong> {
        if bits & MARKED == MARK { Ok(Self(bits)) } else { Err("no barrier is initialized there") }
    }

    fn of(pending: u32, arrivals: u32, bytes: i64, parity: bool) -> Self {
        let bytes = bytes as u64 & 0x1F_FFFF;
        Self(u64::from(parity) << 63 | MARK | bytes << 40 | u64::from(arrivals) << 20 | u64::from(pending))
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Arrivals that the phase has left.
    pub(crate) fn pending(self) -> u32 {
        (self.0 & MOST as u64) as u32
    }

    fn arrivals(self) -> u32 {
        (self.0 >> 20 & MOST as u64) as u32
    }

    /// Bytes that the phase waits for; negative where they have landed before they were expected.
    pub(crate) fn bytes(self) -> i64 {
        (self.0 << 3) as i64 >> 43
    }

    /// Whether the phase has an odd number, counted from 0.
    pub(crate) fn parity(self) -> bool {
        self.0 >> 63 != 0
    }

    /// Waits for more bytes, or fewer where some have landed.
    pub(crate) fn expecting(self, more: i64) -> Result<Self, Wrong> {
        let bytes = self.bytes() + more;
        match bytes.abs() {
            0..=MOST => Ok(Self::of(self.pending(), self.arrivals(), bytes, self.parity())),
            _ => Err("a barrier waits for 1048575 bytes at most"),
        }
    }

    /// One arrival more in this phase alone.
    pub(crate) fn with_one_more(self) -> Result<Self, Wrong> {
        match i64::from(self.pending()) + 1 {
            pending @ ..=MOST => Ok(Self::of(pending as u32, self.arrivals(), self.bytes(), self.parity())),
            _ => Err("a barrier is for 1 to 1048575 arrivals"),
        }
    }

    /// Fewer arrivals in the phases to come.
    pub(crate) fn without(self, count: u32) -> Result<Self, Wrong> {
        let arrivals = self.arrivals().checked_sub(count).ok_or("more threads leave than take part")?;
        Ok(Self::of(self.pending(), arrivals, self.bytes(), self.parity()))
    }

    /// Some of the phase's threads arrive.
    pub(crate) fn arrived(self, count: u32) -> Result<Self, Wrong> {
        match self.pending().checked_sub(count) {
            Some(pending) if count > 0 => Ok(Self::of(pending, self.arrivals(), self.bytes(), self.parity())),
            Some(_) => Err("no thread arrives"),
            None => Err("more threads arrive than the phase has left"),
        }
    }

    /// Begins the next phase if this one is over; whether it is.
    pub(crate) fn settled(self) -> (Self, bool) {
        if self.pending() == 0 && self.bytes() == 0 {
            (Self::of(self.arrivals(), self.arrivals(), 0, !self.parity()), true)
        } else {
            (self, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_the_last_arrival_and_the_last_byte() {
        let state = State::new(2).unwrap();
        assert_eq!((state.pending(), state.parity()), (2, false));
        let (state, over) = state.expecting(48).unwrap().arrived(1).unwrap().settled();
        assert_eq!((state.pending(), over), (1, false));
        let (state, over) = state.arrived(1).unwrap().settled();
        assert_eq!((state.pending(), over), (0, false), "48 bytes are missing");
        let (state, over) = state.expecting(-48).unwrap().settled();
        assert_eq!((state.pending(), over, state.parity()), (2, true, true));
        assert_eq!(state.arrived(2).unwrap().settled(), (State::new(2).unwrap(), true), "parity is even again");
    }

    #[test]
    fn bytes_may_land_before_they_are_expected() {
        let state = State::new(1).unwrap().expecting(-16).unwrap();
        assert_eq!(state.bytes(), -16);
        let (state, over) = state.expecting(16).unwrap().arrived(1).unwrap().settled();
        assert!(over && state.parity());
    }

    #[test]
    fn threads_leave_for_good() {
        let (state, over) = State::new(3).unwrap().without(1).unwrap().arrived(3).unwrap().settled();
        assert_eq!((state.pending(), over), (2, true));
        assert!(state.without(3).is_err());
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert!(State::new(0).is_err() && State::new(1 << 20).is_err() && State::new((1 << 20) - 1).is_ok());
        let state = State::new(1).unwrap();
        assert!(state.arrived(2).is_err() && state.arrived(0).is_err());
        assert!(state.expecting(1 << 20).is_err() && state.expecting(-MOST - 1).is_err());
        assert!(State::in_memory(0).is_err() && State::in_memory(u64::MAX).is_err());
        assert_eq!(State::in_memory(state.bits()), Ok(state));
    }
}
