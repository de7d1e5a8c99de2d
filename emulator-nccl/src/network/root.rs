//! The root of a communicator: where its ranks meet, once.

use super::hello::{Hello, Welcome, random};
use super::wire::{read_message, write_message};
use crate::result::{NcclResult, Outcome};
use crate::settings;
use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
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
        let welcome = ranks.meet(&listener, limit).unwrap_or_else(Welcome::Refusal);
        // Before anyone goes on: the next communicator may meet at the same port.
        drop(listener);
        for (_, stream) in ranks.come.values_mut() {
            let _gone = write_message(stream, &welcome);
        }
    });
    thread.map(drop).map_err(|error| NcclResult::SYSTEM_ERROR.because(format!("the root's thread: {error}")))
}

impl Ranks {
    /// Waits until all are there.
    fn meet(&mut self, listener: &TcpListener, limit: Duration) -> Result<Welcome, String> {
        // Who asks for the first rank's time: an id may be made long before.
        let mut deadline = None;
        loop {
            listener.set_nonblocking(deadline.is_some()).map_err(|error| error.to_string())?;
            match listener.accept() {
                Ok((stream, _)) => self.take(stream)?,
                Err(_) => sleep(TICK),
            }
            let Some((_, (first, _))) = self.come.first_key_value() else { continue };
            if self.come.len() == first.world {
                let addresses = self.come.values().map(|(hello, _)| hello.address).collect();
                return Ok(Welcome::Ranks { token: random(), addresses });
            }
            if Instant::now() > *deadline.get_or_insert_with(|| Instant::now() + limit) {
                return Err(self.missing(first.world, limit));
            }
        }
    }

    /// Hears who has come; strangers are sent away.
    fn take(&mut self, mut stream: TcpStream) -> Result<(), String> {
        let heard = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(STRANGER)));
        let Ok(hello) = heard.and_then(|()| read_message::<Hello>(&mut stream)) else { return Ok(()) };
        if hello.nonce != self.nonce {
            return Ok(());
        }
        let (rank, world) = (hello.rank, hello.world);
        let other = self.come.values().map(|(other, _)| other).find(|other| other.world != world);
        let refusal = match other {
            Some(other) => Some(format!(
                "rank {} says that there are {} ranks, and rank {rank} that there are {world}",
                other.rank, other.world
            )),
            None if self.come.contains_key(&rank) => {
                Some(format!("two processes say that they are rank {rank} of {world}"))
            }
            None => None,
        };
        let Some(refusal) = refusal else {
            self.come.insert(rank, (hello, stream));
            return Ok(());
        };
        let _gone = write_message(&mut stream, &Welcome::Refusal(refusal.clone()));
        Err(refusal)
    }

    fn missing(&self, world: usize, limit: Duration) -> String {
        let missing: Vec<_> =
            (0..world).filter(|rank| !self.come.contains_key(rank)).map(|rank| rank.to_string()).collect();
        let (missing, limit) = (missing.join(", "), settings::timeout_text(limit));
        format!("of {world} ranks these have not called ncclCommInitRank within {limit}: {missing}")
    }
}
