//! How a rank gets its connections, in steps that never wait for a later step of another rank of the same thread.

use super::hello::{Greeting, Hello, Welcome};
use super::identity::{Meeting, UniqueId};
use super::root;
use super::wire::{read_message, write_message};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread::sleep;
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(2);

/// What a rank knows of the others.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    /// Of the communicator, by which strangers are told from ranks.
    pub(crate) token: u64,
    /// Where each rank is reached.
    pub(crate) addresses: Vec<SocketAddr>,
}

/// A rank on its way into a communicator.
pub(crate) struct Joining {
    pub(crate) rank: usize,
    pub(crate) world: usize,
    listener: TcpListener,
    /// Where the root is, as long as it is needed, and the connection to it.
    meeting: Option<Meeting>,
    root: Option<TcpStream>,
    streams: Vec<Option<TcpStream>>,
    limit: Duration,
}

fn system(doing: &str, error: impl std::fmt::Display) -> Error {
    NcclResult::SYSTEM_ERROR.because(format!("{doing}: {error}"))
}

fn absent(rank: usize, meeting: &Meeting, limit: Duration, error: &io::Error) -> Error {
    let limit = settings::timeout_text(limit);
    let text = format!("rank {rank}: no root at {} within {limit}, which rank 0 opens: {error}", meeting.address);
    NcclResult::REMOTE_ERROR.because(text)
}

/// Calls until it succeeds or the time is over.
fn patiently<T>(deadline: Instant, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => sleep(TICK),
            done => return done,
        }
    }
}

impl Joining {
    /// Step 1: goes to the root, which rank 0 opens where the id is of the environment.
    pub(crate) fn begin(id: &UniqueId, rank: usize, world: usize) -> Outcome<Self> {
        let (meeting, limit) = (id.meeting()?, settings::timeout()?);
        let deadline = Instant::now() + limit;
        if rank == 0 && meeting.is_of_environment() {
            root::serve(listen(&meeting, deadline)?, meeting.nonce)?;
        }
        let root =
            patiently(deadline, || connect(&meeting.address)).map_err(|error| absent(rank, &meeting, limit, &error))?;
        let own = settings::address()?.map_or_else(|| root.local_addr().map(|address| address.ip()), Ok);
        let own = own.map_err(|error| system("the own address", error))?;
        let listener = TcpListener::bind((own, 0)).map_err(|error| system(&format!("rank {rank} at {own}"), error))?;
        let streams = (0..world).map(|_| None).collect();
        let mut joining = Self { rank, world, listener, meeting: Some(meeting), root: Some(root), streams, limit };
        // A root that is gone already was that of another communicator: the next step goes to this one's.
        let _gone = joining.introduce();
        Ok(joining)
    }

    /// Says to the root who this is.
    fn introduce(&mut self) -> io::Result<()> {
        let (Some(root), Some(meeting)) = (&mut self.root, &self.meeting) else { return Ok(()) };
        let hello =
            Hello { nonce: meeting.nonce, rank: self.rank, world: self.world, address: self.listener.local_addr()? };
        // The root gives up first, and says why.
        root.set_read_timeout(Some(self.limit + Duration::from_secs(5)))?;
        write_message(root, &hello)
    }

    /// Step 2: hears from the root who is where.
    pub(crate) fn hear(&mut self) -> Outcome<Mesh> {
        let deadline = Instant::now() + self.limit;
        let Some(meeting) = self.meeting.clone() else { return Err(system("the root", "was heard before")) };
        let welcome = patiently(deadline, || {
            if self.root.is_none() {
                self.root = Some(connect(&meeting.address)?);
                self.introduce()?;
            }
            let heard = self.root.as_mut().map(read_message).transpose();
            self.root = None;
            heard
        });
        match welcome {
            Ok(Some(Welcome::Ranks { token, addresses })) => Ok(Mesh { token, addresses }),
            Ok(Some(Welcome::Refusal(text))) => Err(NcclResult::REMOTE_ERROR.because(text)),
            Ok(None) => Err(system("the root", "was not asked")),
            Err(error) => Err(absent(self.rank, &meeting, self.limit, &error)),
        }
    }

    /// Step 3: connects to the ranks below. Their systems accept for them.
    pub(crate) fn connect(&mut self, mesh: &Mesh) -> Outcome {
        let deadline = Instant::now() + self.limit;
        for (peer, address) in mesh.addresses.iter().enumerate().take(self.rank) {
            let greeting = Greeting { token: mesh.token, rank: self.rank };
            let connected = patiently(deadline, || TcpStream::connect(address))
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
    pub(crate) fn accept(mut self, mesh: &Mesh) -> Outcome<Vec<Option<TcpStream>>> {
        let deadline = Instant::now() + self.limit;
        self.listener.set_nonblocking(true).map_err(|error| system("a socket", error))?;
        while let Some(missing) = (self.rank + 1..self.world).find(|peer| self.streams[*peer].is_none()) {
            let (mut stream, _) = patiently(deadline, || self.listener.accept()).map_err(|_| {
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

/// Opens the port of `NCCL_COMM_ID` in rank 0: at that address, or at all of this machine where it is a name.
fn listen(meeting: &Meeting, deadline: Instant) -> Outcome<TcpListener> {
    let wrong = |error: io::Error| {
        let text = format!("rank 0 cannot listen at {}={}: {error}", settings::COMM_ID, meeting.address);
        NcclResult::SYSTEM_ERROR.because(text)
    };
    let address = match meeting.address.parse::<SocketAddr>() {
        Ok(address) => address,
        Err(_) => SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), resolve(&meeting.address).map_err(wrong)?.port()),
    };
    // Another communicator may meet there now.
    patiently(deadline, || TcpListener::bind(address)).map_err(wrong)
}

fn resolve(address: &str) -> io::Result<SocketAddr> {
    address.to_socket_addrs()?.next().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no address has this name"))
}

fn connect(address: &str) -> io::Result<TcpStream> {
    TcpStream::connect(resolve(address)?)
}
