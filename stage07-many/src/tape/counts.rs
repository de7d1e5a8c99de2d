//! What a step enqueues, in numbers.

use serde::Serialize;

/// What a rank's step enqueues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Interactions, additions or evaluations of its kernels.
    pub work: f64,
    /// Kernels.
    pub kernels: u32,
    /// Transfers.
    pub transfers: u32,
    /// Bytes that other ranks send to this one.
    pub bytes_received: f64,
    /// Of these, bytes that come from other machines.
    pub bytes_from_machines: f64,
    /// Bytes of transfers beside which no kernel of this rank may run, whatever the times.
    pub bytes_exposed: f64,
    /// Warp instructions of its kernels; 0 on a GPU.
    pub warp_instructions: f64,
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |sum, part| Self {
            received: sum.received + part.received,
            from_machines: sum.from_machines + part.from_machines,
        })
    }
}

impl Counts {
    /// Adds what another step enqueues.
    pub fn add(&mut self, other: &Self) {
        self.work += other.work;
        self.kernels += other.kernels;
        self.transfers += other.transfers;
        self.bytes_received += other.bytes_received;
        self.bytes_from_machines += other.bytes_from_machines;
        self.bytes_exposed += other.bytes_exposed;
        self.warp_instructions += other.warp_instructions;
    }
}

/// What a transfer brings to this rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bytes {
    /// From other ranks.
    pub received: usize,
    /// Of these, from other machines.
    pub from_machines: usize,
}
