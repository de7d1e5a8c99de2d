//! NCCL's functions called as from C, with addresses, counts, and the numbers of types, reductions and ranks.

use super::Rank;
use cudarc::driver::CudaStream;
use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

/// `ncclUniqueId`.
pub type Id = [c_char; 128];

/// `ncclComm_t`.
pub type Handle = usize;

pub const F32: c_int = 7;
pub const SUM: c_int = 0;
pub const MAX: c_int = 2;

pub const SUCCESS: c_int = 0;
pub const INVALID_ARGUMENT: c_int = 4;
pub const INVALID_USAGE: c_int = 5;
pub const REMOTE_ERROR: c_int = 6;

/// A rank of a communicator, and the stream for its operations.
pub struct Raw {
    pub handle: Handle,
    pub stream: Arc<CudaStream>,
}

/// The buffers of an operation, and the count and type of their elements.
#[derive(Clone, Copy)]
pub struct Buffers {
    pub send: u64,
    pub receive: u64,
    pub count: usize,
    pub datatype: c_int,
}

/// `ncclUniqueId` as an argument.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IdByValue(pub Id);

type Numbered = unsafe extern "C" fn(u64, u64, usize, c_int, c_int, Handle, usize) -> c_int;
type Plain = unsafe extern "C" fn(u64, u64, usize, c_int, Handle, usize) -> c_int;
type Reduce = unsafe extern "C" fn(u64, u64, usize, c_int, c_int, c_int, Handle, usize) -> c_int;
type OneBuffer = unsafe extern "C" fn(u64, usize, c_int, c_int, Handle, usize) -> c_int;

/// Calls a function of the library with its type in nccl.h. Invalid handles and device addresses are errors, so a call is safe
/// if its pointers to host memory are valid.
macro_rules! call {
    ($name:expr, $kind:ty, $($argument:expr),*) => {
        // SAFETY: the function has this type, and pointers to host memory are to live variables.
        unsafe { $crate::support::symbol::<$kind>($name)($($argument),*) }
    };
}

pub(crate) use call;

/// Returns a new id.
pub fn id() -> Id {
    let mut id = IdByValue([0; 128]);
    assert_eq!(call!("ncclGetUniqueId", unsafe extern "C" fn(*mut IdByValue) -> c_int, &mut id), SUCCESS);
    id.0
}

/// Returns the message of the last error.
pub fn last_error() -> String {
    let text = call!("ncclGetLastError", unsafe extern "C" fn(Handle) -> *const c_char, 0);
    // SAFETY: the library never frees the text.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl Raw {
    pub fn new(own: &Rank) -> Self {
        Self::of(own, id()).unwrap()
    }

    pub fn of(own: &Rank, id: Id) -> Result<Self, c_int> {
        type Init = unsafe extern "C" fn(*mut Handle, c_int, IdByValue, c_int) -> c_int;
        let mut handle = 0;
        let world = own.world as c_int;
        let rank = own.rank as c_int;
        match call!("ncclCommInitRank", Init, &mut handle, world, IdByValue(id), rank) {
            SUCCESS => Ok(Self { handle, stream: Arc::clone(&own.stream) }),
            error => Err(error),
        }
    }

    fn stream(&self) -> usize {
        self.stream.cu_stream() as usize
    }

    /// Calls an operation with a number after the data type: a reduction or a root.
    pub fn numbered(&self, name: &str, to: Buffers, number: c_int) -> c_int {
        call!(name, Numbered, to.send, to.receive, to.count, to.datatype, number, self.handle, self.stream())
    }

    /// Calls an operation without such a number.
    pub fn plain(&self, name: &str, to: Buffers) -> c_int {
        call!(name, Plain, to.send, to.receive, to.count, to.datatype, self.handle, self.stream())
    }

    pub fn reduce(&self, to: Buffers, reduction: c_int, root: c_int) -> c_int {
        let Buffers { send, receive, count, datatype } = to;
        call!("ncclReduce", Reduce, send, receive, count, datatype, reduction, root, self.handle, self.stream())
    }

    /// Calls an operation with one buffer and a root or peer.
    pub fn one(&self, name: &str, buffer: u64, count: usize, datatype: c_int, number: c_int) -> c_int {
        call!(name, OneBuffer, buffer, count, datatype, number, self.handle, self.stream())
    }

    /// Calls a function whose only parameter is the communicator.
    pub fn end(&self, name: &str) -> c_int {
        call!(name, unsafe extern "C" fn(Handle) -> c_int, self.handle)
    }

    /// Calls a function that writes a number, and returns the number.
    pub fn ask(&self, name: &str) -> c_int {
        let mut value = -1;
        assert_eq!(call!(name, unsafe extern "C" fn(Handle, *mut c_int) -> c_int, self.handle, &mut value), SUCCESS);
        value
    }
}

/// Makes calls in a group, and returns the status of its end.
pub fn group(calls: impl FnOnce()) -> c_int {
    assert_eq!(call!("ncclGroupStart", unsafe extern "C" fn() -> c_int,), SUCCESS);
    calls();
    call!("ncclGroupEnd", unsafe extern "C" fn() -> c_int,)
}
