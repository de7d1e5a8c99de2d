//! The choice of the library that serves as the CUDA driver: NVIDIA's or the emulator's.
//!
//! The order matters. cudarc opens `libcuda.so` (`cuda.dll` on Windows) at its first call, keeps it until the process
//! ends, and panics if it is missing; glibc remembers every name under which a library was opened. So the real driver is
//! opened under the name that cudarc tries last, `libcuda.so.1` or `nvcuda.dll`, and nothing of cudarc is called before the
//! choice is made. The emulator's library is opened such that cudarc then finds it ([`loading::open_as`]).

use super::emulator_library::EmulatorLibrary;
use crate::error::Error;
use libloading::Library;
use loading::loading_text;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::sync::Mutex;

/// The device that a run asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceChoice {
    /// The NVIDIA driver if it has a device, else the emulator.
    Auto,
    /// The NVIDIA driver, or an error.
    Cuda,
    /// The emulator, even on a machine with a GPU.
    Emulator,
}

/// The driver of this process.
#[derive(Clone, Debug)]
pub enum Driver {
    /// NVIDIA's driver.
    Cuda {
        /// The CUDA version that it supports, 1000 × major + 10 × minor.
        cuda_version: i32,
    },
    /// The emulator's driver.
    Emulator {
        /// Its functions beyond the driver API.
        library: EmulatorLibrary,
        /// The reason why it is not NVIDIA's.
        reason: String,
    },
}

impl Driver {
    /// Returns the emulator's functions beyond the driver API.
    pub(super) fn emulator(&self) -> Option<EmulatorLibrary> {
        if let Self::Emulator { library, .. } = self { Some(*library) } else { None }
    }
}

/// The oldest CUDA version whose driver reads the prebuilt PTX (ISA 8.1): 12.1.
const OLDEST_CUDA_VERSION: i32 = 12010;

const REAL_DRIVER: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

static CHOSEN: Mutex<Option<Driver>> = Mutex::new(None);

/// Returns the driver for `choice`, which stays loaded. The first call of a process decides for all later ones.
///
/// # Errors
/// [`Error::Open`], if a forced choice cannot be met or the emulator's library cannot be loaded.
pub fn choose(choice: DeviceChoice) -> Result<Driver, Error> {
    let mut chosen = CHOSEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(driver) = chosen.as_ref() {
        return match (choice, driver) {
            (DeviceChoice::Cuda, Driver::Emulator { .. }) | (DeviceChoice::Emulator, Driver::Cuda { .. }) => {
                let text =
                    format!("--device {choice:?}: this process already uses the other driver, and cannot change it");
                Err(Error::Open(text))
            }
            _ => Ok(driver.clone()),
        };
    }
    let driver = match choice {
        DeviceChoice::Emulator => load_emulator("chosen with --device emulator".into())?,
        DeviceChoice::Cuda => {
            let cuda_version = probe_real_driver().map_err(|reason| {
                let advice = "--device emulator runs the same kernels on this CPU";
                Error::Open(format!("--device cuda: {reason}; {advice}"))
            })?;
            Driver::Cuda { cuda_version }
        }
        DeviceChoice::Auto => match probe_real_driver() {
            Ok(cuda_version) => Driver::Cuda { cuda_version },
            Err(reason) => load_emulator(reason)?,
        },
    };
    *chosen = Some(driver.clone());
    Ok(driver)
}

fn load_emulator(reason: String) -> Result<Driver, Error> {
    let library = EmulatorLibrary::load();
    let library = library.map_err(|reason| Error::Open(format!("cannot load the emulator: {reason}")))?;
    Ok(Driver::Emulator { library, reason })
}

/// Returns the CUDA version of a real driver with a device, or the reason why there is none.
fn probe_real_driver() -> Result<i32, String> {
    if cfg!(target_os = "macos") {
        return Err("NVIDIA has no driver for macOS".into());
    }
    // SAFETY: NVIDIA's driver library may be loaded at any time by any thread; its initializers take no input from us.
    let library = unsafe { Library::new(REAL_DRIVER) }.map_err(|error| absent(&loading_text(&error)))?;
    let version = usable_version(&library)?;
    // The device stays in use until the process ends.
    std::mem::forget(library);
    Ok(version)
}

fn absent(error: &str) -> String {
    if error.contains("No such file") || cfg!(windows) {
        format!("no NVIDIA driver: {REAL_DRIVER} not found")
    } else {
        format!("the NVIDIA driver cannot be loaded: {error}")
    }
}

/// Returns the driver's CUDA version if it is new enough, can be initialized, and has a device.
fn usable_version(library: &Library) -> Result<i32, String> {
    type Init = unsafe extern "C" fn(c_uint) -> c_int;
    type GetInteger = unsafe extern "C" fn(*mut c_int) -> c_int;
    if EmulatorLibrary::is(library) {
        return Err(format!("no NVIDIA driver: {REAL_DRIVER} is the emulator's"));
    }
    let missing = |error: libloading::Error| format!("{REAL_DRIVER} is not a CUDA driver: {}", loading_text(&error));
    // SAFETY: the three types are those of cuda.h, unchanged since CUDA 2.2.
    let (version_of, init, count_of) = unsafe {
        (
            library.get::<GetInteger>(b"cuDriverGetVersion\0").map_err(missing)?,
            library.get::<Init>(b"cuInit\0").map_err(missing)?,
            library.get::<GetInteger>(b"cuDeviceGetCount\0").map_err(missing)?,
        )
    };
    let mut version = 0;
    let mut count = 0;
    // SAFETY: the pointer is to a live c_int; this call needs no cuInit before it.
    check(library, "cuDriverGetVersion", unsafe { version_of(&mut version) })?;
    if version < OLDEST_CUDA_VERSION {
        let have = cuda_version_text(version);
        let need = cuda_version_text(OLDEST_CUDA_VERSION);
        return Err(format!("the NVIDIA driver is too old: it supports CUDA {have}, and {need} or newer is needed"));
    }
    // SAFETY: 0 is the one flag value that cuInit accepts.
    check(library, "cuInit", unsafe { init(0) })?;
    // SAFETY: the pointer is to a live c_int, and cuInit has succeeded.
    check(library, "cuDeviceGetCount", unsafe { count_of(&mut count) })?;
    if count < 1 { Err("the NVIDIA driver finds no device".into()) } else { Ok(version) }
}

fn check(library: &Library, call: &str, code: c_int) -> Result<(), String> {
    type GetText = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;
    if code == 0 {
        return Ok(());
    }
    let mut text: *const c_char = std::ptr::null();
    // SAFETY: the type is that of cuda.h; for an unknown code the function sets the pointer to null.
    let known = unsafe { library.get::<GetText>(b"cuGetErrorString\0").map(|get| get(code, &mut text)) };
    let text = if matches!(known, Ok(0)) && !text.is_null() {
        // SAFETY: on success the pointer is to a static string of the driver, which is still loaded.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    } else {
        "unknown error".into()
    };
    Err(format!("the NVIDIA driver is unusable: {call} gives error {code}, {text}"))
}

/// Returns `13.0` for 13000.
#[must_use]
pub fn cuda_version_text(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}
