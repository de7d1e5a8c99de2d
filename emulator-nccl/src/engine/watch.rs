//! Looks after calls that do not go on: is there a circle of ranks that wait for each other, and does anyone who is waited for
//! still compute?
//!
//! Who does not go on asks all ranks what they are doing, again and again. A rank waits for all that its calls need, so a circle
//! of waits is a deadlock, if it was one all the time: no rank of it has gone on between two answers, and each had used all that
//! had come.

use super::work::Work;
use crate::call::{Call, Operation};
use crate::communicator::Communicator;
use crate::network::{Activity, Message};
use crate::result::{Error, NcclResult};
use crate::settings;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the other ranks are asked at first.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// The same once they have been asked for long: answers cost time of a process that computes.
const LONG_LOOK: Duration = Duration::from_secs(1);

/// Who has not answered for so long does not answer.
const SILENT: Duration = Duration::from_secs(3);

/// Of its time a process that computes gets that many parts in a hundred at least, also where many share a core.
const COMPUTES: u128 = 2;

/// The clock tick of Linux.
const TICK: Duration = Duration::from_millis(10);

/// What the ranks of a communicator were doing, by rank; `None` for one that has not answered.
type Round = Vec<Option<Activity>>;

/// The looks at one communicator.
pub(super) struct Watch {
    communicator: Arc<Communicator>,
    /// The last answers, and those before them.
    rounds: [Round; 2],
    /// The last answer of each rank, and when it came.
    known: Vec<Option<(Instant, Activity)>>,
    /// Processor time of each rank, when there was hope last and now.
    ticks: Vec<[Option<u64>; 2]>,
}

/// When something gave hope, and what was seen since.
pub(super) struct Watches {
    all: Vec<Watch>,
    hope: Instant,
    next: Instant,
}

impl Watches {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), hope: Instant::now(), next: Instant::now() + LOOK }
    }

    /// Something has moved.
    pub(super) fn moved(&mut self) {
        if !self.all.is_empty() {
            self.all.drain(..).for_each(|watch| watch.communicator.health.go_on());
        }
        (self.hope, self.next) = (Instant::now(), Instant::now() + LOOK);
    }

    /// Nothing can move: asks the others from time to time, and says when there is no hope.
    pub(super) fn look(&mut self, active: &[Work], limit: Duration) -> Result<(), Error> {
        if Instant::now() < self.next {
            return Ok(());
        }
        let waited = self.hope.elapsed();
        self.next = Instant::now() + if waited < 2 * LONG_LOOK { LOOK } else { LONG_LOOK };
        for work in active {
            let communicator = &work.request.communicator;
            if !self.all.iter().any(|watch| Arc::ptr_eq(&watch.communicator, communicator)) {
                self.all.push(Watch::new(communicator));
            }
        }
        let mut hope = false;
        for watch in &mut self.all {
            watch.ask(active);
            watch.circle().map_or(Ok(()), Err)?;
            hope |= watch.computes(active, waited);
        }
        if hope {
            self.hope = Instant::now();
            self.all.iter_mut().flat_map(|watch| &mut watch.ticks).for_each(|ticks| ticks[0] = ticks[1]);
        }
        if hope || waited < limit { Ok(()) } else { Err(self.late(active, limit)) }
    }

    fn late(&self, active: &[Work], limit: Duration) -> Error {
        let waits = active.iter().map(|work| {
            let own = &work.request.communicator;
            let watch = self.all.iter().find(|watch| Arc::ptr_eq(&watch.communicator, own));
            let doing = |peer: usize| {
                let activity =
                    watch.and_then(|watch| watch.known[peer].as_ref().filter(|(came, _)| came.elapsed() < SILENT));
                format!("rank {peer}, which {}", doing(activity))
            };
            let peers: Vec<_> = work.waits().into_iter().map(doing).collect();
            format!("rank {} in {} waits for {}", own.rank, work.call, peers.join(", and for "))
        });
        let (limit, waits) = (settings::timeout_text(limit), waits.collect::<Vec<_>>().join("; "));
        let together = active.iter().any(|work| work.request.communicator.together);
        let advice = if together { ": put the calls of ranks of one thread into one group" } else { "" };
        NcclResult::REMOTE_ERROR.because(format!("nothing has moved for {limit}: {waits}{advice}"))
    }
}

/// What a rank does, as the end of a sentence.
fn doing(known: Option<&(Instant, Activity)>) -> String {
    match known.map(|(_, activity)| activity) {
        None => "does not answer".into(),
        Some(Activity { inside: true, last: Some(call), .. }) => format!("is in {call}"),
        Some(Activity { last: Some(call), .. }) => format!("is in no call; its last was {call}"),
        Some(Activity { last: None, .. }) => "has called nothing on this communicator".into(),
    }
}

impl Watch {
    fn new(communicator: &Arc<Communicator>) -> Self {
        let none = || vec![None; communicator.world];
        let ticks = vec![[None; 2]; communicator.world];
        Self {
            communicator: Arc::clone(communicator),
            rounds: [none(), none()],
            known: vec![None; communicator.world],
            ticks,
        }
    }

    /// Tells what the own calls wait for, takes the answers of the last round, and asks again.
    fn ask(&mut self, active: &[Work]) {
        let own = &self.communicator;
        let mut round = vec![None; own.world];
        for (peer, link) in own.peers() {
            round[peer] = link.inbox().answer.take();
            if let Some(activity) = &round[peer] {
                let now = activity.processor_ticks;
                self.known[peer] = Some((Instant::now(), activity.clone()));
                self.ticks[peer] = [self.ticks[peer][0].or(Some(now)), Some(now)];
            }
        }
        let calls = active.iter().filter(|work| Arc::ptr_eq(&work.request.communicator, own));
        let waits = calls.flat_map(|work| work.waits().into_iter().map(|peer| (peer, work.call))).collect();
        own.health.stand_still(waits);
        round[own.rank] = Some(own.health.activity());
        own.peers().for_each(|(_, link)| link.say(&Message::Question));
        self.rounds.swap(0, 1);
        self.rounds[0] = round;
    }

    /// Returns what a rank waits for, if it has stood still between the last two answers.
    fn waits(&self, rank: usize) -> &[(usize, Call)] {
        match (&self.rounds[0][rank], &self.rounds[1][rank]) {
            (Some(now), Some(before)) if now.steps == before.steps && now.waits == before.waits => &now.waits,
            _ => &[],
        }
    }

    /// Returns whether a rank that is waited for has computed, in the time since there was hope.
    fn computes(&self, active: &[Work], time: Duration) -> bool {
        let enough = (time.as_millis() * COMPUTES / (100 * TICK.as_millis())).max(2) as u64;
        let ours = active.iter().filter(|work| Arc::ptr_eq(&work.request.communicator, &self.communicator));
        ours.flat_map(Work::waits).any(|peer| match self.ticks[peer] {
            [Some(before), Some(now)] => now >= before + enough,
            _ => false,
        })
    }

    /// Returns a deadlock that this rank is in, or waits for.
    fn circle(&self) -> Option<Error> {
        let mut way = vec![(self.communicator.rank, None)];
        let circle = self.follow(&mut way)?;
        let calls = circle.iter().map(|(rank, call, next)| format!("rank {rank} in {call} waits for rank {next}"));
        let calls: Vec<_> = calls.collect();
        let sends = circle.iter().any(|(_, call, _)| matches!(call.operation, Operation::Send { .. }));
        let others = circle
            .iter()
            .all(|(_, call, _)| matches!(call.operation, Operation::Send { .. } | Operation::Receive { .. }));
        let advice = match (sends, others) {
            (true, true) => ": put a rank's sends and receives into one group (ncclGroupStart, ncclGroupEnd)",
            (false, true) => ": nobody sends",
            _ => ": all ranks must make the same calls in the same order",
        };
        Some(NcclResult::INVALID_USAGE.because(format!("a circle of waits: {}{advice}", calls.join("; "))))
    }

    /// Follows waits from the end of `way`; returns the circle that they end in, from its least rank on.
    fn follow(&self, way: &mut Vec<(usize, Option<Call>)>) -> Option<Vec<(usize, Call, usize)>> {
        let &(rank, _) = way.last()?;
        for &(next, call) in self.waits(rank) {
            way.last_mut()?.1 = Some(call);
            if let Some(start) = way.iter().position(|(before, _)| *before == next) {
                let mut ranks: Vec<_> = way[start..].iter().map(|(rank, call)| (*rank, *call)).collect();
                let least = (0..ranks.len()).min_by_key(|index| ranks[*index].0)?;
                ranks.rotate_left(least);
                let nexts: Vec<_> = (0..ranks.len()).map(|index| ranks[(index + 1) % ranks.len()].0).collect();
                return ranks.into_iter().zip(nexts).map(|((rank, call), next)| Some((rank, call?, next))).collect();
            }
            way.push((next, None));
            if let Some(circle) = self.follow(way) {
                return Some(circle);
            }
            way.pop();
        }
        None
    }
}
