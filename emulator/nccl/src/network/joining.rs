//! How a rank joins a communicator, in steps. No step waits for a later step of another rank, so that one thread can join
//! several ranks.

use super::handshake::{Greeting, Hello, Welcome, process};
use super::identity::UniqueId;
use super::identity::{Rendezvous, retry};
use super::root;
use super::wire::{read_message, write_message};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::ffi::c_int;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// The ports of all ranks.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    /// The token of the communicator, which identifies its ranks.
    pub(crate) token: u64,
    /// The port of each rank.
    pub(crate) ports: Vec<u16>,
}

/// The connections of a rank, by rank, `None` at its own index.
pub(crate) type Streams = Vec<Option<TcpStream>>;

/// A rank that is joining a communicator.
pub(crate) struct Joining {
    pub(crate) rank: usize,
    world: usize,
    listener: TcpListener,
    root: Root,
    streams: Streams,
    limit: Duration,
}

/// The root, until it has sent the ports of the other ranks.
struct Root {
    rendezvous: Rendezvous,
    hello: Hello,
    stream: Option<TcpStream>,
}

/// Sends this rank's arguments to the root.
fn introduce(mut root: TcpStream, hello: &Hello, limit: Duration) -> io::Result<TcpStream> {
    // The root gives up first, and sends the reason.
    root.set_read_timeout(Some(limit + Duration::from_secs(5)))?;
    write_message(&mut root, hello).map(|()| root)
}

fn system(doing: &str, error: impl std::fmt::Display) -> Error {
    NcclResult::SYSTEM_ERROR.because(format!("{doing}: {error}"))
}

/// Fails if the root is on another machine.
fn require_same_machine(rank: usize, root: &TcpStream) -> Outcome {
    let no_address = |error| system("no address of a connection", error);
    let theirs = root.peer_addr().map_err(no_address)?.ip();
    let ours = root.local_addr().map_err(no_address)?.ip();
    if theirs.is_loopback() || theirs == ours {
        return Ok(());
    }
    let text = format!("rank {rank}: rank 0 is on another machine, {theirs}: the emulated ranks have to be on one");
    Err(NcclResult::INVALID_USAGE.because(text))
}

fn absent(rank: usize, rendezvous: &Rendezvous, limit: Duration, error: &io::Error) -> Error {
    let limit = settings::timeout_text(limit);
    let text = format!("rank {rank}: rank 0 has not opened {} within {limit}: {error}", rendezvous.address);
    NcclResult::REMOTE_ERROR.because(text)
}

impl Joining {
    /// Step 1: connects to the root, which rank 0 opens if the id is from the environment.
    pub(crate) fn begin(id: &UniqueId, rank: usize, world: usize, device: c_int) -> Outcome<Self> {
        let rendezvous = id.rendezvous()?;
        let limit = settings::timeout()?;
        let deadline = Instant::now() + limit;
        if rank == 0 && rendezvous.is_from_environment() {
            root::serve(rendezvous.listen(deadline)?, rendezvous.nonce)?;
        }
        let stream = retry(deadline, || rendezvous.connect());
        let stream = stream.map_err(|error| absent(rank, &rendezvous, limit, &error))?;
        require_same_machine(rank, &stream)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let listener = listener.map_err(|error| system(&format!("rank {rank} cannot open a port"), error))?;
        let port = listener.local_addr().map_err(|error| system("no local port", error))?.port();
        let device = (process(), device);
        let hello = Hello { nonce: rendezvous.nonce, rank, world, device, port };
        // If the connection fails, it was the root of an earlier communicator. The next step connects to the right one.
        let stream = introduce(stream, &hello, limit).ok();
        let root = Root { rendezvous, hello, stream };
        let streams = (0..world).map(|_| None).collect();
        Ok(Self { rank, world, listener, root, streams, limit })
    }

    /// Step 2: receives the ports of all ranks from the root.
    pub(crate) fn receive_mesh(&mut self) -> Outcome<Mesh> {
        let Self { rank, ref mut root, limit, .. } = *self;
        let deadline = Instant::now() + limit;
        let welcome = retry(deadline, || {
            let mut stream = match root.stream.take() {
                Some(stream) => stream,
                None => introduce(root.rendezvous.connect()?, &root.hello, limit)?,
            };
            read_message(&mut stream)
        });
        match welcome {
            Ok(Welcome::Ranks { token, ports }) => Ok(Mesh { token, ports }),
            Ok(Welcome::Refusal(text)) => Err(NcclResult::INVALID_USAGE.because(text)),
            Ok(Welcome::Absence(text)) => Err(NcclResult::REMOTE_ERROR.because(text)),
            Err(error) => Err(absent(rank, &root.rendezvous, limit, &error)),
        }
    }

    /// Step 3: connects to the lower ranks. Their operating systems accept the connections.
    pub(crate) fn connect(&mut self, mesh: &Mesh) -> Outcome {
        let deadline = Instant::now() + self.limit;
        for (peer, &port) in mesh.ports.iter().enumerate().take(self.rank) {
            let greeting = Greeting { token: mesh.token, rank: self.rank };
            let connected = retry(deadline, || TcpStream::connect((Ipv4Addr::LOCALHOST, port)))
                .and_then(|mut stream| write_message(&mut stream, &greeting).map(|()| stream));
            let lost = |error| {
                let text = format!("rank {} cannot reach rank {peer} at port {port}: {error}", self.rank);
                NcclResult::REMOTE_ERROR.because(text)
            };
            self.streams[peer] = Some(connected.map_err(lost)?);
        }
        Ok(())
    }

    /// Step 4: accepts the connections of the higher ranks.
    pub(crate) fn accept(mut self, mesh: &Mesh) -> Outcome<Streams> {
        let deadline = Instant::now() + self.limit;
        self.listener.set_nonblocking(true).map_err(|error| system("cannot configure a socket", error))?;
        while let Some(missing) = (self.rank + 1..self.world).find(|peer| self.streams[*peer].is_none()) {
            let (mut stream, _) = retry(deadline, || self.listener.accept()).map_err(|_| {
                let limit = settings::timeout_text(self.limit);
                let text = format!("rank {missing} has not connected to rank {} within {limit}", self.rank);
                NcclResult::REMOTE_ERROR.because(text)
            })?;
            let heard = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(self.limit)));
            if let Ok(greeting) = heard.and_then(|()| read_message::<Greeting>(&mut stream))
                && greeting.token == mesh.token
                && (self.rank + 1..self.world).contains(&greeting.rank)
            {
                self.streams[greeting.rank] = Some(stream);
            }
        }
        Ok(self.streams)
    }
}
