//! A communicator of cudarc's `result` layer: addresses, counts and types as a C program gives them.

use super::Rank;
use cudarc::driver::CudaStream;
use cudarc::nccl::result::{self, NcclError, NcclStatus};
use cudarc::nccl::sys::{self, ncclComm_t, ncclDataType_t, ncclRedOp_t, ncclUniqueId};
use std::ffi::c_void;
use std::sync::Arc;

pub type Answer = Result<NcclStatus, NcclError>;

pub struct Raw {
    pub comm: ncclComm_t,
    pub stream: Arc<CudaStream>,
}

/// Where an operation reads and writes, and how much of what.
#[derive(Clone, Copy)]
pub struct Buffers {
    pub send: u64,
    pub receive: u64,
    pub count: usize,
    pub datatype: ncclDataType_t,
}

fn place(address: u64) -> *mut c_void {
    address as *mut c_void
}

// SAFETY of all calls below: the emulator's NCCL checks every handle and address, and answers an error for a wrong one.
impl Raw {
    pub fn new(own: &Rank) -> Self {
        Self::of(own, result::get_uniqueid().unwrap()).unwrap()
    }

    pub fn of(own: &Rank, id: ncclUniqueId) -> Result<Self, NcclError> {
        let mut comm = std::ptr::null_mut();
        // SAFETY: see above.
        unsafe { result::comm_init_rank(&mut comm, own.world as i32, id, own.rank as i32) }?;
        Ok(Self { comm, stream: Arc::clone(&own.stream) })
    }

    fn stream(&self) -> sys::cudaStream_t {
        self.stream.cu_stream().cast()
    }

    pub fn all_reduce(&self, to: Buffers, op: ncclRedOp_t) -> Answer {
        let (send, receive) = (place(to.send), place(to.receive));
        // SAFETY: see above.
        unsafe { result::all_reduce(send, receive, to.count, to.datatype, op, self.comm, self.stream()) }
    }

    pub fn all_gather(&self, to: Buffers) -> Answer {
        let (send, receive) = (place(to.send), place(to.receive));
        // SAFETY: see above.
        unsafe { result::all_gather(send, receive, to.count, to.datatype, self.comm, self.stream()) }
    }

    pub fn reduce_scatter(&self, to: Buffers, op: ncclRedOp_t) -> Answer {
        let (send, receive) = (place(to.send), place(to.receive));
        // SAFETY: see above.
        unsafe { result::reduce_scatter(send, receive, to.count, to.datatype, op, self.comm, self.stream()) }
    }

    pub fn reduce(&self, to: Buffers, op: ncclRedOp_t, root: i32) -> Answer {
        let (send, receive) = (place(to.send), place(to.receive));
        // SAFETY: see above.
        unsafe { result::reduce(send, receive, to.count, to.datatype, op, root, self.comm, self.stream()) }
    }
}
