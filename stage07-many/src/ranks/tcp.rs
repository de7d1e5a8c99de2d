//! A ring of ranks over TCP, for the strategy with which NCCL is compared.

use crate::ranks::rank::Rank;
use common::Error;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};

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

/// Returns this machine's address on its route to the ranks' meeting point. The call sends no packets.
fn own_address(root: &str) -> Ipv4Addr {
    let way = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect(root)?;
        socket.local_addr()
    });
    match way.map(|address| address.ip()) {
        Ok(IpAddr::V4(address)) => address,
        _ => Ipv4Addr::LOCALHOST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_meets_at_a_loopback_address_is_reached_there() {
        assert_eq!(own_address("127.0.0.1:29501"), Ipv4Addr::LOCALHOST);
        assert_eq!(own_address("no such place"), Ipv4Addr::LOCALHOST);
    }
}
