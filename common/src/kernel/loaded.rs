//! A kernel on the device, and what it takes of a multiprocessor.

use super::language::LoadedModule;
use crate::device::Device;
use crate::error::Error;
use cudarc::driver::CudaFunction;
use cudarc::driver::sys::CUfunction_attribute;

/// A kernel ready to launch.
#[derive(Clone, Debug)]
pub struct LoadedKernel {
    /// cudarc's function.
    pub function: CudaFunction,
    /// Its file, for constants by name.
    pub module: LoadedModule,
}

/// The resources of a multiprocessor that a launch takes. A number that the driver does not report is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resources {
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory per block, in bytes.
    pub shared_bytes: Option<u32>,
    /// Resident threads divided by the most that a multiprocessor can hold.
    pub occupancy: Option<f64>,
}

/// The dynamic shared memory of a block that needs no permission, in bytes.
const SHARED_BYTES_FOR_ALL: u32 = 48 << 10;

impl Resources {
    /// Returns what a kernel takes in blocks of `block` threads with this much dynamic shared memory.
    #[must_use]
    pub fn new(device: &Device, kernel: &LoadedKernel, block: u32, dynamic_bytes: u32) -> Self {
        let function = &kernel.function;
        let registers = function.num_regs().ok().and_then(|count| u32::try_from(count).ok());
        let fixed = function.shared_size_bytes().ok().and_then(|bytes| u32::try_from(bytes).ok());
        let blocks = function.occupancy_max_active_blocks_per_multiprocessor(block, dynamic_bytes as usize, None).ok();
        let occupancy = blocks.zip(device.attributes.threads_per_multiprocessor);
        Self {
            registers: registers.filter(|&count| count > 0),
            shared_bytes: fixed.map(|fixed| fixed + dynamic_bytes),
            occupancy: occupancy.map(|(blocks, threads)| f64::from(blocks * block) / f64::from(threads)),
        }
    }
}

impl LoadedKernel {
    /// Describes how the code was made, that of the companion too if it differs.
    #[must_use]
    pub fn code_with(&self, companion: Option<&Self>) -> String {
        let code = &self.module.code;
        match companion {
            Some(companion) if companion.module.code != *code => format!("{code}; {}", companion.module.code),
            _ => code.clone(),
        }
    }

    /// Returns the listing of its machine code, with that of the companion. If `assembles`, ptxas makes that of kernels which were
    /// compiled at run time.
    #[must_use]
    pub fn machine_code_with(&self, companion: Option<&Self>, assembles: bool) -> Option<String> {
        let both = [Some(self), companion].into_iter().flatten();
        both.filter_map(|kernel| kernel.module.listing(assembles)).map(str::to_owned).reduce(|one, other| one + &other)
    }

    /// Requests more dynamic shared memory per block than every kernel has.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has less.
    pub fn allow_shared_bytes(&self, device: &Device, name: &str, bytes: u32) -> Result<(), Error> {
        if bytes <= SHARED_BYTES_FOR_ALL {
            return Ok(());
        }
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let allowed = self.function.set_attribute(attribute, bytes.cast_signed());
        allowed.map_err(|error| {
            device.explain(&format!("cannot give a block of {name} {bytes} bytes of shared memory"), error)
        })
    }
}
