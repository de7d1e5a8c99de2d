//! Deadlock detection: finds cycles of ranks that wait for each other, and ranks that make no progress.
//!
//! A rank whose calls are stalled polls the activity of all other ranks. A rank waits for everything that its calls need, so a
//! cycle of waits is a deadlock if it is stable: no rank of the cycle has made progress between two answers, and each had
//! processed everything that had arrived.

use super::work::Work;
use crate::call::{Call, Operation};
use crate::communicator::Communicator;
use crate::network::{Activity, Message};
use crate::result::{Error, NcclResult};
use crate::settings;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The initial interval between polls of the other ranks.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The interval after a while, because answers cost the processor time of a rank that computes.
const LONG_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The time after which a rank without an answer counts as unresponsive.
const RESPONSE_LIMIT: Duration = Duration::from_secs(3);

/// The minimum percentage of CPU time that a computing process gets, even if many share a core.
const MIN_CPU_PERCENT: u128 = 2;

/// The clock tick of Linux.
const CLOCK_TICK: Duration = Duration::from_millis(10);

/// The activity of each rank of a communicator, `None` for a rank that has not answered.
type Poll = Vec<Option<Activity>>;

/// The state of polling one communicator.
pub(super) struct Monitor {
    communicator: Arc<Communicator>,
    /// The latest poll and the one before.
    polls: [Poll; 2],
    /// The last answer of each rank, and its time.
    known: Vec<Option<(Instant, Activity)>>,
    /// The CPU time of each rank, at the last activity and now.
    ticks: Vec<[Option<u64>; 2]>,
}

/// The monitors of all communicators with stalled calls.
pub(super) struct Monitors {
    all: Vec<Monitor>,
    /// The last time at which bytes moved or an awaited rank computed.
    last_activity: Instant,
    /// The time of the next poll.
    next: Instant,
}

impl Monitors {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), last_activity: Instant::now(), next: Instant::now() + POLL_INTERVAL }
    }

    /// Records that bytes have moved.
    pub(super) fn record_progress(&mut self) {
        if !self.all.is_empty() {
            self.all.drain(..).for_each(|monitor| monitor.communicator.health.go_on());
        }
        (self.last_activity, self.next) = (Instant::now(), Instant::now() + POLL_INTERVAL);
    }

    /// Polls the other ranks from time to time while nothing can move. Fails for a deadlock, and if no awaited rank has computed
    /// for the time `limit`.
    pub(super) fn poll(&mut self, active: &[Work], limit: Duration) -> Result<(), Error> {
        if Instant::now() < self.next {
            return Ok(());
        }
        let waited = self.last_activity.elapsed();
        self.next = Instant::now() + if waited < 2 * LONG_POLL_INTERVAL { POLL_INTERVAL } else { LONG_POLL_INTERVAL };
        for work in active {
            let communicator = &work.request.communicator;
            if !self.all.iter().any(|monitor| Arc::ptr_eq(&monitor.communicator, communicator)) {
                self.all.push(Monitor::new(communicator));
            }
        }
        let mut active_peer = false;
        for monitor in &mut self.all {
            monitor.exchange(active);
            monitor.cycle().map_or(Ok(()), Err)?;
            active_peer |= monitor.computes(active, waited);
        }
        if active_peer {
            self.last_activity = Instant::now();
            self.all.iter_mut().flat_map(|monitor| &mut monitor.ticks).for_each(|ticks| ticks[0] = ticks[1]);
        }
        if active_peer || waited < limit { Ok(()) } else { Err(self.late(active, limit)) }
    }

    /// Returns the error for calls that have exceeded the time limit.
    fn late(&self, active: &[Work], limit: Duration) -> Error {
        let waits = active.iter().map(|work| {
            let own = &work.request.communicator;
            let monitor = self.all.iter().find(|monitor| Arc::ptr_eq(&monitor.communicator, own));
            let doing = |peer: usize| {
                let activity = monitor.and_then(|monitor| {
                    monitor.known[peer].as_ref().filter(|(time, _)| time.elapsed() < RESPONSE_LIMIT)
                });
                format!("rank {peer}, which {}", doing(activity))
            };
            let peers: Vec<_> = work.waits().into_iter().map(doing).collect();
            format!("rank {} in {} waits for {}", own.rank, work.call, peers.join(", and for "))
        });
        let limit = settings::timeout_text(limit);
        let waits = waits.collect::<Vec<_>>().join("; ");
        let together = active.iter().any(|work| work.request.communicator.together);
        let advice = if together { ": put the calls of ranks of one thread into one group" } else { "" };
        NcclResult::REMOTE_ERROR.because(format!("nothing has moved for {limit}: {waits}{advice}"))
    }
}

/// Returns the activity of a rank as the end of a sentence.
fn doing(known: Option<&(Instant, Activity)>) -> String {
    match known.map(|(_, activity)| activity) {
        None => "does not answer".into(),
        Some(Activity { inside: true, last: Some(call), .. }) => format!("is in {call}"),
        Some(Activity { last: Some(call), .. }) => format!("is in no call; its last was {call}"),
        Some(Activity { last: None, .. }) => "has called nothing on this communicator".into(),
    }
}

impl Monitor {
    fn new(communicator: &Arc<Communicator>) -> Self {
        let none = || vec![None; communicator.world];
        let ticks = vec![[None; 2]; communicator.world];
        Self {
            communicator: Arc::clone(communicator),
            polls: [none(), none()],
            known: vec![None; communicator.world],
            ticks,
        }
    }

    /// Publishes the waits of this rank's calls, takes the answers to the last poll, and sends the next questions.
    fn exchange(&mut self, active: &[Work]) {
        let own = &self.communicator;
        let mut poll = vec![None; own.world];
        for (peer, link) in own.peers() {
            poll[peer] = link.inbox().answer.take();
            if let Some(activity) = &poll[peer] {
                let now = activity.processor_ticks;
                self.known[peer] = Some((Instant::now(), activity.clone()));
                self.ticks[peer] = [self.ticks[peer][0].or(Some(now)), Some(now)];
            }
        }
        let calls = active.iter().filter(|work| Arc::ptr_eq(&work.request.communicator, own));
        let waits = calls.flat_map(|work| work.waits().into_iter().map(|peer| (peer, work.call))).collect();
        own.health.record_stall(waits);
        poll[own.rank] = Some(own.health.activity());
        own.peers().for_each(|(_, link)| link.say(&Message::Question));
        self.polls.swap(0, 1);
        self.polls[0] = poll;
    }

    /// Returns the waits of a rank if it has made no progress between the last two polls, and nothing otherwise.
    fn waits(&self, rank: usize) -> &[(usize, Call)] {
        match (&self.polls[0][rank], &self.polls[1][rank]) {
            (Some(now), Some(before)) if now.steps == before.steps && now.waits == before.waits => &now.waits,
            _ => &[],
        }
    }

    /// Returns whether an awaited rank has computed in the `time` since the last activity.
    fn computes(&self, active: &[Work], time: Duration) -> bool {
        let enough = (time.as_millis() * MIN_CPU_PERCENT / (100 * CLOCK_TICK.as_millis())).max(2) as u64;
        let ours = active.iter().filter(|work| Arc::ptr_eq(&work.request.communicator, &self.communicator));
        ours.flat_map(Work::waits).any(|peer| match self.ticks[peer] {
            [Some(before), Some(now)] => now >= before + enough,
            _ => false,
        })
    }

    /// Returns the error for a deadlock that this rank is part of or waits for.
    fn cycle(&self) -> Option<Error> {
        let mut path = vec![(self.communicator.rank, None)];
        let cycle = self.follow(&mut path)?;
        let calls = cycle.iter().map(|(rank, call, next)| format!("rank {rank} in {call} waits for rank {next}"));
        let calls: Vec<_> = calls.collect();
        let sends = cycle.iter().any(|(_, call, _)| matches!(call.operation, Operation::Send { .. }));
        let others = cycle
            .iter()
            .all(|(_, call, _)| matches!(call.operation, Operation::Send { .. } | Operation::Receive { .. }));
        let advice = match (sends, others) {
            (true, true) => ": put a rank's sends and receives into one group (ncclGroupStart, ncclGroupEnd)",
            (false, true) => ": no rank sends",
            _ => ": all ranks must make the same calls in the same order",
        };
        Some(NcclResult::INVALID_USAGE.because(format!("deadlock: {}{advice}", calls.join("; "))))
    }

    /// Follows the waits from the end of `path`. Returns the cycle that they lead to, from its lowest rank on.
    fn follow(&self, path: &mut Vec<(usize, Option<Call>)>) -> Option<Vec<(usize, Call, usize)>> {
        let &(rank, _) = path.last()?;
        for &(next, call) in self.waits(rank) {
            path.last_mut()?.1 = Some(call);
            if let Some(start) = path.iter().position(|(before, _)| *before == next) {
                let mut ranks: Vec<_> = path[start..].iter().map(|(rank, call)| (*rank, *call)).collect();
                let least = (0..ranks.len()).min_by_key(|index| ranks[*index].0)?;
                ranks.rotate_left(least);
                let nexts: Vec<_> = (0..ranks.len()).map(|index| ranks[(index + 1) % ranks.len()].0).collect();
                return ranks.into_iter().zip(nexts).map(|((rank, call), next)| Some((rank, call?, next))).collect();
            }
            path.push((next, None));
            if let Some(cycle) = self.follow(path) {
                return Some(cycle);
            }
            path.pop();
        }
        None
    }
}
