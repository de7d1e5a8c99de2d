//! Frames on a connection: a lane and a length of 8 bytes each, then JSON for a [`Message`] or the bytes of a buffer.

use super::hello::random;
use crate::call::Call;
use crate::result::{Error, NcclResult, Outcome};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener};

/// Most bytes of a buffer in a frame; every frame of a lane but the last has that many.
pub(crate) const CHUNK: u64 = 256 << 10;

/// Bytes that a sender may be ahead of what its receiver has granted.
pub(crate) const WINDOW: u64 = 4 * CHUNK;

/// Most bytes of a message.
const MESSAGE: u64 = 1 << 20;

const HEADER: usize = 16;

/// One buffer's way from a rank to another, by a number that it is told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Lane(u64);

impl Lane {
    /// Of messages.
    const CONTROL: Self = Self(0);

    /// Of the send of this number from a rank to another.
    pub(crate) fn of_send(number: u64) -> Self {
        Self(4 * number + 1)
    }

    /// Of a phase, 0 or 1, of the collective of this number.
    pub(crate) fn of_collective(number: u64, phase: u64) -> Self {
        Self(4 * number + 2 + phase)
    }
}

/// What a rank says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// It has called a collective operation.
    Collective(Call),
    /// It takes part in a split; its call comes next.
    Member(Member),
    /// It has a buffer for the rank.
    Send(Call),
    /// It takes a buffer of the rank's, the first [`WINDOW`] bytes at once.
    Receive(Call),
    /// It takes more bytes of a lane.
    Grant { lane: Lane, bytes: u64 },
    /// What is the rank doing?
    Question,
    /// That is what it is doing.
    Answer(Activity),
    /// The communicator has failed.
    Failure(Error),
    /// It has left the communicator, after that many calls.
    Bye { calls: u64 },
}

/// A rank that takes part in a split.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Member {
    pub(crate) color: i32,
    pub(crate) key: i32,
    /// Where the ranks of its color reach it.
    pub(crate) address: SocketAddr,
    /// The new communicator's token, if the rank is its first.
    pub(crate) nonce: u64,
}

impl Member {
    pub(crate) fn new(color: i32, key: i32, listener: &TcpListener) -> Outcome<Self> {
        let address = listener.local_addr().map_err(|error| NcclResult::SYSTEM_ERROR.because(error))?;
        Ok(Self { color, key, address, nonce: random() })
    }
}

/// What a rank is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Activity {
    /// Calls that it has made on the communicator.
    pub(crate) calls: u64,
    /// The last of them.
    pub(crate) last: Option<Call>,
    /// Whether it is in one of them.
    pub(crate) inside: bool,
    /// Ranks that it waits for, when it can do nothing else: each with the call that waits.
    pub(crate) waits: Vec<(usize, Call)>,
    /// How often it went on: who says the same number twice has done nothing between.
    pub(crate) steps: u64,
    /// Processor time of its process, in clock ticks: who computes is waited for.
    pub(crate) processor_ticks: u64,
}

/// Something read from a connection.
pub(crate) enum Frame<T> {
    Message(T),
    Data(Lane, Vec<u8>),
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Writes a message.
pub(crate) fn write_message(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut frame = vec![0; HEADER];
    serde_json::to_writer(&mut frame, message)?;
    write_frame(to, Lane::CONTROL, frame)
}

/// Returns a frame for `bytes` bytes of a buffer; the bytes are behind the header.
pub(crate) fn empty_frame(bytes: usize) -> Vec<u8> {
    vec![0; HEADER + bytes]
}

/// Returns the bytes of a frame behind its header.
pub(crate) fn payload(frame: &mut [u8]) -> &mut [u8] {
    &mut frame[HEADER..]
}

/// Writes a frame, whose header is filled in.
pub(crate) fn write_frame(to: &mut impl Write, lane: Lane, mut frame: Vec<u8>) -> io::Result<()> {
    let length = (frame.len() - HEADER) as u64;
    frame[..8].copy_from_slice(&lane.0.to_le_bytes());
    frame[8..HEADER].copy_from_slice(&length.to_le_bytes());
    to.write_all(&frame)
}

/// Reads a frame.
pub(crate) fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Frame<T>> {
    let (mut lane, mut length) = ([0; 8], [0; 8]);
    from.read_exact(&mut lane)?;
    from.read_exact(&mut length)?;
    let (lane, length) = (Lane(u64::from_le_bytes(lane)), u64::from_le_bytes(length));
    if length > if lane == Lane::CONTROL { MESSAGE } else { CHUNK } {
        return Err(invalid("not a rank of this library"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(if lane == Lane::CONTROL { Frame::Message(serde_json::from_slice(&bytes)?) } else { Frame::Data(lane, bytes) })
}

/// Reads a frame that must be a message.
pub(crate) fn read_message<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    match read_frame(from)? {
        Frame::Message(message) => Ok(message),
        Frame::Data(..) => Err(invalid("a buffer before the ranks know each other")),
    }
}
