//! Vector clocks: what is over, by lines of work.

/// A piece of work: its line, and its number there, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch {
    pub(super) line: usize,
    pub(super) number: u64,
}

/// Of each line, how many pieces of work are over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Vec<u64>);

impl Clock {
    fn of(&self, line: usize) -> u64 {
        self.0.get(line).copied().unwrap_or(0)
    }

    /// Whether a piece of work is over.
    pub(super) fn covers(&self, epoch: Epoch) -> bool {
        self.of(epoch.line) >= epoch.number
    }

    /// Whether all that is over for the other is over here.
    pub(super) fn includes(&self, other: &Self) -> bool {
        other.0.iter().enumerate().all(|(line, &number)| self.of(line) >= number)
    }

    pub(super) fn add(&mut self, epoch: Epoch) {
        if self.0.len() <= epoch.line {
            self.0.resize(epoch.line + 1, 0);
        }
        self.0[epoch.line] = self.0[epoch.line].max(epoch.number);
    }

    pub(crate) fn join(&mut self, other: &Self) {
        other.0.iter().enumerate().for_each(|(line, &number)| self.add(Epoch { line, number }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_covers_what_it_was_told_and_nothing_after_it() {
        let (mut one, mut two) = (Clock::default(), Clock::default());
        one.add(Epoch { line: 3, number: 5 });
        two.add(Epoch { line: 0, number: 1 });
        assert!(one.covers(Epoch { line: 3, number: 5 }) && !one.covers(Epoch { line: 3, number: 6 }));
        assert!(!one.covers(Epoch { line: 9, number: 1 }) && !one.includes(&two));
        one.join(&two);
        assert!(one.includes(&two) && !two.includes(&one));
    }
}
