//! Counts of the operations that a step enqueues.

use serde::Serialize;

/// The operations that a rank's step enqueues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// The interactions, additions or evaluations of its kernels.
    pub work: f64,
    /// The number of kernels.
    pub kernels: u32,
    /// The number of transfers.
    pub transfers: u32,
    /// The bytes received from other ranks.
    pub bytes_received: f64,
    /// The part of these bytes that comes from other machines.
    pub bytes_from_machines: f64,
    /// The bytes of exposed transfers: no kernel of this rank can run concurrently with them, whatever the times.
    pub bytes_exposed: f64,
    /// The warp instructions of its kernels; 0 on a GPU.
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
    /// Adds the counts of another step.
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

/// The bytes that a transfer delivers to this rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bytes {
    /// From other ranks.
    pub received: usize,
    /// The part of these that comes from other machines.
    pub from_machines: usize,
}
