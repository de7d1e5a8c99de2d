//! The device that a run uses: an NVIDIA GPU, or the emulator under the same driver API.

mod attributes;
mod clock;
mod driver_library;
mod emulator_library;
mod nvml;
mod reason;

pub use attributes::{
    Attributes, fp32_lanes_per_multiprocessor, special_functions_per_clock, threads_per_multiprocessor,
};
pub use clock::{Clock, Reading, Throttled};
pub use driver_library::{DeviceChoice, Driver, choose, cuda_version_text};
pub use emulator_library::{EmulatorLibrary, Estimating};
pub use reason::driver_text;

use crate::error::Error;
use crate::format::thousands;
use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, CudaStream, DriverError};
use emulator::{Counters, Diagnosis, Sample, Scene};
use emulator_library::{Functions, GetText};
use nvml::Nvml;
use predict::{Gpu, Prediction};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The warp instructions of one block after which the emulator ends a kernel as endless: more than 50 times those of any block
/// that is recorded at the tutorials' sizes, and seconds of emulation. The number of blocks has no limit.
pub const BLOCK_BUDGET: u64 = 1 << 28;

/// The device that runs the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// An NVIDIA GPU.
    Cuda,
    /// The PTX emulator, which has exact counts and no times.
    Emulator,
}

/// An open device with its default stream.
#[derive(Debug)]
pub struct Device {
    /// cudarc's context.
    pub context: Arc<CudaContext>,
    /// The default stream.
    pub stream: Arc<CudaStream>,
    /// The device that runs the kernels.
    pub backend: Backend,
    /// The device's own name.
    pub name: String,
    /// Compute capability: major, minor.
    pub compute_capability: (i32, i32),
    /// The attributes of the chip, and its peak rates.
    pub attributes: Attributes,
    /// `580 (CUDA 13.0)`, or `emulator`.
    pub driver: String,
    /// The reason why the emulator runs.
    why_emulated: String,
    emulator: Option<EmulatorLibrary>,
    nvml: Option<Nvml>,
    /// Whether the driver ends long kernels, as on a GPU with a display.
    pub(crate) has_display: bool,
}

impl Device {
    /// Opens device 0 of the driver for `choice`.
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(choice: DeviceChoice) -> Result<Self, Error> {
        Self::open_one_of(choice, 0)
    }

    /// Opens one of the devices of the driver for `choice`.
    ///
    /// # Errors
    /// As [`Device::open`], also if there are not as many devices.
    pub fn open_one_of(choice: DeviceChoice, ordinal: usize) -> Result<Self, Error> {
        let driver = driver_library::choose(choice)?;
        let emulator = driver.emulator();
        Self::with_driver(driver, ordinal).map_err(|error| {
            Error::Open(format!("cannot open device {ordinal}: {}", reason::describe(error, emulator, false)))
        })
    }

    fn with_driver(driver: Driver, ordinal: usize) -> Result<Self, DriverError> {
        let context = CudaContext::new(ordinal)?;
        let (backend, emulator, why_emulated, driver) = match driver {
            Driver::Cuda { cuda_version } => (Backend::Cuda, None, String::new(), driver_version_text(cuda_version)),
            Driver::Emulator { library, reason } => (Backend::Emulator, Some(library), reason, "emulator".into()),
        };
        if let Some(emulator) = emulator {
            (emulator.functions.set_counters)(1);
            (emulator.functions.set_block_budget)(BLOCK_BUDGET);
        }
        let compute_capability = context.compute_capability()?;
        Ok(Self {
            stream: context.default_stream(),
            backend,
            name: context.name()?,
            compute_capability,
            attributes: Attributes::query(&context, compute_capability),
            driver,
            why_emulated,
            emulator,
            has_display: attributes::attribute(&context, Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT).is_some(),
            nvml: if backend == Backend::Cuda { pci_place(&context).and_then(Nvml::open) } else { None },
            context,
        })
    }

    /// Reads the clock of a GPU, and what holds it down; `None` on the emulator, and on a machine without NVML.
    #[must_use]
    pub fn read_clock(&self) -> Option<Reading> {
        self.nvml.as_ref()?.read()
    }

    /// Returns the line that names the device and the meaning of its numbers.
    #[must_use]
    pub fn banner(&self) -> String {
        match self.backend {
            Backend::Cuda => {
                let (major, minor) = self.compute_capability;
                let multiprocessors = self.attributes.multiprocessors.map_or("?".into(), |count| count.to_string());
                let clock = clock_text(self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
                format!("{}{clock}, compute {major}.{minor}, {multiprocessors} SMs, driver {}", self.name, self.driver)
            }
            Backend::Emulator => {
                format!("No GPU ({}): counts by the PTX emulator, times recorded on a GPU", self.why_emulated)
            }
        }
    }

    /// Calls one of the emulator's functions, if there is an emulator.
    fn emulated(&self, call: impl FnOnce(&Functions)) {
        if let Some(emulator) = self.emulator {
            call(emulator.functions);
        }
    }

    /// Returns what one of the emulator's functions answers; the default on a GPU.
    fn take<T: DeserializeOwned + Default>(&self, get: fn(&Functions) -> GetText) -> Result<T, String> {
        self.emulator.map_or_else(|| Ok(T::default()), |emulator| emulator.take(get, |text| serde_json::from_str(text)))
    }

    /// Returns the emulator's counters of the last launch; `None` on a GPU.
    ///
    /// # Errors
    /// [`Error::Counters`], if the emulator's answer cannot be read.
    pub fn last_counters(&self) -> Result<Option<Counters>, Error> {
        self.take(|functions| functions.last_counters).map_err(Error::Counters)
    }

    /// Turns the emulator's counting on or off. Has no effect on a GPU.
    pub fn set_counters(&self, on: bool) {
        self.emulated(|functions| (functions.set_counters)(on.into()));
    }

    /// Sets whether the emulator runs only a sample of a launch's blocks, as [`emulator::launch_sampled`] does. Has no effect on a GPU.
    pub fn set_samples(&self, on: bool) {
        self.emulated(|functions| (functions.set_samples)(on.into()));
    }

    /// Returns the samples of launches since the last call, with the kernels' names; `None` for those without one, which did not
    /// run. None on a GPU.
    ///
    /// # Errors
    /// [`Error::Counters`], if the emulator's answer cannot be read.
    pub fn take_samples(&self) -> Result<Vec<(String, Option<Sample>)>, Error> {
        self.take(|functions| functions.take_samples).map_err(Error::Counters)
    }

    /// Turns the emulator's checks of launches on or off. Has no effect on a GPU.
    pub fn set_checks(&self, on: bool) {
        self.emulated(|functions| (functions.set_checks)(on.into()));
    }

    /// Returns the findings about checked launches since the last call; none on a GPU.
    ///
    /// # Errors
    /// [`Error::Checks`], if the emulator's answer cannot be read.
    pub fn take_findings(&self) -> Result<Vec<Diagnosis>, Error> {
        self.take(|functions| functions.take_findings).map_err(Error::Checks)
    }

    /// Turns recording of the emulator's launches as scenes on or off. Has no effect on a GPU.
    pub fn set_scenes(&self, on: bool) {
        self.emulated(|functions| (functions.set_scenes)(on.into()));
    }

    /// Returns the launches recorded since the last call; none on a GPU.
    ///
    /// # Errors
    /// [`Error::Scenes`], if the emulator's answer cannot be read.
    pub fn take_scenes(&self) -> Result<Vec<Scene>, Error> {
        let Some(emulator) = self.emulator else { return Ok(Vec::new()) };
        emulator.take(|functions| functions.take_scenes, Scene::all_from_json).map_err(Error::Scenes)
    }

    /// Sets whether the emulator's launches are estimated. Has no effect on a GPU.
    pub fn set_estimates(&self, mode: Estimating) {
        self.emulated(|functions| (functions.set_estimates)(mode as u32));
    }

    /// Sets the machine code of the kernels that are launched next, from which the emulator estimates. Has no effect on a GPU.
    pub fn set_machine_code(&self, listing: Option<&str>) {
        if let Some(emulator) = self.emulator {
            emulator.set_machine_code(listing);
        }
    }

    /// Sets the GPU that the emulator's launches are estimated for. Has no effect on a GPU.
    pub fn set_estimated_gpu(&self, gpu: &Gpu) {
        let index = predict::GPUS.iter().position(|other| *other == gpu);
        if let Some((emulator, index)) = self.emulator.zip(index) {
            (emulator.functions.set_estimated_gpu)(index);
        }
    }

    /// Returns the estimates of launches since the last call; none on a GPU.
    ///
    /// # Errors
    /// [`Error::Estimates`], if the emulator's answer cannot be read.
    pub fn take_estimates(&self) -> Result<Vec<Prediction>, Error> {
        self.take(|functions| functions.take_estimates).map_err(Error::Estimates)
    }

    /// Sets the most warp instructions of a launch on the emulator, 0 for no limit. Has no effect on a GPU.
    pub fn set_instruction_budget(&self, warp_instructions: u64) {
        self.emulated(|functions| (functions.set_instruction_budget)(warp_instructions));
    }

    /// Sets the most warp instructions of one block on the emulator, initially [`BLOCK_BUDGET`], 0 for no limit. Has no effect
    /// on a GPU.
    pub fn set_block_budget(&self, warp_instructions: u64) {
        self.emulated(|functions| (functions.set_block_budget)(warp_instructions));
    }

    /// Sets the number of the emulator's worker threads, 0 for one per core. Has no effect on a GPU.
    pub fn set_emulator_threads(&self, threads: usize) {
        self.emulated(|functions| (functions.set_threads)(threads));
    }

    /// Waits until the stream is empty.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault of a kernel that ran on it.
    pub fn synchronize(&self, doing: &str) -> Result<(), Error> {
        self.stream.synchronize().map_err(|error| self.explain(doing, error))
    }

    /// Returns the error of a driver call, with what was attempted and the emulator's explanation.
    #[must_use]
    pub fn explain(&self, doing: &str, error: DriverError) -> Error {
        let (doing, reason) = (doing.into(), self.reason(error));
        match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::OutOfMemory { doing, reason },
            _ => Error::Driver { doing, reason },
        }
    }

    /// Describes the error of a driver call: the driver's text, then the emulator's.
    #[must_use]
    pub fn reason(&self, error: DriverError) -> String {
        reason::describe(error, self.emulator, self.has_display)
    }

    /// Returns a device attribute; `None` if the driver does not report it, or reports 0.
    #[must_use]
    pub fn attribute(&self, attribute: Attribute) -> Option<u32> {
        attributes::attribute(&self.context, attribute)
    }
}

/// Returns `, 1,980 MHz`, the highest clock of a GPU, or nothing if it is not reported.
fn clock_text(khz: Option<u32>) -> String {
    khz.map_or_else(String::new, |khz| format!(", {} MHz", thousands(u64::from(khz / 1000))))
}

/// Returns the domain, bus and device of a GPU.
fn pci_place(context: &CudaContext) -> Option<[i32; 3]> {
    let get = |name| context.attribute(name).ok();
    Some([
        get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
        get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
        get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
    ])
}

/// Returns `580.65.06 (CUDA 13.0)`, or only the CUDA version if that of the kernel module cannot be read.
fn driver_version_text(cuda_version: i32) -> String {
    let cuda = format!("CUDA {}", cuda_version_text(cuda_version));
    let module = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    match kernel_module_version(&module) {
        Some(version) => format!("{version} ({cuda})"),
        None => format!("for {cuda}"),
    }
}

fn kernel_module_version(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| {
        let major = word.split('.').next().unwrap_or_default();
        word.contains('.') && major.len() == 3 && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loading::workspace_root;

    #[test]
    fn no_recorded_launch_is_near_the_budget_of_a_block() {
        let folder = workspace_root().join("results/emulator");
        let mut longest = 0;
        for entry in std::fs::read_dir(folder).expect("the records") {
            let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a record");
            let records: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            for record in records.as_array().expect("an array") {
                let grid = record["grid"].as_array().expect("a grid").iter().filter_map(serde_json::Value::as_u64);
                let executed = record["counters"]["warp_instructions"].as_u64().unwrap_or(0);
                longest = longest.max(executed / grid.product::<u64>());
            }
        }
        assert!(longest > 1_000_000 && 50 * longest < BLOCK_BUDGET, "{longest}");
    }

    #[test]
    fn the_first_line_names_a_clock_that_is_known() {
        assert_eq!([Some(1_980_000), None].map(clock_text), [", 1,980 MHz", ""]);
    }

    #[test]
    fn kernel_module_version_is_found_in_both_forms_of_the_line() {
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build";
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 17 2024\nGCC version: 12.3.0";
        assert_eq!(kernel_module_version(open), Some("580.65.06"));
        assert_eq!(kernel_module_version(closed), Some("535.161.08"));
        assert_eq!(kernel_module_version("GCC version: 12.3.0"), None);
    }
}
