//! How a rank gets its connections, in steps that never wait for a later step of another rank of the same thread.

use super::hello::{Greeting, Hello, Welcome, process};
use super::identity::{Meeting, UniqueId};
use super::wire::{read_message, write_message};
use super::{address, root};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::ffi::c_int;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// What a rank knows of the others.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    /// Of the communicator, by which strangers are told from ranks.
    pub(crate) token: u64,
    /// Where each rank is reached.
    pub(crate) addresses: Vec<SocketAddr>,
}

/// The connections of a rank, by rank, and the address by which others reach it.
pub(crate) struct Joined {
    pub(crate) streams: Vec<Option<TcpStream>>,
    pub(crate) address: IpAddr,
}

/// A rank on its way into a communicator.
pub(crate) struct Joining {
    pub(crate) rank: usize,
    world: usize,
    listener: TcpListener,
    root: Option<Root>,
    streams: Vec<Option<TcpStream>>,
    limit: Duration,
}

/// Where the others are asked for, as long as that is not known.
struct Root {
    meeting: Meeting,
    hello: Hello,
    stream: Option<TcpStream>,
}

/// Says to the root who this is.
fn introduce(mut root: TcpStream, hello: &Hello, limit: Duration) -> io::Result<TcpStream> {
    // The root gives up first, and says why.
    root.set_read_timeout(Some(limit + Duration::from_secs(5)))?;
    write_message(&mut root, hello).map(|()| root)
}

fn system(doing: &str, error: impl std::fmt::Display) -> Error {
    NcclResult::SYSTEM_ERROR.because(format!("{doing}: {error}"))
}

fn absent(rank: usize, meeting: &Meeting, limit: Duration, error: &io::Error) -> Error {
    let limit = settings::timeout_text(limit);
    let text = format!("rank {rank}: no root at {} within {limit}, which rank 0 opens: {error}", meeting.address);
    NcclResult::REMOTE_ERROR.because(text)
}

impl Joining {
    /// Opens a port at an address of this rank.
    pub(crate) fn listen(rank: usize, own: IpAddr) -> Outcome<TcpListener> {
        TcpListener::bind((own, 0)).map_err(|error| system(&format!("rank {rank} at {own}"), error))
    }

    /// A rank that needs no root: the others are known.
    pub(crate) fn known(rank: usize, world: usize, listener: TcpListener) -> Outcome<Self> {
        let (streams, limit) = ((0..world).map(|_| None).collect(), settings::timeout()?);
        Ok(Self { rank, world, listener, root: None, streams, limit })
    }

    /// Step 1: goes to the root, which rank 0 opens where the id is of the environment.
    pub(crate) fn begin(id: &UniqueId, rank: usize, world: usize, device: c_int) -> Outcome<Self> {
        let (meeting, limit, given) = (id.meeting()?, settings::timeout()?, settings::address()?);
        let deadline = Instant::now() + limit;
        if rank == 0 && meeting.is_of_environment() {
            root::serve(address::listen(&meeting, deadline)?, meeting.nonce)?;
        }
        let stream = address::patiently(deadline, || address::connect(&meeting.address));
        let stream = stream.map_err(|error| absent(rank, &meeting, limit, &error))?;
        let (own, bound) = address::of_rank(given, &meeting, &stream)?;
        let listener = Self::listen(rank, bound)?;
        let port = listener.local_addr().map_err(|error| system("the own port", error))?.port();
        let device = (process(), device);
        let hello = Hello { nonce: meeting.nonce, rank, world, device, address: SocketAddr::new(own, port) };
        let mut joining = Self::known(rank, world, listener)?;
        // A root that is gone already was that of another communicator: the next step goes to this one's.
        let stream = introduce(stream, &hello, limit).ok();
        joining.root = Some(Root { meeting, hello, stream });
        Ok(joining)
    }

    /// Step 2: hears from the root who is where.
    pub(crate) fn hear(&mut self) -> Outcome<Mesh> {
        let (deadline, limit) = (Instant::now() + self.limit, self.limit);
        let Some(mut root) = self.root.take() else { return Err(system("the root", "was heard before")) };
        let welcome = address::patiently(deadline, || {
            let mut stream = match root.stream.take() {
                Some(stream) => stream,
                None => introduce(address::connect(&root.meeting.address)?, &root.hello, limit)?,
            };
            read_message(&mut stream)
        });
        match welcome {
            Ok(Welcome::Ranks { token, addresses }) => Ok(Mesh { token, addresses }),
            Ok(Welcome::Refusal(text)) => Err(NcclResult::INVALID_USAGE.because(text)),
            Ok(Welcome::Absence(text)) => Err(NcclResult::REMOTE_ERROR.because(text)),
            Err(error) => Err(absent(self.rank, &root.meeting, limit, &error)),
        }
    }

    /// Step 3: connects to the ranks below. Their systems accept for them.
    pub(crate) fn connect(&mut self, mesh: &Mesh) -> Outcome {
        let deadline = Instant::now() + self.limit;
        for (peer, address) in mesh.addresses.iter().enumerate().take(self.rank) {
            let greeting = Greeting { token: mesh.token, rank: self.rank };
            let connected = address::patiently(deadline, || TcpStream::connect(address))
                .and_then(|mut stream| write_message(&mut stream, &greeting).map(|()| stream));
            let lost = |error| {
                let text = format!("rank {} cannot reach rank {peer} at {address}: {error}", self.rank);
                NcclResult::REMOTE_ERROR.because(text)
            };
            self.streams[peer] = Some(connected.map_err(lost)?);
        }
        Ok(())
    }

    /// Step 4: takes the connections of the ranks above.
    pub(crate) fn accept(mut self, mesh: &Mesh) -> Outcome<Joined> {
        let deadline = Instant::now() + self.limit;
        self.listener.set_nonblocking(true).map_err(|error| system("a socket", error))?;
        while let Some(missing) = (self.rank + 1..self.world).find(|peer| self.streams[*peer].is_none()) {
            let (mut stream, _) = address::patiently(deadline, || self.listener.accept()).map_err(|_| {
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
