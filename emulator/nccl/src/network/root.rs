//! The root of a communicator, to which its ranks connect once to find each other.

use super::handshake::{Hello, Welcome, process, random};
use super::wire::{read_message, write_message};
use crate::result::{NcclResult, Outcome};
use crate::settings;
use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

/// The time limit for the first message of a connection.
const STRANGER: Duration = Duration::from_secs(2);

/// The interval at which the root polls for connections.
const TICK: Duration = Duration::from_millis(1);

/// The ranks that have connected.
struct Ranks {
    nonce: u64,
    joined: BTreeMap<usize, (Hello, TcpStream)>,
    /// The rank that contradicts them.
    refused: Option<(Hello, TcpStream)>,
}

/// Opens the root of an id, in a thread that ends when all ranks have joined or the time limit has passed.
pub(super) fn serve(listener: TcpListener, nonce: u64) -> Outcome {
    let limit = settings::timeout()?;
    let thread = Builder::new().name("nccl-root".into()).spawn(move || {
        let mut ranks = Ranks { nonce, joined: BTreeMap::new(), refused: None };
        let welcome = ranks.wait(&listener, limit).unwrap_or_else(|refusal| refusal);
        // Before any rank continues, because the next communicator may use the same port.
        drop(listener);
        // Ranks of this process last, because the process may end once they have the answer.
        let mut answered: Vec<_> = ranks.joined.into_values().chain(ranks.refused).collect();
        answered.sort_by_key(|(hello, _)| hello.device.0 == process());
        for (_, stream) in &mut answered {
            let _gone = write_message(stream, &welcome);
        }
    });
    thread.map(drop).map_err(|error| NcclResult::SYSTEM_ERROR.because(format!("the root's thread: {error}")))
}

impl Ranks {
    /// Waits until all ranks have connected.
    fn wait(&mut self, listener: &TcpListener, limit: Duration) -> Result<Welcome, Welcome> {
        // The time limit begins with the first rank, because an id may be created long before.
        let mut deadline = None;
        loop {
            let waiting = listener.set_nonblocking(deadline.is_some());
            waiting.map_err(|error| Welcome::Absence(format!("the root's port: {error}")))?;
            match listener.accept() {
                Ok((stream, _)) => self.take(stream)?,
                Err(_) => sleep(TICK),
            }
            let Some((_, (first, _))) = self.joined.first_key_value() else { continue };
            if self.joined.len() == first.world {
                let ports = self.joined.values().map(|(hello, _)| hello.port).collect();
                return Ok(Welcome::Ranks { token: random(), ports });
            }
            if Instant::now() > *deadline.get_or_insert_with(|| Instant::now() + limit) {
                return Err(Welcome::Absence(self.missing(first.world, limit)));
            }
        }
    }

    /// Receives the arguments of a rank. Ignores connections that are not from ranks.
    fn take(&mut self, mut stream: TcpStream) -> Result<(), Welcome> {
        let heard = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(STRANGER)));
        let Ok(hello) = heard.and_then(|()| read_message::<Hello>(&mut stream)) else { return Ok(()) };
        if hello.nonce != self.nonce {
            return Ok(());
        }
        let Some(wrong) = self.wrong(&hello) else {
            self.joined.insert(hello.rank, (hello, stream));
            return Ok(());
        };
        self.refused = Some((hello, stream));
        Err(Welcome::Refusal(wrong))
    }

    /// Returns the contradiction between the arguments of a rank and of the others, `None` if there is none.
    fn wrong(&self, hello: &Hello) -> Option<String> {
        let rank = hello.rank;
        let world = hello.world;
        let device = hello.device.1;
        self.joined.values().find_map(|(other, _)| {
            if other.world != world {
                let of = other.world;
                let other = other.rank;
                return Some(format!(
                    "rank {other} was created as one of {of} ranks, and rank {rank} as one of {world}"
                ));
            }
            if other.rank == rank {
                return Some(format!("rank {rank} of {world} was created twice"));
            }
            (other.device == hello.device).then(|| {
                let first = rank.min(other.rank);
                let second = rank.max(other.rank);
                format!(
                    "ranks {first} and {second} are both on device {device} of one process: use one device per rank \
                     (COALESCED_DEVICES=N gives a process N devices)"
                )
            })
        })
    }

    /// Returns the message about the ranks that have not connected.
    fn missing(&self, world: usize, limit: Duration) -> String {
        let missing: Vec<_> =
            (0..world).filter(|rank| !self.joined.contains_key(rank)).map(|rank| rank.to_string()).collect();
        let missing = missing.join(", ");
        let limit = settings::timeout_text(limit);
        format!("of {world} ranks these have not called ncclCommInitRank within {limit}: {missing}")
    }
}
