//! Host-staged exchange: bodies are copied to the host, sent from host to host over TCP, and copied back to the device.

use super::{Exchange, Problem};
use crate::ranks::model::Model;
use crate::ranks::rank::{Doing, Rank};
use crate::ranks::tape::Tape;
use crate::ranks::tcp::Ring;
use common::Error;
use cudarc::driver::CudaSlice;

/// All bodies, on the host and on the device, and the connections to the neighbors.
#[derive(Debug)]
pub struct HostStaged {
    ring: Ring,
    on_host: Vec<f32>,
    all: CudaSlice<f32>,
}

impl Exchange for HostStaged {
    const NAME: &'static str = "host_staged";
    const IDEA: &'static str = "bodies through the hosts and TCP: every byte crosses PCIe twice";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        let all = problem.floats_of_all();
        Ok(Self { ring: Ring::open(rank)?, on_host: vec![0.0; all], all: rank.zeros(all)? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { ring, on_host, all } = self;
        let rank = tape.rank;
        let stream = &tape.rank.transfers;
        problem.clear(tape, stream)?;
        tape.exchange("through the hosts", stream, problem.bytes_of_others(), || -> Result<(), Error> {
            let own = stream.clone_dtoh(&problem.own).doing("cannot copy bodies to the host")?;
            on_host[rank.place.rank * own.len()..][..own.len()].copy_from_slice(&own);
            ring.all_gather(on_host)?;
            stream.memcpy_htod(on_host, all).doing("cannot copy bodies to the device")
        })?;
        problem.add(tape, stream, "all bodies", &all.as_view())
    }

    fn predict(_: &Model) -> Option<f64> {
        None
    }
}
