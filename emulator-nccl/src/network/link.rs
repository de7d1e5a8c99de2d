//! The connection to another rank of a communicator: a thread reads what comes, so that nobody waits to be read.

use super::bell::bell;
use super::health::Health;
use super::wire::{Activity, Frame, Lane, Member, Message, read_frame, write_frame, write_message};
use crate::call::Call;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// A reader keeps nothing on its stack but a frame's header.
const READER_STACK: usize = 256 << 10;

/// How a rank went away.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// It destroyed or aborted its communicator after that many calls.
    Left { calls: u64 },
    /// The connection broke without a word.
    Lost(String),
}

/// What has come and was not used yet.
#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) collectives: VecDeque<Call>,
    pub(crate) members: VecDeque<Member>,
    pub(crate) sends: VecDeque<Call>,
    pub(crate) receives: VecDeque<Call>,
    pub(crate) data: HashMap<Lane, VecDeque<Vec<u8>>>,
    /// Bytes beyond the first window that the rank takes.
    pub(crate) granted: HashMap<Lane, u64>,
    pub(crate) answer: Option<Activity>,
    /// Why the rank takes nothing more.
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
    /// Takes a connection; what comes on it is read from now on.
    pub(crate) fn open(stream: TcpStream, health: Arc<Health>, limit: Duration) -> io::Result<Arc<Self>> {
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
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something. Whether the rank is still there is seen where it is waited for.
    pub(crate) fn say(&self, message: &Message) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        write_message(&mut &self.stream, message).unwrap_or_else(|error| self.give_up(&error));
    }

    /// Sends a frame with bytes of a buffer.
    pub(crate) fn send(&self, lane: Lane, frame: Vec<u8>) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        write_frame(&mut &self.stream, lane, frame).unwrap_or_else(|error| self.give_up(&error));
    }

    /// Takes nothing more from a rank that takes nothing. The reader ends, after what the rank has said before it went.
    fn give_up(&self, error: &io::Error) {
        self.inbox().refused.get_or_insert_with(|| error.to_string());
        let _gone = self.stream.shutdown(Shutdown::Both);
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
                Ok(Frame::Data(lane, bytes)) => {
                    self.inbox().data.entry(lane).or_default().push_back(bytes);
                    self.health.arrived();
                }
                Ok(Frame::Message(Message::Question)) => self.answer(),
                Ok(Frame::Message(Message::Answer(activity))) => self.inbox().answer = Some(activity),
                Ok(Frame::Message(message)) => {
                    self.take(message);
                    self.health.arrived();
                }
                Err(error) => self.end(&error),
            }
            bell().ring();
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
            Message::Member(member) => inbox.members.push_back(member),
            Message::Send(call) => inbox.sends.push_back(call),
            Message::Receive(call) => inbox.receives.push_back(call),
            Message::Grant { lane, bytes } => *inbox.granted.entry(lane).or_default() += bytes,
            Message::Bye { calls } => inbox.ending = Some(Ending::Left { calls }),
            Message::Failure(error) => self.health.fail(&error),
            Message::Question | Message::Answer(_) => {}
        }
    }

    /// Says what this rank is doing. Not on the reader's thread, which must never wait for the other rank to read.
    fn answer(self: &Arc<Self>) {
        let link = Arc::clone(self);
        let answer = move || link.say(&Message::Answer(link.health.activity()));
        let _none = Builder::new().stack_size(READER_STACK).spawn(answer);
    }

    /// The connection has ended, before its time unless the rank has said so.
    fn end(&self, error: &io::Error) {
        let mut inbox = self.inbox();
        let error = inbox.refused.clone().unwrap_or_else(|| error.to_string());
        inbox.ending.get_or_insert(Ending::Lost(error));
    }
}
