//! How a rank joins a communicator, in steps. No step waits for a later step of another rank, so that one thread can join
//! several ranks.

use super::handshake::{Greeting, Hello, Welcome, process};
use super::identity::UniqueId;
use super::rendezvous::Rendezvous;
use super::wire::{read_message, write_message};
use super::{address, root};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::ffi::c_int;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// The addresses of all ranks.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    /// The token of the communicator, which identifies its ranks.
    pub(crate) token: u64,
    /// The address of each rank.
    pub(crate) addresses: Vec<SocketAddr>,
}

/// The connections of a rank, by rank, and the address at which others reach it.
pub(crate) struct Joined {
    pub(crate) streams: Vec<Option<TcpStream>>,
    pub(crate) address: IpAddr,
}

/// A rank that is joining a communicator.
pub(crate) struct Joining {
    pub(crate) rank: usize,
    world: usize,
    listener: TcpListener,
    root: Option<Root>,
    streams: Vec<Option<TcpStream>>,
    limit: Duration,
}

/// The root, until it has sent the addresses of the other ranks.
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

fn absent(rank: usize, rendezvous: &Rendezvous, limit: Duration, error: &io::Error) -> Error {
    let limit = settings::timeout_text(limit);
    let text = format!("rank {rank}: rank 0 has not opened {} within {limit}: {error}", rendezvous.address);
    NcclResult::REMOTE_ERROR.because(text)
}

impl Joining {
    /// Opens a port on an address of this rank.
    pub(crate) fn listen(rank: usize, own: IpAddr) -> Outcome<TcpListener> {
        TcpListener::bind((own, 0)).map_err(|error| system(&format!("rank {rank} cannot listen on {own}"), error))
    }

    /// Creates a rank that needs no root, because the addresses of the others are known.
    pub(crate) fn known(rank: usize, world: usize, listener: TcpListener) -> Outcome<Self> {
        let (streams, limit) = ((0..world).map(|_| None).collect(), settings::timeout()?);
        Ok(Self { rank, world, listener, root: None, streams, limit })
    }

    /// Step 1: connects to the root, which rank 0 opens if the id is from the environment.
    pub(crate) fn begin(id: &UniqueId, rank: usize, world: usize, device: c_int) -> Outcome<Self> {
        let (rendezvous, limit, given) = (id.rendezvous()?, settings::timeout()?, settings::address()?);
        let deadline = Instant::now() + limit;
        if rank == 0 && rendezvous.is_from_environment() {
            root::serve(address::listen(&rendezvous, deadline)?, rendezvous.nonce)?;
        }
        let stream = address::retry(deadline, || address::connect(&rendezvous.address));
        let stream = stream.map_err(|error| absent(rank, &rendezvous, limit, &error))?;
        let (own, bound) = address::of_rank(given, &rendezvous, &stream)?;
        let listener = Self::listen(rank, bound)?;
        let port = listener.local_addr().map_err(|error| system("no local port", error))?.port();
        let device = (process(), device);
        let hello = Hello { nonce: rendezvous.nonce, rank, world, device, address: SocketAddr::new(own, port) };
        let mut joining = Self::known(rank, world, listener)?;
        // If the connection fails, it was the root of an earlier communicator. The next step connects to the right one.
        let stream = introduce(stream, &hello, limit).ok();
        joining.root = Some(Root { rendezvous, hello, stream });
        Ok(joining)
    }

    /// Step 2: receives the addresses of all ranks from the root.
    pub(crate) fn receive_mesh(&mut self) -> Outcome<Mesh> {
        let (deadline, limit) = (Instant::now() + self.limit, self.limit);
        let Some(mut root) = self.root.take() else { return Err(system("the root", "has answered already")) };
        let welcome = address::retry(deadline, || {
            let mut stream = match root.stream.take() {
                Some(stream) => stream,
                None => introduce(address::connect(&root.rendezvous.address)?, &root.hello, limit)?,
            };
            read_message(&mut stream)
        });
        match welcome {
            Ok(Welcome::Ranks { token, addresses }) => Ok(Mesh { token, addresses }),
            Ok(Welcome::Refusal(text)) => Err(NcclResult::INVALID_USAGE.because(text)),
            Ok(Welcome::Absence(text)) => Err(NcclResult::REMOTE_ERROR.because(text)),
            Err(error) => Err(absent(self.rank, &root.rendezvous, limit, &error)),
        }
    }

    /// Step 3: connects to the lower ranks. Their operating systems accept the connections.
    pub(crate) fn connect(&mut self, mesh: &Mesh) -> Outcome {
        let deadline = Instant::now() + self.limit;
        for (peer, address) in mesh.addresses.iter().enumerate().take(self.rank) {
            let greeting = Greeting { token: mesh.token, rank: self.rank };
            let connected = address::retry(deadline, || TcpStream::connect(address))
                .and_then(|mut stream| write_message(&mut stream, &greeting).map(|()| stream));
            let lost = |error| {
                let text = format!("rank {} cannot reach rank {peer} at {address}: {error}", self.rank);
                NcclResult::REMOTE_ERROR.because(text)
            };
            self.streams[peer] = Some(connected.map_err(lost)?);
        }
        Ok(())
    }

    /// Step 4: accepts the connections of the higher ranks.
    pub(crate) fn accept(mut self, mesh: &Mesh) -> Outcome<Joined> {
        let deadline = Instant::now() + self.limit;
        self.listener.set_nonblocking(true).map_err(|error| system("cannot configure a socket", error))?;
        while let Some(missing) = (self.rank + 1..self.world).find(|peer| self.streams[*peer].is_none()) {
            let (mut stream, _) = address::retry(deadline, || self.listener.accept()).map_err(|_| {
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
        Ok(Joined { streams: self.streams, address: mesh.addresses[self.rank].ip() })
    }
}
