//! The status codes of CUDA 12.8, and the error type of this crate.

use std::ffi::CStr;
use std::fmt::Display;
use std::sync::Arc;

/// The status of a driver call. Only documented values exist, because callers convert the number to an enumeration
/// unchecked.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CUresult(u32);

/// The result of the body of a driver call.
pub type Outcome<T = ()> = Result<T, Error>;

/// A failure status, and a message about its cause.
#[derive(Clone, Debug)]
pub struct Error {
    /// The status.
    pub code: CUresult,
    /// The message, if there is more to say than the status does.
    pub detail: Option<Arc<str>>,
}

impl From<CUresult> for Error {
    fn from(code: CUresult) -> Self {
        Self { code, detail: None }
    }
}

impl From<emulator::MemoryError> for Error {
    fn from(error: emulator::MemoryError) -> Self {
        match error {
            emulator::MemoryError::OutOfMemory { .. } => CUresult::OUT_OF_MEMORY.because(error),
            emulator::MemoryError::InvalidRange { .. } => invalid(error),
        }
    }
}

impl CUresult {
    /// Returns the error with this code and a message about its cause.
    pub fn because(self, detail: impl Display) -> Error {
        Error { code: self, detail: Some(detail.to_string().into()) }
    }

    /// Fails with this code and a message about its cause unless a condition holds.
    pub(crate) fn unless(self, holds: bool, detail: impl Display) -> Outcome {
        if holds { Ok(()) } else { Err(self.because(detail)) }
    }

    /// Returns the C name, `None` for a number that is not a status.
    #[must_use]
    pub fn name(self) -> Option<&'static CStr> {
        self.row().map(|(_, name, _)| *name)
    }

    /// Returns a description, `None` for a number that is not a status.
    #[must_use]
    pub fn description(self) -> Option<&'static CStr> {
        self.row().map(|(_, _, description)| *description)
    }

    fn row(self) -> Option<&'static (u32, &'static CStr, &'static CStr)> {
        TABLE.iter().find(|row| row.0 == self.0)
    }
}

/// Returns the error for an argument that is out of range.
pub(crate) fn invalid(detail: impl Display) -> Error {
    CUresult::INVALID_VALUE.because(detail)
}

/// Returns the error for a feature that the emulator lacks.
pub(crate) fn unsupported(what: &str) -> Error {
    CUresult::NOT_SUPPORTED.because(format!("{what}: the emulator does not support it"))
}

/// Fails for an argument that is out of range, unless a condition holds.
pub(crate) fn require(holds: bool, detail: impl Display) -> Outcome {
    CUresult::INVALID_VALUE.unless(holds, detail)
}

const fn c_string(bytes: &'static [u8]) -> &'static CStr {
    match CStr::from_bytes_with_nul(bytes) {
        Ok(text) => text,
        Err(_) => panic!("the text must contain one NUL, at its end"),
    }
}

/// Defines a constant and a table row for each status: its name without `CUDA_ERROR_`, its number and its description.
macro_rules! statuses {
    ($($name:ident = $number:literal, $description:literal;)*) => {
        impl CUresult {
            /// `CUDA_SUCCESS`: no error.
            pub const SUCCESS: Self = Self(0);
            $(
                #[doc = concat!("`CUDA_ERROR_", stringify!($name), "`: ", $description, ".")]
                pub const $name: Self = Self($number);
            )*
        }

        /// The number, name and description of every status, ascending by number.
        const TABLE: &[(u32, &CStr, &CStr)] = &[
            (0, c"CUDA_SUCCESS", c"no error"),
            $((
                $number,
                c_string(concat!("CUDA_ERROR_", stringify!($name), "\0").as_bytes()),
                c_string(concat!($description, "\0").as_bytes()),
            ),)*
        ];
    };
}

statuses! {
    INVALID_VALUE = 1, "an argument is out of range";
    OUT_OF_MEMORY = 2, "not enough memory";
    NOT_INITIALIZED = 3, "cuInit has not been called";
    DEINITIALIZED = 4, "the driver is shutting down";
    PROFILER_DISABLED = 5, "the profiler is disabled";
    PROFILER_NOT_INITIALIZED = 6, "the profiler is not initialized";
    PROFILER_ALREADY_STARTED = 7, "the profiler is already started";
    PROFILER_ALREADY_STOPPED = 8, "the profiler is already stopped";
    STUB_LIBRARY = 34, "the library is a stub without a driver";
    DEVICE_UNAVAILABLE = 46, "the device is busy or not available";
    NO_DEVICE = 100, "there is no device";
    INVALID_DEVICE = 101, "no device has this ordinal";
    DEVICE_NOT_LICENSED = 102, "the device has no license";
    INVALID_IMAGE = 200, "the image is not a module of a known format";
    INVALID_CONTEXT = 201, "no valid context";
    CONTEXT_ALREADY_CURRENT = 202, "the context is already current";
    MAP_FAILED = 205, "a resource cannot be mapped";
    UNMAP_FAILED = 206, "a resource cannot be unmapped";
    ARRAY_IS_MAPPED = 207, "the array is mapped";
    ALREADY_MAPPED = 208, "the resource is already mapped";
    NO_BINARY_FOR_GPU = 209, "the image holds no code for this device";
    ALREADY_ACQUIRED = 210, "the resource is already acquired";
    NOT_MAPPED = 211, "the resource is not mapped";
    NOT_MAPPED_AS_ARRAY = 212, "the resource is not mapped as an array";
    NOT_MAPPED_AS_POINTER = 213, "the resource is not mapped as a pointer";
    ECC_UNCORRECTABLE = 214, "memory error that cannot be corrected";
    UNSUPPORTED_LIMIT = 215, "the device does not have this limit";
    CONTEXT_ALREADY_IN_USE = 216, "the context is in use by another thread";
    PEER_ACCESS_UNSUPPORTED = 217, "the devices cannot access each other";
    INVALID_PTX = 218, "the PTX cannot be compiled";
    INVALID_GRAPHICS_CONTEXT = 219, "the graphics context is not valid";
    NVLINK_UNCORRECTABLE = 220, "NVLink error that cannot be corrected";
    JIT_COMPILER_NOT_FOUND = 221, "there is no PTX compiler";
    UNSUPPORTED_PTX_VERSION = 222, "the PTX is newer than the driver";
    JIT_COMPILATION_DISABLED = 223, "compiling PTX is disabled";
    UNSUPPORTED_EXEC_AFFINITY = 224, "the device does not have this execution affinity";
    UNSUPPORTED_DEVSIDE_SYNC = 225, "the code synchronizes on the device, which is not supported";
    CONTAINED = 226, "the device contained an error";
    INVALID_SOURCE = 300, "the kernel source is invalid";
    FILE_NOT_FOUND = 301, "the file cannot be read";
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302, "a shared object lacks a symbol";
    SHARED_OBJECT_INIT_FAILED = 303, "a shared object cannot be initialized";
    OPERATING_SYSTEM = 304, "a call of the operating system failed";
    INVALID_HANDLE = 400, "no object has this handle";
    ILLEGAL_STATE = 401, "the object's state does not permit the call";
    LOSSY_QUERY = 402, "the answer would lose information";
    NOT_FOUND = 500, "nothing has this name";
    NOT_READY = 600, "the work is not complete";
    ILLEGAL_ADDRESS = 700, "a kernel accessed memory outside all allocations";
    LAUNCH_OUT_OF_RESOURCES = 701, "the launch needs more than the device has";
    LAUNCH_TIMEOUT = 702, "a kernel did not end in time";
    LAUNCH_INCOMPATIBLE_TEXTURING = 703, "the texturing modes are incompatible";
    PEER_ACCESS_ALREADY_ENABLED = 704, "peer access is already enabled";
    PEER_ACCESS_NOT_ENABLED = 705, "peer access is not enabled";
    PRIMARY_CONTEXT_ACTIVE = 708, "the primary context is already active";
    CONTEXT_IS_DESTROYED = 709, "the current context has been destroyed";
    ASSERT = 710, "an assertion in a kernel failed";
    TOO_MANY_PEERS = 711, "there are too many peers";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "the host memory is already registered";
    HOST_MEMORY_NOT_REGISTERED = 713, "the host memory is not registered";
    HARDWARE_STACK_ERROR = 714, "a kernel corrupted its stack";
    ILLEGAL_INSTRUCTION = 715, "a kernel executed an illegal instruction";
    MISALIGNED_ADDRESS = 716, "a kernel accessed a misaligned address";
    INVALID_ADDRESS_SPACE = 717, "a kernel accessed the wrong address space";
    INVALID_PC = 718, "a kernel jumped to an address without code";
    LAUNCH_FAILED = 719, "a kernel failed";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, "the cooperative launch does not fit the device at once";
    TENSOR_MEMORY_LEAK = 721, "a kernel left tensor memory allocated";
    NOT_PERMITTED = 800, "the operation is not permitted";
    NOT_SUPPORTED = 801, "the operation is not supported here";
    SYSTEM_NOT_READY = 802, "the system is not ready";
    SYSTEM_DRIVER_MISMATCH = 803, "the versions of the driver's components differ";
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, "the device has no forward compatibility";
    MPS_CONNECTION_FAILED = 805, "no connection to the MPS server";
    MPS_RPC_FAILURE = 806, "a call of the MPS server failed";
    MPS_SERVER_NOT_READY = 807, "the MPS server is not ready";
    MPS_MAX_CLIENTS_REACHED = 808, "there are too many MPS clients";
    MPS_MAX_CONNECTIONS_REACHED = 809, "there are too many MPS connections";
    MPS_CLIENT_TERMINATED = 810, "the MPS client was terminated";
    CDP_NOT_SUPPORTED = 811, "kernels cannot launch kernels here";
    CDP_VERSION_MISMATCH = 812, "the versions of dynamic parallelism differ";
    STREAM_CAPTURE_UNSUPPORTED = 900, "the operation cannot be captured";
    STREAM_CAPTURE_INVALIDATED = 901, "the capture is no longer valid";
    STREAM_CAPTURE_MERGE = 902, "two captures would merge";
    STREAM_CAPTURE_UNMATCHED = 903, "the capture did not begin on this stream";
    STREAM_CAPTURE_UNJOINED = 904, "a forked stream was not joined";
    STREAM_CAPTURE_ISOLATION = 905, "a dependency crosses the capture";
    STREAM_CAPTURE_IMPLICIT = 906, "an implicit dependency on the legacy stream";
    CAPTURED_EVENT = 907, "the event is part of a capture";
    STREAM_CAPTURE_WRONG_THREAD = 908, "the capture belongs to another thread";
    TIMEOUT = 909, "a wait ran out of time";
    GRAPH_EXEC_UPDATE_FAILURE = 910, "the graph cannot be updated in place";
    EXTERNAL_DEVICE = 911, "an external device failed";
    INVALID_CLUSTER_SIZE = 912, "the cluster size is invalid";
    FUNCTION_NOT_LOADED = 913, "the function is not loaded";
    INVALID_RESOURCE_TYPE = 914, "the resource type is invalid";
    INVALID_RESOURCE_CONFIGURATION = 915, "the resource configuration is invalid";
    KEY_ROTATION = 916, "encryption keys are being changed";
    UNKNOWN = 999, "the emulator failed";
}

// Ascending numbers, so none is listed twice.
const _: () = {
    let mut row = 1;
    while row < TABLE.len() {
        assert!(TABLE[row - 1].0 < TABLE[row].0);
        row += 1;
    }
};
