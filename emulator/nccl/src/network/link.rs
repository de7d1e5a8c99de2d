//! The connection to another rank of a communicator. A thread reads all messages, so that no rank blocks on a full buffer.

use super::health::Health;
use super::wire::{Activity, Frame, Lane, Message, read_frame, write_frame, write_message};
use crate::call::Call;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// The stack of a reader thread, which only contains the header of a frame.
const READER_STACK: usize = 256 << 10;

/// How a connection ended.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// The rank destroyed or aborted its communicator after this many calls.
    Left { calls: u64 },
    /// The connection broke without an announcement.
    Lost(String),
}

/// The messages that have arrived and not been processed.
#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) collectives: VecDeque<Call>,
    pub(crate) sends: VecDeque<Call>,
    pub(crate) receives: VecDeque<Call>,
    pub(crate) data: HashMap<Lane, VecDeque<Vec<u8>>>,
    /// The bytes beyond the initial window that the rank has granted.
    pub(crate) granted: HashMap<Lane, u64>,
    pub(crate) answer: Option<Activity>,
    /// The error of the first write that failed.
    refused: Option<String>,
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
    /// Starts to read from a connection.
    pub(crate) fn open(stream: TcpStream, health: Arc<Health>, limit: Duration) -> io::Result<Arc<Self>> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(Some(limit))?;
        let link = Arc::new(Self { stream, writing: Mutex::default(), inbox: Mutex::default(), health });
        let reader = Arc::clone(&link);
        Builder::new().name("nccl-reader".into()).stack_size(READER_STACK).spawn(move || reader.read_all())?;
        Ok(link)
    }

    /// Returns the inbox.
    pub(crate) fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message. A failure is reported when the rank is waited for.
    pub(crate) fn say(&self, message: &Message) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        write_message(&mut &self.stream, message).unwrap_or_else(|error| self.give_up(&error));
    }

    /// Sends a frame with bytes of a buffer. A failure is reported when the rank is waited for.
    pub(crate) fn send(&self, lane: Lane, frame: Vec<u8>) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        write_frame(&mut &self.stream, lane, frame).unwrap_or_else(|error| self.give_up(&error));
    }

    /// Closes the connection to a rank that no longer reads. The reader ends after the messages that have arrived.
    fn give_up(&self, error: &io::Error) {
        self.inbox().refused.get_or_insert_with(|| error.to_string());
        let _gone = self.stream.shutdown(Shutdown::Both);
    }

    /// Announces that this rank leaves. Messages on their way still arrive.
    pub(crate) fn leave(&self, calls: u64) {
        self.say(&Message::Bye { calls });
        let _gone = self.stream.shutdown(Shutdown::Write);
    }

    /// Reads messages until the connection ends.
    fn read_all(self: Arc<Self>) {
        loop {
            match read_frame(&mut &self.stream) {
                Ok(Frame::Data(lane, bytes)) => {
                    self.inbox().data.entry(lane).or_default().push_back(bytes);
                    self.health.record_arrival();
                }
                Ok(Frame::Message(Message::Question)) => self.answer(),
                Ok(Frame::Message(Message::Answer(activity))) => self.inbox().answer = Some(activity),
                Ok(Frame::Message(message)) => {
                    self.take(message);
                    self.health.record_arrival();
                }
                Err(error) => self.end(&error),
            }
            notifier().notify();
            if self.inbox().ending.is_some() {
                break;
            }
        }
        let _gone = self.stream.shutdown(Shutdown::Both);
    }

    fn take(&self, message: Message) {
        let mut inbox = self.inbox();
        match message {
            Message::Collective(call) => inbox.collectives.push_back(call),
            Message::Send(call) => inbox.sends.push_back(call),
            Message::Receive(call) => inbox.receives.push_back(call),
            Message::Grant { lane, bytes } => *inbox.granted.entry(lane).or_default() += bytes,
            Message::Bye { calls } => inbox.ending = Some(Ending::Left { calls }),
            Message::Failure(error) => self.health.fail(&error),
            Message::Question | Message::Answer(_) => {}
        }
    }

    /// Sends the activity of this rank, from a new thread, because the reader must not wait for the other rank to read.
    fn answer(self: &Arc<Self>) {
        let link = Arc::clone(self);
        let answer = move || link.say(&Message::Answer(link.health.activity()));
        let _none = Builder::new().stack_size(READER_STACK).spawn(answer);
    }

    /// Records the end of the connection, which is unexpected unless the rank has announced it.
    fn end(&self, error: &io::Error) {
        let mut inbox = self.inbox();
        let error = inbox.refused.clone().unwrap_or_else(|| error.to_string());
        inbox.ending.get_or_insert(Ending::Lost(error));
    }
}

/// A counter of notifications, incremented whenever something has arrived on a connection.
pub(crate) struct Notifier {
    count: Mutex<u64>,
    changed: Condvar,
}

/// Returns the notifier of this process.
pub(crate) fn notifier() -> &'static Notifier {
    static NOTIFIER: Notifier = Notifier { count: Mutex::new(0), changed: Condvar::new() };
    &NOTIFIER
}

impl Notifier {
    fn lock(&self) -> MutexGuard<'_, u64> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all waiting threads.
    pub(crate) fn notify(&self) {
        *self.lock() += 1;
        self.changed.notify_all();
    }

    /// Returns the number of notifications so far.
    pub(crate) fn count(&self) -> u64 {
        *self.lock()
    }

    /// Waits until there have been more than `seen` notifications, or for `time` at most.
    pub(crate) fn wait(&self, seen: u64, time: Duration) {
        let count = self.lock();
        drop(self.changed.wait_timeout_while(count, time, |count| *count == seen));
    }
}
