//! The wire format. A frame consists of a lane and a length of 8 bytes each, and then a [`Message`] as JSON or the bytes of a
//! buffer.

use crate::call::Call;
use crate::result::Error;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};

/// The number of bytes of a buffer in each frame of a lane except the last, which may be smaller.
pub(crate) const CHUNK: u64 = 256 << 10;

/// The number of bytes that a sender may be ahead of the receiver's grants.
pub(crate) const WINDOW: u64 = 4 * CHUNK;

/// The maximum size of a message in bytes.
const MESSAGE: u64 = 1 << 20;

const HEADER: usize = 16;

/// The number that identifies the transfer of one buffer from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Lane(u64);

impl Lane {
    /// The lane of messages.
    const CONTROL: Self = Self(0);

    /// Returns the lane of the send with this number from a rank to another.
    pub(crate) fn from_send(number: u64) -> Self {
        Self(4 * number + 1)
    }

    /// Returns the lane of a phase, 0 or 1, of the collective with this number.
    pub(crate) fn from_collective(number: u64, phase: u64) -> Self {
        Self(4 * number + 2 + phase)
    }
}

/// A message of a rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// It has called a collective operation.
    Collective(Call),
    /// It has called a send to the rank.
    Send(Call),
    /// It has called a receive from the rank, and grants the first [`WINDOW`] bytes.
    Receive(Call),
    /// It grants more bytes of a lane.
    Grant { lane: Lane, bytes: u64 },
    /// It asks for the rank's activity.
    Question,
    /// Its activity.
    Answer(Activity),
    /// The communicator has failed.
    Failure(Error),
    /// It has left the communicator, after this many calls.
    Bye { calls: u64 },
}

/// The activity of a rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Activity {
    /// The number of calls it has made on the communicator.
    pub(crate) calls: u64,
    /// Its last call.
    pub(crate) last: Option<Call>,
    /// Whether a call is in progress.
    pub(crate) inside: bool,
    /// The ranks that its stalled calls wait for, each with the call.
    pub(crate) waits: Vec<(usize, Call)>,
    /// The number of times it has made progress. If it is unchanged, the rank has done nothing in between.
    pub(crate) steps: u64,
    /// The CPU time of its process in clock ticks, by which others see that it computes.
    pub(crate) processor_ticks: u64,
}

/// A frame read from a connection.
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

/// Returns a frame with room for `bytes` bytes of a buffer after the header.
pub(crate) fn empty_frame(bytes: usize) -> Vec<u8> {
    vec![0; HEADER + bytes]
}

/// Returns the bytes of a frame after its header.
pub(crate) fn payload(frame: &mut [u8]) -> &mut [u8] {
    &mut frame[HEADER..]
}

/// Fills in the header of a frame and writes it.
pub(crate) fn write_frame(to: &mut impl Write, lane: Lane, mut frame: Vec<u8>) -> io::Result<()> {
    let length = (frame.len() - HEADER) as u64;
    frame[..8].copy_from_slice(&lane.0.to_le_bytes());
    frame[8..HEADER].copy_from_slice(&length.to_le_bytes());
    to.write_all(&frame)
}

/// Reads a frame.
pub(crate) fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Frame<T>> {
    let mut lane = [0; 8];
    let mut length = [0; 8];
    from.read_exact(&mut lane)?;
    from.read_exact(&mut length)?;
    let lane = Lane(u64::from_le_bytes(lane));
    let length = u64::from_le_bytes(length);
    if length > if lane == Lane::CONTROL { MESSAGE } else { CHUNK } {
        return Err(invalid("the frame is not from a rank of this library"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(if lane == Lane::CONTROL { Frame::Message(serde_json::from_slice(&bytes)?) } else { Frame::Data(lane, bytes) })
}

/// Reads a frame that must be a message.
pub(crate) fn read_message<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    match read_frame(from)? {
        Frame::Message(message) => Ok(message),
        Frame::Data(..) => Err(invalid("a buffer instead of a message")),
    }
}
