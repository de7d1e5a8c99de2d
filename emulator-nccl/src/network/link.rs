//! The connection to another rank of a communicator: a thread reads what comes, so that nobody waits to be read.

use super::wire::{Activity, Frame, Lane, Message, read_frame, write_frame, write_message};
use crate::call::Call;
use crate::result::Error;
use std::collections::{HashMap, VecDeque};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// A reader keeps nothing on its stack but a frame's header.
const READER_STACK: usize = 256 << 10;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a rank went away.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// It destroyed or aborted its communicator after so many calls.
    Left { calls: u64 },
    /// The connection broke without a word.
    Lost(String),
}

/// What all connections of a communicator share with it.
#[derive(Default)]
pub(crate) struct Health {
    failure: Mutex<Option<Error>>,
    activity: Mutex<Activity>,
}

impl Health {
    /// Returns why the communicator has failed.
    pub(crate) fn failure(&self) -> Option<Error> {
        lock(&self.failure).clone()
    }

    /// Keeps the first failure; returns whether it is this one.
    pub(crate) fn fail(&self, error: &Error) -> bool {
        let mut failure = lock(&self.failure);
        let first = failure.is_none();
        failure.get_or_insert_with(|| error.clone());
        first
    }

    /// Changes what this rank says that it is doing.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Activity)) {
        change(&mut lock(&self.activity));
    }

    /// Returns what this rank is doing.
    pub(crate) fn activity(&self) -> Activity {
        Activity { processor_ticks: processor_ticks(), ..lock(&self.activity).clone() }
    }
}

/// Processor time of this process in clock ticks; 0 where the system does not tell.
fn processor_ticks() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the program's name, which is in parentheses: fields 14 and 15, `utime` and `stime`.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// What has come and was not used yet.
#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) collectives: VecDeque<Call>,
    pub(crate) sends: VecDeque<Call>,
    pub(crate) receives: VecDeque<Call>,
    pub(crate) data: HashMap<Lane, VecDeque<Vec<u8>>>,
    /// Bytes beyond the first window that the rank takes.
    pub(crate) granted: HashMap<Lane, u64>,
    pub(crate) answer: Option<Activity>,
    pub(crate) ending: Option<Ending>,
}

/// The connection to another rank.
pub(crate) struct Link {
    stream: TcpStream,
    writing: Mutex<()>,
    inbox: Mutex<Inbox>,
    health: Arc<Health>,
}

impl Link {
    /// Takes a connection; what comes on it is read from now on.
    pub(crate) fn open(stream: TcpStream, health: Arc<Health>, limit: Duration) -> std::io::Result<Arc<Self>> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(Some(limit))?;
        let link = Arc::new(Self { stream, writing: Mutex::default(), inbox: Mutex::default(), health });
        let reader = Arc::clone(&link);
        Builder::new().name("nccl-reader".into()).stack_size(READER_STACK).spawn(move || reader.read_all())?;
        Ok(link)
    }

    /// Returns what has come.
    pub(crate) fn inbox(&self) -> MutexGuard<'_, Inbox> {
        lock(&self.inbox)
    }

    /// Says something. Whether the rank is still there is seen where it is waited for.
    pub(crate) fn say(&self, message: &Message) {
        let _writing = lock(&self.writing);
        if let Err(error) = write_message(&mut &self.stream, message) {
            self.end(Ending::Lost(error.to_string()));
        }
    }

    /// Sends a frame with bytes of a buffer.
    pub(crate) fn send(&self, lane: Lane, frame: Vec<u8>) {
        let _writing = lock(&self.writing);
        if let Err(error) = write_frame(&mut &self.stream, lane, frame) {
            self.end(Ending::Lost(error.to_string()));
        }
    }

    /// Tells the rank that this one leaves. What is on its way still arrives.
    pub(crate) fn leave(&self, calls: u64) {
        self.say(&Message::Bye { calls });
        let _gone = self.stream.shutdown(Shutdown::Write);
    }

    /// The reader's thread.
    fn read_all(self: Arc<Self>) {
        loop {
            match read_frame(&mut &self.stream) {
                Ok(Frame::Data(lane, bytes)) => self.inbox().data.entry(lane).or_default().push_back(bytes),
                Ok(Frame::Message(message)) => self.take(message),
                Err(error) => self.end(Ending::Lost(error.to_string())),
            }
            bell().ring();
            if self.inbox().ending.is_some() {
                break;
            }
        }
        let _gone = self.stream.shutdown(Shutdown::Both);
    }

    fn take(self: &Arc<Self>, message: Message) {
        let mut inbox = self.inbox();
        match message {
            Message::Collective(call) => inbox.collectives.push_back(call),
            Message::Send(call) => inbox.sends.push_back(call),
            Message::Receive(call) => inbox.receives.push_back(call),
            Message::Grant { lane, bytes } => *inbox.granted.entry(lane).or_default() += bytes,
            Message::Answer(activity) => inbox.answer = Some(activity),
            Message::Bye { calls } => inbox.ending = Some(Ending::Left { calls }),
            Message::Failure(error) => {
                self.health.fail(&error);
            }
            // Not on this thread, which must never wait for the other rank to read.
            Message::Question => {
                let link = Arc::clone(self);
                let answer = move || link.say(&Message::Answer(link.health.activity()));
                let _none = Builder::new().stack_size(READER_STACK).spawn(answer);
            }
        }
    }

    /// Keeps the first ending.
    fn end(&self, ending: Ending) {
        self.inbox().ending.get_or_insert(ending);
    }
}

/// Rung when anything has come on any connection.
pub(crate) struct Bell {
    rings: Mutex<u64>,
    changed: Condvar,
}

/// Returns the bell of this process.
pub(crate) fn bell() -> &'static Bell {
    static BELL: Bell = Bell { rings: Mutex::new(0), changed: Condvar::new() };
    &BELL
}

impl Bell {
    /// Wakes who waits.
    pub(crate) fn ring(&self) {
        *lock(&self.rings) += 1;
        self.changed.notify_all();
    }

    /// Returns how often it has rung.
    pub(crate) fn rings(&self) -> u64 {
        *lock(&self.rings)
    }

    /// Waits until it has rung more often than `seen`, or the time is over.
    pub(crate) fn wait(&self, seen: u64, time: Duration) {
        let rings = lock(&self.rings);
        drop(self.changed.wait_timeout_while(rings, time, |rings| *rings == seen));
    }
}
