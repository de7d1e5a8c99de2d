//! A ring of ranks over TCP, for the rung that NCCL is compared with.

use crate::process::address::own_address;
use crate::rank::Rank;
use common::Error;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};

/// Connections to the next rank and from the last one.
#[derive(Debug)]
pub struct Ring {
    next: TcpStream,
    last: TcpStream,
    rank: usize,
    ranks: usize,
}

impl Ring {
    /// Connects the ranks. All must call.
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(rank: &Rank) -> Result<Self, Error> {
        let failed = |error| Error::Open(format!("cannot connect to the neighbors over TCP: {error}"));
        let (own, ranks) = (rank.place.rank, rank.place.world);
        let address = own_address(&rank.place.root);
        let listener = TcpListener::bind((address, 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let mut told = address.octets().map(u32::from).to_vec();
        told.push(port.into());
        let all = rank.gather(&told)?;
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

    /// Completes equal parts, of which each rank has its own: in each step a part goes on to the next rank.
    ///
    /// # Errors
    /// [`Error::Open`], when a neighbor has gone.
    pub fn all_gather(&mut self, parts: &mut [f32]) -> Result<(), Error> {
        let (rank, ranks, each) = (self.rank, self.ranks, parts.len() / self.ranks);
        for step in 0..ranks - 1 {
            let [sent, received] = [step, step + 1].map(|step| (rank + ranks - step) % ranks * each);
            let out: Vec<u8> = parts[sent..sent + each].iter().flat_map(|float| float.to_le_bytes()).collect();
            let mut into = vec![0; 4 * each];
            let (next, last) = (&mut self.next, &mut self.last);
            // At the same time: both neighbors' buffers may be full.
            let done = std::thread::scope(|scope| {
                let sending = scope.spawn(move || next.write_all(&out));
                let received = last.read_exact(&mut into);
                sending.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into())).and(received)
            });
            done.map_err(|error| Error::Open(format!("a neighbor over TCP has gone: {error}")))?;
            let (words, _) = into.as_chunks::<4>();
            parts[received..][..each].iter_mut().zip(words).for_each(|(to, word)| *to = f32::from_le_bytes(*word));
        }
        Ok(())
    }
}
