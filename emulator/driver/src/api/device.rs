//! Initialization, devices and their attributes.

use crate::arguments::Out;
use crate::boundary::api;
use crate::device_properties::{self as properties, DEFAULT_CAPABILITY, MAX_BLOCK, MAX_GRID};
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::{Machine, device, driver, initialize};
use std::ffi::{c_char, c_int, c_uint};

/// The ordinal of a device, from 0.
pub(super) type Device = c_int;

/// Returns the device with an ordinal. Fails if there is none.
pub(super) fn require_device(device: Device) -> Outcome<&'static device::Device> {
    let devices = &driver()?.devices;
    let unknown = || {
        let count = devices.len();
        let detail = format!("there is no device {device}: the number of devices is {count} (see COALESCED_DEVICES)");
        CUresult::INVALID_DEVICE.because(detail)
    };
    usize::try_from(device).ok().and_then(|index| devices.get(index)).ok_or_else(unknown)
}

/// Returns an attribute by its number in CUDA 12.8, `None` for an unknown number.
///
/// Attributes of features that the emulator lacks (caches, clocks) are 0.
fn attribute(number: c_int, device: &device::Device) -> Option<u32> {
    let chip = &device.properties.chip;
    Some(match number {
        // MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_X to Z, MAX_GRID_DIM_X to Z
        1 => properties::MAX_THREADS_PER_BLOCK,
        2 => MAX_BLOCK[0],
        3 => MAX_BLOCK[1],
        4 => MAX_BLOCK[2],
        5 => MAX_GRID[0],
        6 => MAX_GRID[1],
        7 => MAX_GRID[2],
        // MAX_SHARED_MEMORY_PER_BLOCK, ..._PER_MULTIPROCESSOR, ..._PER_BLOCK_OPTIN, RESERVED_SHARED_MEMORY_PER_BLOCK
        8 => properties::SHARED_BYTES_PER_BLOCK,
        81 => chip.shared_bytes,
        97 => chip.shared_bytes_per_block(),
        111 => chip.reserved_bytes,
        // TOTAL_CONSTANT_MEMORY
        9 => properties::CONSTANT_BYTES,
        // WARP_SIZE
        10 => properties::WARP_THREADS,
        // MAX_PITCH
        11 => properties::MAX_PITCH,
        // MAX_REGISTERS_PER_BLOCK, MAX_REGISTERS_PER_MULTIPROCESSOR
        12 | 82 => properties::REGISTERS,
        // TEXTURE_ALIGNMENT, SURFACE_ALIGNMENT, TEXTURE_PITCH_ALIGNMENT: programs divide by them, so they are not 0
        14 | 30 => 512,
        51 => 32,
        // MULTIPROCESSOR_COUNT
        16 => device.properties.multiprocessors,
        // MAX_THREADS_PER_MULTIPROCESSOR, MAX_BLOCKS_PER_MULTIPROCESSOR
        39 => chip.max_threads,
        106 => chip.max_blocks,
        // PCI_BUS_ID
        33 => device.ordinal,
        // KERNEL_EXEC_TIMEOUT
        17 => device.properties.time_limit.is_some().into(),
        // CAN_MAP_HOST_MEMORY. CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM (91) is 0.
        19 => 1,
        // UNIFIED_ADDRESSING
        41 => 1,
        // COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR
        75 => chip.capability / 10,
        76 => chip.capability % 10,
        // MANAGED_MEMORY, CONCURRENT_MANAGED_ACCESS
        83 | 89 => 1,
        // MEMORY_POOLS_SUPPORTED
        115 => 1,
        // HOST_REGISTER_SUPPORTED
        99 => 1,
        // COOPERATIVE_LAUNCH, CLUSTER_LAUNCH
        95 => 1,
        120 => (chip.capability >= DEFAULT_CAPABILITY).into(),
        // NUMA_ID, HOST_NUMA_ID: -1 means no node
        131 | 134 => u32::MAX,
        13..=137 | 139 | 140 | 143 => 0,
        _ => return None,
    })
}

api! {
    /// Initializes the driver with the devices that the environment describes. `flags` must be 0.
    fn cuInit(flags: c_uint) {
        require(flags == 0, "the flags of cuInit must be 0")?;
        initialize()
    }

    /// Writes the CUDA version of this API: 12080 unless another is described.
    fn cuDriverGetVersion(version: Out<c_int>) {
        version.set(Machine::described()?.driver_version)
    }

    /// Writes the number of devices.
    fn cuDeviceGetCount(count: Out<c_int>) {
        count.set(driver()?.devices.len() as c_int)
    }

    /// Writes the device with an ordinal.
    fn cuDeviceGet(device: Out<Device>, ordinal: c_int) {
        require_device(ordinal)?;
        device.set(ordinal)
    }

    /// Writes as much of the name as fits into `capacity` bytes including a terminating NUL.
    fn cuDeviceGetName(name: Out<c_char>, capacity: c_int, device: Device) {
        require_device(device)?;
        name.require()?;
        let too_short = || invalid(format!("a buffer of {capacity} bytes for the name"));
        let capacity = usize::try_from(capacity).ok().filter(|&bytes| bytes > 0).ok_or_else(too_short)?;
        // SAFETY: the caller passes the length of its buffer.
        unsafe { name.set_text(properties::DEVICE_NAME, capacity) };
        Ok(())
    }

    /// Writes the UUID, which is the same on every machine.
    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: Device) | cuDeviceGetUuid_v2 {
        let mut bytes = properties::DEVICE_UUID;
        let ordinal = require_device(device)?.ordinal;
        let [.., tens, ones] = &mut bytes;
        (*tens, *ones) = (b'0' + (ordinal / 10) as u8, b'0' + (ordinal % 10) as u8);
        uuid.set(bytes)
    }

    /// Writes the PCI bus ID. The ordinal is the bus, and all other numbers are 0.
    fn cuDeviceGetPCIBusId(id: Out<c_char>, capacity: c_int, device: Device) {
        let text = properties::pci_bus_id(require_device(device)?.ordinal);
        id.require()?;
        let too_short = || invalid(format!("a buffer of {capacity} bytes for {text}"));
        let capacity = usize::try_from(capacity).ok().filter(|&bytes| bytes > text.len());
        // SAFETY: the caller passes the length of its buffer.
        unsafe { id.set_text(&text, capacity.ok_or_else(too_short)?) };
        Ok(())
    }

    /// Writes the size of device memory in bytes.
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: Device) {
        bytes.set(require_device(device)?.memory.capacity_bytes() as usize)
    }

    /// Writes an attribute of a device.
    fn cuDeviceGetAttribute(value: Out<c_int>, number: c_int, device: Device) {
        let device = require_device(device)?;
        let unknown = || invalid(format!("CUDA 12.8 has no device attribute {number}"));
        value.set(attribute(number, device).ok_or_else(unknown)? as c_int)
    }

    /// Writes that contexts have no execution affinity of this kind.
    fn cuDeviceGetExecAffinitySupport(supported: Out<c_int>, kind: c_int, device: Device) {
        require_device(device)?;
        require(kind == 0, format_args!("CUDA 12.8 has no execution affinity {kind}"))?;
        supported.set(0)
    }

    /// Writes the compute capability.
    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: Device) {
        let capability = require_device(device)?.properties.chip.capability;
        major.set((capability / 10) as c_int)?;
        minor.set((capability % 10) as c_int)
    }
}
