//! Lines of work, on each of which one piece comes after the other, and what orders those of different lines.
//!
//! A line is a stream, or a branch of a graph that is ready to be launched. What the host has waited for comes before all
//! that is given afterwards, by whichever thread: how threads of the host tell each other cannot be seen.

use super::clock::{Clock, Epoch};
use crate::state::capture::Queue;
use std::collections::HashMap;

/// Lines from which on those are forgotten whose work the host has waited for.
const MANY: usize = 64;

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Line {
    /// A stream.
    Stream(Queue),
    /// A branch of the executable graph with that number.
    Branch {
        /// The graph.
        executable: usize,
        /// Which of its branches.
        branch: usize,
    },
}

/// How a line goes with the legacy stream of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It is the legacy stream, and waits for all that are blocking.
    Legacy,
    /// It waits for the legacy stream.
    Blocking,
    /// It does not.
    NonBlocking,
    /// It is part of a graph, which has waited for what its stream waits for.
    Branch,
}

/// Where work is given to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) line: Line,
    pub(crate) manner: Manner,
    /// Number of the context's handle.
    pub(crate) context: usize,
}

#[derive(Debug)]
struct State {
    site: Site,
    /// What is over before the next piece of work begins.
    clock: Clock,
    /// Pieces of work; it goes on when another line takes this place.
    count: u64,
}

/// All lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    places: HashMap<Line, usize>,
    states: Vec<State>,
    free: Vec<usize>,
    host: Clock,
    /// What comes before all work of a context from now on.
    floors: HashMap<usize, Clock>,
}

impl Lines {
    fn place(&mut self, site: &Site) -> usize {
        if let Some(&place) = self.places.get(&site.line) {
            return place;
        }
        let place = self.free.pop().unwrap_or(self.states.len());
        if place == self.states.len() {
            self.states.push(State { site: *site, clock: Clock::default(), count: 0 });
        }
        let state = &mut self.states[place];
        (state.site, state.clock) = (*site, Clock::default());
        self.places.insert(site.line, place);
        place
    }

    fn living(&self) -> impl Iterator<Item = &State> {
        self.places.values().map(|&place| &self.states[place])
    }

    /// What the lines of a context have been given that fit.
    fn given(&self, context: usize, fits: impl Fn(Manner) -> bool) -> Clock {
        let lines = self.living().filter(|state| state.site.context == context && fits(state.site.manner));
        lines.fold(Clock::default(), |mut all, state| {
            all.join(&state.clock);
            all
        })
    }

    /// Returns what is over when the line's next piece of work begins.
    pub(super) fn arrive(&mut self, site: &Site) -> Clock {
        let place = self.place(site);
        let mut clock = std::mem::take(&mut self.states[place].clock);
        if site.manner != Manner::Branch {
            clock.join(&self.host);
            self.floors.get(&site.context).into_iter().for_each(|floor| clock.join(floor));
        }
        match site.manner {
            Manner::Legacy => clock.join(&self.given(site.context, |manner| manner == Manner::Blocking)),
            Manner::Blocking => clock.join(&self.given(site.context, |manner| manner == Manner::Legacy)),
            Manner::NonBlocking | Manner::Branch => {}
        }
        self.states[place].clock.clone_from(&clock);
        clock
    }

    /// The line does a piece of work. Returns which, and what is over when it begins.
    pub(super) fn work(&mut self, site: &Site) -> (Epoch, Clock) {
        let start = self.arrive(site);
        let line = self.place(site);
        let state = &mut self.states[line];
        state.count += 1;
        let epoch = Epoch { line, number: state.count };
        state.clock.add(epoch);
        (epoch, start)
    }

    /// The line waits.
    pub(super) fn wait(&mut self, site: &Site, clock: &Clock) {
        self.arrive(site);
        let place = self.place(site);
        self.states[place].clock.join(clock);
    }

    /// The line waits for all that a context was given.
    pub(super) fn wait_for_context(&mut self, site: &Site, context: usize) {
        let clock = self.given(context, |_| true);
        self.wait(site, &clock);
    }

    /// What a context is given from now on waits for the line.
    pub(super) fn hold_context(&mut self, site: &Site, context: usize) {
        let clock = self.arrive(site);
        self.floors.entry(context).or_default().join(&clock);
    }

    /// The host waits.
    pub(super) fn host_waits(&mut self, clock: &Clock) {
        self.host.join(clock);
    }

    /// The host waits for all that a context was given.
    pub(super) fn host_waits_for_context(&mut self, context: usize) {
        let clock = self.given(context, |_| true);
        self.host.join(&clock);
    }

    pub(super) fn host(&self) -> &Clock {
        &self.host
    }

    /// Whether the host has waited for all work.
    pub(super) fn all_is_over(&self) -> bool {
        self.living().all(|state| self.host.includes(&state.clock))
    }

    /// Forgets lines that know nothing that the host does not, where there are many.
    pub(super) fn collect(&mut self) {
        if self.places.len() < MANY {
            return;
        }
        self.forget(|state, host| host.includes(&state.clock));
        self.floors.retain(|_, floor| !self.host.includes(floor));
    }

    /// A context ends, when all that it was given is over.
    pub(super) fn end_context(&mut self, context: usize) {
        self.host_waits_for_context(context);
        self.forget(|state, _| state.site.context == context);
        self.floors.remove(&context);
    }

    /// Forgets lines, whose places others may take.
    fn forget(&mut self, fits: impl Fn(&State, &Clock) -> bool) {
        let (states, host, free) = (&self.states, &self.host, &mut self.free);
        self.places.retain(|_, &mut place| {
            let goes = fits(&states[place], host);
            if goes {
                free.push(place);
            }
            !goes
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that does not wait for others, of context 1.
    fn stream(number: usize) -> Site {
        let line = Line::Branch { executable: number, branch: 0 };
        Site { line, manner: Manner::NonBlocking, context: 1 }
    }

    #[test]
    fn a_line_is_ordered_with_itself_and_with_what_it_waits_for() {
        let mut lines = Lines::default();
        let (first, start) = lines.work(&stream(1));
        assert!(!start.covers(first));
        assert!(lines.work(&stream(1)).1.covers(first) && !lines.work(&stream(2)).1.covers(first));
        let mark = lines.arrive(&stream(1));
        lines.wait(&stream(2), &mark);
        assert!(lines.work(&stream(2)).1.covers(first) && !lines.work(&stream(3)).1.covers(first));
        lines.host_waits_for_context(1);
        assert!(lines.all_is_over() && lines.work(&stream(3)).1.covers(first));
    }

    #[test]
    fn many_lines_that_the_host_has_waited_for_take_each_others_places() {
        let mut lines = Lines::default();
        for number in 0..10 * MANY {
            lines.work(&stream(number));
            lines.host_waits_for_context(1);
            lines.collect();
        }
        assert!(lines.states.len() <= MANY, "{}", lines.states.len());
    }

    #[test]
    fn a_line_stays_that_waits_for_what_the_host_does_not_know() {
        for waits in [true, false] {
            let mut lines = Lines::default();
            let (work, _) = lines.work(&stream(0));
            let mark = lines.arrive(&stream(0));
            if waits {
                lines.wait(&stream(1), &mark);
            }
            (2..2 * MANY).for_each(|number| drop(lines.work(&stream(number))));
            (2..2 * MANY).map(&stream).for_each(|site| {
                let clock = lines.arrive(&site);
                lines.host_waits(&clock);
            });
            lines.collect();
            assert_eq!(lines.work(&stream(1)).1.covers(work), waits);
        }
    }

    #[test]
    fn copies_of_contexts_come_after_all_and_before_all() {
        let mut lines = Lines::default();
        let other = Site { context: 2, ..stream(9) };
        let (first, _) = lines.work(&stream(1));
        lines.wait_for_context(&other, 1);
        let (copy, start) = lines.work(&other);
        lines.hold_context(&other, 1);
        assert!(start.covers(first));
        assert!(lines.work(&stream(5)).1.covers(copy) && !lines.work(&Site { context: 3, ..stream(6) }).1.covers(copy));
    }
}
