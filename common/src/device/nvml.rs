//! Readings of a GPU by NVML, the library behind `nvidia-smi`, which comes with the driver. Without it, there are none.
//!
//! Seven of its functions, by hand: the crate nvml-wrapper adds 11 CPU seconds to the first build of a stage, among them those of
//! darling and a second syn.

use super::clock::{Reading, Throttled};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::LazyLock;

/// `nvmlDevice_t`, which only NVML looks into.
#[derive(Clone, Copy, Debug)]
struct Handle(*mut c_void);

// SAFETY: NVML may be called from all threads at once, with the same handles (NVML API Reference, "Thread Safety").
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

type GetInteger = unsafe extern "C" fn(*mut c_void, *mut c_uint) -> c_int;
type GetOf = unsafe extern "C" fn(*mut c_void, c_uint, *mut c_uint) -> c_int;

/// The functions that are called.
#[derive(Debug)]
struct Functions {
    handle_by_pci_bus_id: unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int,
    clock: GetOf,
    max_clock: GetOf,
    temperature: GetOf,
    power: GetInteger,
    throttle_reasons: unsafe extern "C" fn(*mut c_void, *mut c_ulonglong) -> c_int,
}

/// `NVML_CLOCK_SM`.
const SM: c_uint = 1;
/// `NVML_TEMPERATURE_GPU`.
const CHIP: c_uint = 0;

const LIBRARY: &str = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };

/// The library, opened and initialized once; `None` if that failed.
static FUNCTIONS: LazyLock<Option<Functions>> = LazyLock::new(Functions::load);

impl Functions {
    fn load() -> Option<Self> {
        // SAFETY: NVIDIA's library may be loaded at any time by any thread; its initializers take no input from us.
        let library: &Library = Box::leak(Box::new(unsafe { Library::new(LIBRARY) }.ok()?));
        // SAFETY: the functions have these types in nvml.h since version 5, and a leaked library stays loaded. Initialization
        // takes no argument, and comes before all other calls.
        unsafe {
            let init = find::<unsafe extern "C" fn() -> c_int>(library, c"nvmlInit_v2")?;
            let functions = Self {
                handle_by_pci_bus_id: find(library, c"nvmlDeviceGetHandleByPciBusId_v2")?,
                clock: find(library, c"nvmlDeviceGetClockInfo")?,
                max_clock: find(library, c"nvmlDeviceGetMaxClockInfo")?,
                temperature: find(library, c"nvmlDeviceGetTemperature")?,
                power: find(library, c"nvmlDeviceGetPowerUsage")?,
                throttle_reasons: find(library, c"nvmlDeviceGetCurrentClocksThrottleReasons")?,
            };
            (init() == 0).then_some(functions)
        }
    }
}

/// Looks a function up.
///
/// # Safety
/// A function of this name must have the type `T`.
unsafe fn find<T: Copy>(library: &Library, name: &CStr) -> Option<T> {
    // SAFETY: the caller's promise.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }.ok().map(|function| *function)
}

/// A GPU as NVML knows it.
#[derive(Debug)]
pub(super) struct Nvml {
    functions: &'static Functions,
    handle: Handle,
    max_sm_mhz: Option<u32>,
}

impl Nvml {
    /// Finds the GPU at a place on the PCI bus: domain, bus and device. Indices of NVML and CUDA differ, because
    /// `CUDA_VISIBLE_DEVICES` and the order by speed apply to CUDA alone.
    pub(super) fn open(pci: [i32; 3]) -> Option<Self> {
        Self::with(FUNCTIONS.as_ref()?, pci)
    }

    fn with(functions: &'static Functions, [domain, bus, device]: [i32; 3]) -> Option<Self> {
        let id = CString::new(format!("{domain:08x}:{bus:02x}:{device:02x}.0")).ok()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the text ends with a NUL, and the pointer is to a live handle.
        let status = unsafe { (functions.handle_by_pci_bus_id)(id.as_ptr(), &mut handle) };
        let handle = (status == 0).then_some(Handle(handle))?;
        // SAFETY: the handle is of NVML, and the pointers that `get` passes are to a live integer.
        let max_sm_mhz = get(|value| unsafe { (functions.max_clock)(handle.0, SM, value) });
        Some(Self { functions, handle, max_sm_mhz })
    }

    /// Reads the GPU, which takes up to a millisecond; `None` if it does not report its clock. A virtual GPU does not.
    pub(super) fn read(&self) -> Option<Reading> {
        let Self { functions, handle: Handle(handle), max_sm_mhz } = *self;
        let mut bits = 0;
        // SAFETY: the handle is of NVML, and the pointers are to live integers of the functions' types.
        let (sm_mhz, milliwatts, temperature_c, status) = unsafe {
            (
                get(|value| (functions.clock)(handle, SM, value))?,
                get(|value| (functions.power)(handle, value)),
                get(|value| (functions.temperature)(handle, CHIP, value)),
                (functions.throttle_reasons)(handle, &mut bits),
            )
        };
        Some(Reading {
            sm_mhz,
            max_sm_mhz,
            power_w: milliwatts.map(|milliwatts| f64::from(milliwatts) / 1e3),
            temperature_c,
            throttled: Throttled::from_bits(if status == 0 { bits } else { 0 }),
        })
    }
}

/// Returns the integer that a function writes; `None` if it fails.
fn get(call: impl FnOnce(*mut c_uint) -> c_int) -> Option<u32> {
    let mut value = 0;
    (call(&mut value) == 0).then_some(value)
}

#[cfg(test)]
mod tests;
