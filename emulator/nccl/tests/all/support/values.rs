//! Numbers in device memory that depend on rank and index.

use super::Rank;
use cudarc::driver::{CudaSlice, DevicePtr};

/// Device memory with values, and its address.
pub struct Values(CudaSlice<f32>, pub u64);

impl Values {
    pub fn new(own: &Rank, values: &[f32]) -> Self {
        let slice = own.stream.clone_htod(values).unwrap();
        let address = slice.device_ptr(&own.stream).0;
        Self(slice, address)
    }

    pub fn read(&self, own: &Rank) -> Vec<f32> {
        own.stream.clone_dtoh(&self.0).unwrap()
    }
}

/// Returns value `index` of a rank.
pub fn value(rank: usize, index: usize) -> f32 {
    (100 * rank + index) as f32
}

pub fn values(rank: usize, count: usize) -> Vec<f32> {
    (0..count).map(|index| value(rank, index)).collect()
}
