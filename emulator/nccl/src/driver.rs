//! The emulator's driver that the process has loaded: device memory, addresses and streams.
//!
//! The function types are from cuda.h and, for names that begin with `coalesced_`, from emulator-driver's `api::extensions`
//! and `api::library_transfer`.

use crate::arguments::{DevicePointer, Stream};
use crate::result::{NcclResult, Outcome};
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// The name under which programs load NVIDIA's driver.
const REAL_DRIVER: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
const DEVICE_ORDINAL: c_int = 9;

type Context = usize;
type Read = unsafe extern "C" fn(*mut c_void, DevicePointer, usize) -> c_int;
type Write = unsafe extern "C" fn(DevicePointer, *const c_void, usize) -> c_int;

type Transfer = unsafe extern "C" fn(Stream, *const c_char, *const Range, usize, *const Range, usize) -> c_int;

/// A range of device memory that an operation reads or writes, as `coalesced_transfer` takes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) address: DevicePointer,
    pub(crate) bytes: u64,
}

impl Range {
    /// Returns whether the two ranges overlap.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.address < other.address + other.bytes && other.address < self.address + self.bytes
    }
}

/// A completed operation as work of a stream.
pub(crate) struct Done {
    pub(crate) stream: Stream,
    pub(crate) what: CString,
    pub(crate) reads: Option<Range>,
    pub(crate) writes: Vec<Range>,
}

/// The driver's functions.
pub(crate) struct Driver {
    context_get: unsafe extern "C" fn(*mut Context) -> c_int,
    context_push: unsafe extern "C" fn(Context) -> c_int,
    context_pop: unsafe extern "C" fn(*mut Context) -> c_int,
    context_device: unsafe extern "C" fn(*mut c_int) -> c_int,
    device_count: unsafe extern "C" fn(*mut c_int) -> c_int,
    primary_context: unsafe extern "C" fn(*mut Context, c_int) -> c_int,
    range: unsafe extern "C" fn(*mut DevicePointer, *mut usize, DevicePointer) -> c_int,
    attribute: unsafe extern "C" fn(*mut c_int, c_int, DevicePointer) -> c_int,
    capturing: unsafe extern "C" fn(Stream, *mut c_int) -> c_int,
    host_call: unsafe extern "C" fn(Stream, unsafe extern "C" fn(*mut c_void), *mut c_void) -> c_int,
    transfer: Transfer,
    read: Read,
    write: Write,
    last_error: unsafe extern "C" fn(*mut u8, usize) -> usize,
}

/// Returns the loaded driver. Fails if there is none or if it is not the emulator's.
pub(crate) fn driver() -> Outcome<&'static Driver> {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    if let Some(driver) = DRIVER.get() {
        return Ok(driver);
    }
    let driver = Driver::find().map_err(|text| NcclResult::CUDA_ERROR.because(text))?;
    Ok(DRIVER.get_or_init(|| driver))
}

impl Driver {
    fn find() -> Result<Self, String> {
        let opened = loading::find_loaded(&loading::file_name("cuda")).or_else(|| loading::find_loaded(REAL_DRIVER));
        let library = opened.ok_or("no CUDA driver is loaded: open a device before the first NCCL call")?;
        // It stays in use until the process ends.
        let library: &'static Library = Box::leak(Box::new(library));
        let Ok(last_error) = symbol(library, "coalesced_last_error") else {
            return Err("the emulated NCCL only works with the emulator's driver; on a GPU use NVIDIA's libnccl".into());
        };
        Ok(Self {
            context_get: symbol(library, "cuCtxGetCurrent")?,
            context_push: symbol(library, "cuCtxPushCurrent_v2")?,
            context_pop: symbol(library, "cuCtxPopCurrent_v2")?,
            context_device: symbol(library, "cuCtxGetDevice")?,
            device_count: symbol(library, "cuDeviceGetCount")?,
            primary_context: symbol(library, "cuDevicePrimaryCtxRetain")?,
            range: symbol(library, "cuMemGetAddressRange_v2")?,
            attribute: symbol(library, "cuPointerGetAttribute")?,
            capturing: symbol(library, "cuStreamIsCapturing")?,
            // `cuLaunchHostFunc` would order the host after earlier work of the stream.
            host_call: symbol(library, "coalesced_host_call")?,
            transfer: symbol(library, "coalesced_transfer")?,
            // Copies through the driver API would order the host after all work of the device.
            read: symbol(library, "coalesced_read_memory")?,
            write: symbol(library, "coalesced_write_memory")?,
            last_error,
        })
    }

    /// Returns the current context of this thread, and its device.
    pub(crate) fn place(&self) -> Outcome<(Context, c_int)> {
        let mut context = 0;
        let mut device = 0;
        // SAFETY: both pointers are to live variables of these types.
        self.check("cuCtxGetCurrent", unsafe { (self.context_get)(&mut context) })?;
        // SAFETY: as above.
        self.check("cuCtxGetDevice", unsafe { (self.context_device)(&mut device) })?;
        Ok((context, device))
    }

    /// Calls a function while a context is current, because default streams belong to the current context.
    pub(crate) fn within<T>(&self, context: Context, function: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        // SAFETY: contexts are numbers, and an invalid one is an error.
        self.check("cuCtxPushCurrent", unsafe { (self.context_push)(context) })?;
        let done = function();
        let mut popped = 0;
        // SAFETY: the pointer is to a live variable of this type.
        self.check("cuCtxPopCurrent", unsafe { (self.context_pop)(&mut popped) })?;
        done
    }

    /// Returns the number of devices.
    pub(crate) fn devices(&self) -> Outcome<c_int> {
        let mut count = 0;
        // SAFETY: the pointer is to a live variable of this type.
        self.check("cuDeviceGetCount", unsafe { (self.device_count)(&mut count) })?;
        Ok(count)
    }

    /// Returns the primary context of a device.
    pub(crate) fn primary_context(&self, device: c_int) -> Outcome<Context> {
        let mut context = 0;
        // SAFETY: the pointer is to a live variable of this type, and an invalid device is an error.
        self.check("cuDevicePrimaryCtxRetain", unsafe { (self.primary_context)(&mut context, device) })?;
        Ok(context)
    }

    /// Returns the start and the bytes of the allocation that contains an address, `None` outside all allocations.
    pub(crate) fn allocation(&self, address: DevicePointer) -> Option<(DevicePointer, u64)> {
        let mut start = 0;
        let mut bytes = 0;
        // SAFETY: the pointers are to live variables of these types, and the driver does not dereference the address.
        let found = unsafe { (self.range)(&mut start, &mut bytes, address) };
        (found == 0).then_some((start, bytes as u64))
    }

    /// Returns the device of an address, `None` outside all allocations.
    pub(crate) fn device_of(&self, address: DevicePointer) -> Option<c_int> {
        let mut device = 0;
        // SAFETY: this attribute is a `c_int`, and the driver does not dereference the address.
        let found = unsafe { (self.attribute)(&mut device, DEVICE_ORDINAL, address) };
        (found == 0).then_some(device)
    }

    /// Returns whether the stream is being captured.
    pub(crate) fn is_capturing(&self, stream: Stream) -> Outcome<bool> {
        let mut status = 0;
        // SAFETY: the pointer is to a live variable of this type, and an invalid stream is an error.
        self.check("cuStreamIsCapturing", unsafe { (self.capturing)(stream, &mut status) })?;
        Ok(status != 0)
    }

    /// Calls a function at every launch of the graph into which the stream is being captured. The function is never freed,
    /// because the destruction of the graph is not observable.
    pub(crate) fn call_on(&self, stream: Stream, function: impl Fn() + Send + Sync + 'static) -> Outcome {
        type Function = Box<dyn Fn() + Send + Sync>;
        unsafe extern "C" fn call(function: *mut c_void) {
            // SAFETY: the pointer is to a function that is never freed, and that calls do not mutate.
            let function: &Function = unsafe { &*function.cast_const().cast() };
            let _told = catch_unwind(AssertUnwindSafe(function));
        }
        let function: *mut Function = Box::into_raw(Box::new(Box::new(function)));
        // SAFETY: `call` takes this argument, and an invalid stream is an error.
        self.check("a host call", unsafe { (self.host_call)(stream, call, function.cast()) })
    }

    /// Reads device memory.
    pub(crate) fn read(&self, from: DevicePointer, into: &mut [u8]) -> Outcome {
        // SAFETY: the slice is valid for writes of its length, and the driver checks the device address.
        self.check("a read of device memory", unsafe { (self.read)(into.as_mut_ptr().cast(), from, into.len()) })
    }

    /// Writes device memory.
    pub(crate) fn write(&self, to: DevicePointer, bytes: &[u8]) -> Outcome {
        // SAFETY: the slice is valid for reads of its length, and the driver checks the device address.
        self.check("a write of device memory", unsafe { (self.write)(to, bytes.as_ptr().cast(), bytes.len()) })
    }

    /// Records a transfer as work of a stream, so that the driver checks its order with other work. Fails if an earlier kernel
    /// has faulted.
    pub(crate) fn record(&self, done: &Done) -> Outcome {
        let Done { stream, what, .. } = done;
        let reads = done.reads.as_slice();
        let writes = done.writes.as_slice();
        // SAFETY: the text and the lists live during the call, and the length of each list is passed.
        let code = unsafe {
            (self.transfer)(*stream, what.as_ptr(), reads.as_ptr(), reads.len(), writes.as_ptr(), writes.len())
        };
        self.check(&what.to_string_lossy(), code)
    }

    fn check(&self, call: &str, code: c_int) -> Outcome {
        if code == 0 {
            return Ok(());
        }
        let mut buffer = vec![0; 4096];
        // SAFETY: the buffer is valid for writes of its length.
        let length = unsafe { (self.last_error)(buffer.as_mut_ptr(), buffer.len()) };
        buffer.truncate(length.min(4095));
        let detail = String::from_utf8_lossy(&buffer);
        Err(NcclResult::CUDA_ERROR.because(format!("{call} failed with CUDA error {code}: {}", detail.trim_end())))
    }
}

/// Looks up a function of the library, in its type in [`Driver`].
fn symbol<Function: Copy>(library: &Library, name: &str) -> Result<Function, String> {
    // SAFETY: the fields of `Driver` have the types of these functions in cuda.h and emulator-driver.
    let found = unsafe { library.get::<Function>(name.as_bytes()) };
    found.map(|function| *function).map_err(|error| format!("the driver has no {name}: {error}"))
}
