//! A ring of ranks over TCP, for the strategy with which NCCL is compared.

use crate::ranks::process::address::own_address;
use crate::ranks::rank::Rank;
use common::Error;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};

/// Connections to the next rank and from the previous one.
#[derive(Debug)]
pub struct Ring {
    next: TcpStream,
    last: TcpStream,
    rank: usize,
    ranks: usize,
}

impl Ring {
    /// Connects the ranks. A collective call: all ranks must make it.
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(rank: &Rank) -> Result<Self, Error> {
        let failed = |error| Error::Open(format!("cannot connect to the neighboring ranks over TCP: {error}"));
        let own = rank.place.rank;
        let ranks = rank.place.world;
        let address = own_address(&rank.place.root);
        let listener = TcpListener::bind((address, 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let mut announced = address.octets().map(u32::from).to_vec();
        announced.push(port.into());
        let all = rank.gather(&announced)?;
        let (addresses, _) = all.as_chunks::<5>();
        let [a, b, c, d, port] = addresses[(own + 1) % ranks];
        let host = IpAddr::from([a, b, c, d].map(|octet| octet as u8));
        let next = TcpStream::connect(SocketAddr::new(host, port as u16)).map_err(failed)?;
        let (last, _) = listener.accept().map_err(failed)?;
        for stream in [&next, &last] {
            stream.set_nodelay(true).map_err(failed)?;
        }
        Ok(Self { next, last, rank: own, ranks })
    }

    /// Gathers parts of equal length, of which each rank initially has its own: in each step, every rank sends a part
    /// to the next.
    ///
    /// # Errors
    /// [`Error::Open`] if a neighbor has ended.
    pub fn all_gather(&mut self, parts: &mut [f32]) -> Result<(), Error> {
        let rank = self.rank;
        let ranks = self.ranks;
        let each = parts.len() / self.ranks;
        for step in 0..ranks - 1 {
            let [sent, received] = [step, step + 1].map(|step| (rank + ranks - step) % ranks * each);
            let out: Vec<u8> = parts[sent..sent + each].iter().flat_map(|float| float.to_le_bytes()).collect();
            let mut into = vec![0; 4 * each];
            let next = &mut self.next;
            let last = &mut self.last;
            // Concurrently: the buffers of both neighbors may be full.
            let done = std::thread::scope(|scope| {
                let sending = scope.spawn(move || next.write_all(&out));
                let received = last.read_exact(&mut into);
                sending.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into())).and(received)
            });
            done.map_err(|error| Error::Open(format!("the TCP connection to a neighboring rank was lost: {error}")))?;
            let (words, _) = into.as_chunks::<4>();
            parts[received..][..each].iter_mut().zip(words).for_each(|(to, word)| *to = f32::from_le_bytes(*word));
        }
        Ok(())
    }
}
