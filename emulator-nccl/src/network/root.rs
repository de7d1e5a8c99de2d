//! The root of a communicator: where its ranks meet, once.

use super::hello::{Hello, Welcome, process, random};
use super::wire::{read_message, write_message};
use crate::result::{NcclResult, Outcome};
use crate::settings;
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

/// What a connection has to say who it is.
const STRANGER: Duration = Duration::from_secs(2);

/// How often it is looked whether someone has come.
const TICK: Duration = Duration::from_millis(1);

/// The ranks that have come.
struct Ranks {
    nonce: u64,
    come: BTreeMap<usize, (Hello, TcpStream)>,
}

/// Opens the root of an id, in a thread that ends with the meeting.
pub(super) fn serve(listener: TcpListener, nonce: u64) -> Outcome {
    let limit = settings::timeout()?;
    let thread = Builder::new().name("nccl-root".into()).spawn(move || {
        let mut ranks = Ranks { nonce, come: BTreeMap::new() };
        let welcome = ranks.meet(&listener, limit).unwrap_or_else(|refusal| refusal);
        // Before anyone goes on: the next communicator may meet at the same port.
        drop(listener);
        // Those of this process last: it may end when they know.
        let mut come: Vec<_> = ranks.come.into_values().collect();
        come.sort_by_key(|(hello, _)| hello.device.0 == process());
        for (_, stream) in &mut come {
            let _gone = write_message(stream, &welcome);
        }
    });
    thread.map(drop).map_err(|error| NcclResult::SYSTEM_ERROR.because(format!("the root's thread: {error}")))
}

impl Ranks {
    /// Waits until all are there.
    fn meet(&mut self, listener: &TcpListener, limit: Duration) -> Result<Welcome, Welcome> {
        // Who asks for the first rank's time: an id may be made long before.
        let mut deadline = None;
        loop {
            let waiting = listener.set_nonblocking(deadline.is_some());
            waiting.map_err(|error| Welcome::Absence(format!("the root's port: {error}")))?;
            match listener.accept() {
                Ok((stream, _)) => self.take(stream)?,
                Err(_) => sleep(TICK),
            }
            let Some((_, (first, _))) = self.come.first_key_value() else { continue };
            if self.come.len() == first.world {
                return Ok(Welcome::Ranks { token: random(), addresses: self.addresses() });
            }
            if Instant::now() > *deadline.get_or_insert_with(|| Instant::now() + limit) {
                return Err(Welcome::Absence(self.missing(first.world, limit)));
            }
        }
    }

    /// Hears who has come; strangers are sent away.
    fn take(&mut self, mut stream: TcpStream) -> Result<(), Welcome> {
        let heard = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(STRANGER)));
        let Ok(hello) = heard.and_then(|()| read_message::<Hello>(&mut stream)) else { return Ok(()) };
        if hello.nonce != self.nonce {
            return Ok(());
        }
        let Some(wrong) = self.wrong(&hello) else {
            self.come.insert(hello.rank, (hello, stream));
            return Ok(());
        };
        let refusal = Welcome::Refusal(wrong);
        let _gone = write_message(&mut stream, &refusal);
        Err(refusal)
    }

    /// Returns what does not fit between a rank and those that have come.
    fn wrong(&self, hello: &Hello) -> Option<String> {
        let (rank, world, device) = (hello.rank, hello.world, hello.device.1);
        self.come.values().find_map(|(other, _)| {
            if other.world != world {
                let (other, of) = (other.rank, other.world);
                return Some(format!("rank {other} says that there are {of} ranks, and rank {rank} that there are {world}"));
            }
            if other.rank == rank {
                return Some(format!("two say that they are rank {rank} of {world}"));
            }
            (other.device == hello.device).then(|| {
                let (first, second) = (rank.min(other.rank), rank.max(other.rank));
                format!(
                    "ranks {first} and {second} are both on device {device} of one process: each rank needs a device of \
                     its own (COALESCED_DEVICES=N gives a process several)"
                )
            })
        })
    }

    /// Returns where each rank is reached. One on this machine may not know: by the address at which others have come here.
    fn addresses(&self) -> Vec<SocketAddr> {
        let mut own = self.come.values().filter_map(|(_, stream)| Some(stream.local_addr().ok()?.ip()));
        let own = own.find(|address| !address.is_loopback());
        let reached = |address: SocketAddr| match own {
            Some(own) if address.ip().is_loopback() => SocketAddr::new(own, address.port()),
            _ => address,
        };
        self.come.values().map(|(hello, _)| reached(hello.address)).collect()
    }

    fn missing(&self, world: usize, limit: Duration) -> String {
        let missing: Vec<_> =
            (0..world).filter(|rank| !self.come.contains_key(rank)).map(|rank| rank.to_string()).collect();
        let (missing, limit) = (missing.join(", "), settings::timeout_text(limit));
        format!("of {world} ranks these have not called ncclCommInitRank within {limit}: {missing}")
    }
}
