//! The scheduling of the blocks of a launch: which have started, which are suspended, and which runs next.
//!
//! As on hardware, all blocks that can be resident start before any of them has to end, and a block that has started goes on
//! until it ends. So a wait for blocks that have started ends, however many there are: a block that takes a number from an
//! atomic counter may wait for all with smaller numbers. A wait for a block that cannot start is a deadlock.
//!
//! A launch whose blocks never wait for each other claims block numbers from an atomic counter, without a lock. Once a block has
//! been suspended, blocks are scheduled under a lock: first those that have not started, as long as they can be resident, then
//! suspended blocks in turn.
//! A spinning block, which repeats the same state until device memory changes, sleeps until a block changes it. When all
//! resident blocks sleep, lanes that only wait to reconverge continue without the others of their warp. If that does not help
//! either, no thread can ever continue. The blocks of a cluster are scheduled as one: here, *block* means a cluster.
//!
//! This is a proof with several workers, too. A worker reports changes after it has made them, at the latest when its block
//! leaves it, and a block goes to sleep only if no change has been reported since its probe began. So when all blocks sleep,
//! each was probed after the last change by any block, and changes nothing from then on. (The host does not change memory
//! during a launch, because launches are synchronous.)

use crate::machine::stop::Leave;
use crate::machine::suspended::SuspendedBlock;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A number larger than that of any block.
const NO_BLOCK: u64 = 1 << 63;

/// The next task of a worker.
pub(super) enum Task {
    /// Start the block with this number.
    Start(u64),
    /// Resume a suspended block.
    Resume(Box<SuspendedBlock>),
    /// Report a deadlock.
    Deadlock(Deadlock),
    /// End the worker.
    Exit,
}

/// The blocks of a launch in which no thread can continue.
pub(super) struct Deadlock {
    /// All resident blocks, in ascending order.
    pub(super) resident: Vec<SuspendedBlock>,
    /// The first block that has not started, and the number of such blocks.
    pub(super) not_started: Option<(u64, u64)>,
}

/// Schedules the blocks of a launch.
#[derive(Default)]
pub(super) struct BlockScheduler {
    blocks: u64,
    /// The largest number of resident blocks.
    room: u64,
    /// The next block to start, until the first block is suspended.
    next: AtomicU64,
    ended: AtomicU64,
    /// The number of changes of device memory that workers have reported.
    changes: AtomicU64,
    /// Whether a block has been suspended.
    time_sliced: AtomicBool,
    stopped: AtomicBool,
    lists: Mutex<Lists>,
    changed: Condvar,
}

#[derive(Default)]
struct Lists {
    /// The next block to start.
    next: u64,
    ready: VecDeque<SuspendedBlock>,
    asleep: Vec<SuspendedBlock>,
}

impl Lists {
    /// Wakes all sleeping blocks.
    fn wake(&mut self, skip_reconvergence: bool) {
        self.asleep.iter_mut().for_each(|suspended| suspended.history.skip_reconvergence = skip_reconvergence);
        self.ready.extend(self.asleep.drain(..));
    }

    /// Wakes all sleeping blocks to continue without reconvergence, unless each has tried that already. Returns whether it
    /// woke them.
    fn try_skipping_reconvergence(&mut self) -> bool {
        let untried = self.asleep.iter().any(|suspended| !suspended.history.skip_reconvergence);
        if untried {
            self.wake(true);
        }
        untried
    }
}

impl BlockScheduler {
    pub(super) fn new(blocks: u64, room: u64) -> Self {
        Self { blocks, room, ..Self::default() }
    }

    /// Returns the next task, and waits for one if all ready blocks are running.
    pub(super) fn next(&self) -> Task {
        let number = self.next.fetch_add(1, SeqCst);
        match (self.stopped.load(SeqCst), self.time_sliced.load(SeqCst)) {
            (true, _) => Task::Exit,
            _ if number < self.blocks => Task::Start(number),
            (_, true) => self.next_in_turn(),
            _ => Task::Exit,
        }
    }

    fn next_in_turn(&self) -> Task {
        let mut lists = self.lock();
        loop {
            let resident = lists.next - self.ended.load(SeqCst);
            if self.stopped.load(SeqCst) {
                return Task::Exit;
            }
            if lists.next < self.blocks && resident < self.room {
                lists.next += 1;
                return Task::Start(lists.next - 1);
            }
            if let Some(suspended) = lists.ready.pop_front() {
                return Task::Resume(Box::new(suspended));
            }
            if resident == lists.asleep.len() as u64 && !lists.try_skipping_reconvergence() {
                self.changed.notify_all();
                return self.all_asleep(&mut lists);
            }
            if lists.ready.is_empty() {
                lists = self.changed.wait(lists).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Returns the task if all resident blocks sleep: a deadlock, unless there are none.
    fn all_asleep(&self, lists: &mut Lists) -> Task {
        let mut resident = std::mem::take(&mut lists.asleep);
        if resident.is_empty() {
            return Task::Exit;
        }
        resident.sort_by_key(|suspended| suspended.block);
        let count = self.blocks - lists.next;
        Task::Deadlock(Deadlock { resident, not_started: (count > 0).then_some((lists.next, count)) })
    }

    /// Returns the blocks that have not started, if none was ever suspended.
    pub(super) fn not_started(&self) -> Option<Range<u64>> {
        let next = self.next.load(SeqCst).min(self.blocks);
        (!self.time_sliced.load(SeqCst)).then_some(next..self.blocks)
    }

    /// Records that a block has ended.
    pub(super) fn end(&self) {
        self.ended.fetch_add(1, SeqCst);
    }

    /// Takes back a block that leaves its worker before its end.
    pub(super) fn suspend(&self, suspended: SuspendedBlock, leave: Leave) {
        let mut lists = self.lock();
        if !self.time_sliced.swap(true, SeqCst) {
            lists.next = self.next.swap(NO_BLOCK, SeqCst).min(self.blocks);
        }
        match leave {
            Leave::Spins { since } if since == self.changes() => lists.asleep.push(suspended),
            _ => lists.ready.push_back(suspended),
        }
        self.changed.notify_all();
    }

    /// Records a change of device memory.
    pub(super) fn change(&self) {
        self.changes.fetch_add(1, SeqCst);
        if self.time_sliced.load(SeqCst) {
            self.lock().wake(false);
            self.changed.notify_all();
        }
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes.load(SeqCst)
    }

    /// Stops the launch: all workers end.
    pub(super) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        let _lists = self.lock();
        self.changed.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
