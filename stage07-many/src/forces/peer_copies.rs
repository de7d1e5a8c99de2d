//! One process with all GPUs, without NCCL: each device fetches the bodies of the others by peer-to-peer copies, as in
//! cudarc's example for several GPUs.

use super::FLOATS;
use super::check::Comparison;
use super::kernel::ForcesOf;
use super::problem::{Alone, all_bodies, own_bodies};
use crate::ranks::model::Model;
use crate::ranks::rank::{Doing, Rank, Share};
use crate::ranks::strategy::{Facts, Strategy, Work};
use crate::ranks::tape::{Bytes, Tape};
use common::Error;
use common::device::Backend;
use common::kernel::KernelSource;
use common::problem::Size;
use common::problem::forces::Bodies;
use common::verify::Report;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError};
use std::sync::Arc;

/// The strategy.
pub static PEER_COPIES: PeerCopies = PeerCopies;

/// Copies between the devices of one process.
#[derive(Debug)]
pub struct PeerCopies;

/// A device of the process, with the buffers of a rank.
struct Peer {
    stream: Arc<CudaStream>,
    kernel: ForcesOf,
    share: Share,
    all: CudaSlice<f32>,
    sums: CudaSlice<f32>,
}

struct Run<'a> {
    rank: &'a Rank,
    peers: Vec<Peer>,
    /// The own bodies of each device, from which the others copy.
    own: Vec<CudaSlice<f32>>,
    bodies: Bodies,
    alone: Alone,
    seed: u64,
}

impl Peer {
    fn open(rank: &Rank, number: usize, share: Share) -> Result<Self, Error> {
        // The first is the rank's device.
        let context = match number {
            0 => rank.device.context.clone(),
            _ => CudaContext::new(number).doing(&format!("cannot open device {number}"))?,
        };
        // SAFETY: the step orders the streams by events, and waits for its work before its buffers are freed.
        unsafe { context.disable_event_tracking() };
        let stream = if number == 0 { Ok(rank.transfers.clone()) } else { context.new_stream() };
        let stream = stream.doing("cannot create a stream")?;
        let zeros = |count: usize| stream.alloc_zeros(count).doing("cannot allocate on a peer");
        let kernel = if number == 0 { ForcesOf::load(rank, "forces_of")? } else { ForcesOf::load_on(rank, &context)? };
        let all = zeros(FLOATS * share.room * rank.devices)?;
        let sums = zeros(3 * share.room)?;
        Ok(Self { kernel, all, sums, stream, share })
    }
}

impl Run<'_> {
    /// Enqueues the copies of all bodies on each device.
    fn copy(peers: &mut [Peer], own: &[CudaSlice<f32>]) -> Result<(), DriverError> {
        for Peer { stream, all, share, .. } in peers {
            let room = FLOATS * share.room;
            for (number, bodies) in own.iter().enumerate() {
                stream.memcpy_dtod(bodies, &mut all.slice_mut(number * room..(number + 1) * room))?;
            }
        }
        Ok(())
    }

    /// Enqueues the sums over all bodies on each device.
    fn sum(peers: &mut [Peer], own: &[CudaSlice<f32>]) -> Result<(), DriverError> {
        for (Peer { stream, kernel, all, sums, .. }, own) in peers.iter_mut().zip(own) {
            kernel.add(stream, &own.as_view(), &all.as_view(), sums)?;
        }
        Ok(())
    }

    /// Makes all devices wait for the first if `begins`, otherwise the first for all.
    fn order(peers: &[Peer], begins: bool) -> Result<(), DriverError> {
        let Some((first, others)) = peers.split_first() else { return Ok(()) };
        for other in others {
            let (waiter, waited) = if begins { (other, first) } else { (first, other) };
            // an event is recorded on its own stream; any stream may wait for it
            waiter.stream.wait(&waited.stream.record_event(None)?)?;
        }
        Ok(())
    }
}

impl Work for Run<'_> {
    fn step(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, peers, own, bodies, .. } = self;
        let main = &rank.transfers;
        let devices = peers.len();
        let room = peers[0].share.room;
        Self::order(peers, true).doing("cannot order the devices")?;
        let zeros = |peers: &mut [Peer]| peers.iter_mut().try_for_each(|peer| peer.stream.memset_zeros(&mut peer.sums));
        tape.fill("zeros", || zeros(peers))?;
        // of one device, as in the other strategies
        let bytes = Bytes { received: 4 * FLOATS * room * (devices - 1), from_machines: 0 };
        tape.exchange("peer copies", main, bytes, || Self::copy(peers, own))?;
        let work = (room * bodies.mass.len()) as f64;
        tape.compute("all bodies", main, work, || Self::sum(peers, own))?;
        Self::order(peers, false).doing("cannot order the devices")
    }

    fn alone(&mut self, tape: &mut Tape) -> Result<(), Error> {
        self.alone.add(tape, &self.peers[0].kernel)
    }

    fn verify(&mut self) -> Result<Report, Error> {
        let alone = self.rank.download(&self.alone.sums)?;
        let mut report = Report::default();
        for (number, peer) in self.peers.iter().enumerate() {
            let sums = peer.stream.clone_dtoh(&peer.sums).doing("cannot copy from a peer")?;
            let comparison = Comparison::new(&self.bodies, &peer.share, self.seed + number as u64);
            report.add(comparison.report(&comparison.rows(&sums), &alone));
        }
        Ok(report)
    }
}

impl Strategy for PeerCopies {
    fn facts(&self) -> Facts {
        let idea = "one process with all GPUs, peer-to-peer copies, no NCCL";
        Facts { name: "peer_copies", idea, ..super::ALL_GATHER.facts() }
    }

    fn describe(&self, n: usize, backend: Backend) -> String {
        super::ALL_GATHER.describe(n, backend)
    }

    fn sources(&self) -> Vec<KernelSource> {
        super::ALL_GATHER.sources()
    }

    fn is_one_process(&self) -> bool {
        true
    }

    fn obstacle(&self, rank: &Rank) -> Option<String> {
        let count = usize::try_from(CudaContext::device_count().unwrap_or(0)).unwrap_or(0);
        (count < rank.devices).then(|| format!("one process sees only {count} of {} devices", rank.devices))
    }

    fn prepare<'a>(&self, rank: &'a Rank, size: &Size) -> Result<Box<dyn Work + 'a>, Error> {
        let (bodies, all) = all_bodies(size);
        let share = |number: usize| Share::new(size.n, number, rank.devices, 1);
        let peers: Vec<Peer> =
            (0..rank.devices).map(|number| Peer::open(rank, number, share(number))).collect::<Result<_, _>>()?;
        let upload = |peer: &Peer| {
            let own = own_bodies(&all, &peer.share);
            peer.stream.clone_htod(&own).and_then(|copy| peer.stream.synchronize().map(|()| copy))
        };
        let own = peers.iter().map(upload).collect::<Result<_, _>>().doing("cannot copy to a peer")?;
        let alone = Alone::new(rank, &all)?;
        Ok(Box::new(Run { rank, peers, own, bodies, alone, seed: size.seed }))
    }

    fn predict(&self, _: &Model) -> Option<f64> {
        None
    }
}
