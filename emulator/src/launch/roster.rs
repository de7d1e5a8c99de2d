//! The blocks of a launch: which have begun, which rest, and who is next.
//!
//! As many blocks as are resident on hardware begin before one of them has ended. A launch whose blocks never wait hands
//! out numbers, without a lock. Once a block is put aside, blocks are handed out under one: first those that have not
//! begun, as long as they may be resident, then those that rest, one after the other. A block that repeats itself as long
//! as device memory is as it was sleeps until a block changes it. When all that are resident sleep, lanes that wait only to
//! meet others of their warp go on without them; when that helps nobody, no thread will ever go on.
//!
//! That this is a proof on several workers, too: a worker tells of changes after it made them, at the latest when its
//! block leaves it, and a block sleeps only if nobody told of one since its probe began. So when all sleep, every block
//! was probed after the last change, by anyone, and changes nothing from there on. (The host changes no memory while
//! a launch runs: launches run to their end.)

use crate::machine::stop::Leave;
use crate::machine::turns::Resting;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A number that no block has: grids have fewer.
const NO_BLOCK: u64 = 1 << 63;

/// What a worker does next.
pub(super) enum Task {
    /// It begins the block of that number.
    Start(u64),
    /// It goes on with a block that was put aside.
    GoOn(Box<Resting>),
    /// It tells that none of these blocks, all that are resident, can ever end.
    Stuck(Stuck),
    /// It ends.
    Nothing,
}

/// Blocks that wait for ever.
pub(super) struct Stuck {
    /// In the order of their numbers.
    pub(super) resident: Vec<Resting>,
    /// The first block that has not begun, and their number.
    pub(super) waiting: Option<(u64, u64)>,
}

/// Hands out the blocks of a launch.
#[derive(Default)]
pub(super) struct Roster {
    blocks: u64,
    /// Blocks that are resident at most.
    room: u64,
    /// The next block to begin, as long as nobody takes turns.
    next: AtomicU64,
    ended: AtomicU64,
    /// How often device memory has changed, as far as workers have told.
    changes: AtomicU64,
    takes_turns: AtomicBool,
    stopped: AtomicBool,
    lists: Mutex<Lists>,
    news: Condvar,
}

#[derive(Default)]
struct Lists {
    /// The next block to begin.
    next: u64,
    ready: VecDeque<Resting>,
    asleep: Vec<Resting>,
}

impl Lists {
    /// Wakes all that sleep.
    fn wake(&mut self, lanes_part: bool) {
        self.asleep.iter_mut().for_each(|resting| resting.left.lanes_part = lanes_part);
        self.ready.extend(self.asleep.drain(..));
    }

    /// Wakes them if some have not tried yet to go on by letting lanes part.
    fn let_lanes_part(&mut self) -> bool {
        let try_it = self.asleep.iter().any(|resting| !resting.left.lanes_part);
        if try_it {
            self.wake(true);
        }
        try_it
    }
}

impl Roster {
    pub(super) fn new(blocks: u64, room: u64) -> Self {
        Self { blocks, room, ..Self::default() }
    }

    pub(super) fn next(&self) -> Task {
        let number = self.next.fetch_add(1, SeqCst);
        match (self.stopped.load(SeqCst), self.takes_turns.load(SeqCst)) {
            (true, _) => Task::Nothing,
            _ if number < self.blocks => Task::Start(number),
            (_, true) => self.next_in_turn(),
            _ => Task::Nothing,
        }
    }

    fn next_in_turn(&self) -> Task {
        let mut lists = self.lock();
        loop {
            let resident = lists.next - self.ended.load(SeqCst);
            if self.stopped.load(SeqCst) {
                return Task::Nothing;
            }
            if lists.next < self.blocks && resident < self.room {
                lists.next += 1;
                return Task::Start(lists.next - 1);
            }
            if let Some(resting) = lists.ready.pop_front() {
                return Task::GoOn(Box::new(resting));
            }
            if resident == lists.asleep.len() as u64 && !lists.let_lanes_part() {
                self.news.notify_all();
                return self.all_asleep(&mut lists);
            }
            if lists.ready.is_empty() {
                lists = self.news.wait(lists).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Nobody is at work.
    fn all_asleep(&self, lists: &mut Lists) -> Task {
        let mut resident = std::mem::take(&mut lists.asleep);
        if resident.is_empty() {
            return Task::Nothing;
        }
        resident.sort_by_key(|resting| resting.block);
        let left = self.blocks - lists.next;
        Task::Stuck(Stuck { resident, waiting: (left > 0).then_some((lists.next, left)) })
    }

    /// A block has ended.
    pub(super) fn end(&self) {
        self.ended.fetch_add(1, SeqCst);
    }

    /// A block leaves its worker before its end.
    pub(super) fn put_aside(&self, resting: Resting, leave: Leave) {
        let mut lists = self.lock();
        if !self.takes_turns.swap(true, SeqCst) {
            lists.next = self.next.swap(NO_BLOCK, SeqCst).min(self.blocks);
        }
        match leave {
            Leave::Repeats { since } if since == self.changes() => lists.asleep.push(resting),
            _ => lists.ready.push_back(resting),
        }
        self.news.notify_all();
    }

    /// Device memory has changed.
    pub(super) fn change(&self) {
        self.changes.fetch_add(1, SeqCst);
        if self.takes_turns.load(SeqCst) {
            self.lock().wake(false);
            self.news.notify_all();
        }
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes.load(SeqCst)
    }

    /// No further block is handed out.
    pub(super) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        let _lists = self.lock();
        self.news.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
