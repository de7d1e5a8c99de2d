//! Initialization, the one device, and its attributes.

use crate::arguments::{Out, Text};
use crate::boundary::api;
use crate::limits::{self, MAX_BLOCK, MAX_GRID};
use crate::result::{CUresult, Outcome};
use crate::state::{Driver, driver, initialize};
use std::ffi::{c_char, c_int, c_uint};

/// Ordinal of a device: 0 is the only one.
pub(super) type Device = c_int;

/// Fails for every device but the one there is.
pub(super) fn require_device(device: Device) -> Outcome<&'static Driver> {
    let driver = driver()?;
    let unknown =
        || CUresult::INVALID_DEVICE.because(format!("device {device}: the emulator is device 0 and no other"));
    if device == 0 { Ok(driver) } else { Err(unknown()) }
}

/// Returns an attribute by its number in CUDA 12.8, `None` for a number that is none.
///
/// What the emulator does not have (textures, caches, clocks, PCI, managed and pooled memory, clusters) is 0:
/// absent or unknown.
fn attribute(number: c_int) -> Option<u32> {
    Some(match number {
        // MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_X to Z, MAX_GRID_DIM_X to Z
        1 => limits::MAX_THREADS_PER_BLOCK,
        2 => MAX_BLOCK[0],
        3 => MAX_BLOCK[1],
        4 => MAX_BLOCK[2],
        5 => MAX_GRID[0],
        6 => MAX_GRID[1],
        7 => MAX_GRID[2],
        // MAX_SHARED_MEMORY_PER_BLOCK, ..._PER_MULTIPROCESSOR, ..._PER_BLOCK_OPTIN, RESERVED_SHARED_MEMORY_PER_BLOCK
        8 => limits::SHARED_BYTES_PER_BLOCK,
        81 => limits::SHARED_BYTES_PER_MULTIPROCESSOR,
        97 => limits::SHARED_BYTES_PER_BLOCK_OPT_IN,
        111 => limits::RESERVED_SHARED_BYTES_PER_BLOCK,
        // TOTAL_CONSTANT_MEMORY
        9 => limits::CONSTANT_BYTES,
        // WARP_SIZE
        10 => limits::WARP_THREADS,
        // MAX_PITCH
        11 => limits::MAX_PITCH,
        // MAX_REGISTERS_PER_BLOCK, MAX_REGISTERS_PER_MULTIPROCESSOR
        12 | 82 => limits::REGISTERS,
        // TEXTURE_ALIGNMENT, SURFACE_ALIGNMENT, TEXTURE_PITCH_ALIGNMENT: divisors, so not 0 even without textures
        14 | 30 => 512,
        51 => 32,
        // MULTIPROCESSOR_COUNT
        16 => limits::MULTIPROCESSORS,
        // MAX_THREADS_PER_MULTIPROCESSOR, MAX_BLOCKS_PER_MULTIPROCESSOR
        39 => limits::MAX_THREADS_PER_MULTIPROCESSOR,
        106 => limits::MAX_BLOCKS_PER_MULTIPROCESSOR,
        // UNIFIED_ADDRESSING: device and host addresses do not overlap
        41 => 1,
        // COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR
        75 => limits::COMPUTE_CAPABILITY / 10,
        76 => limits::COMPUTE_CAPABILITY % 10,
        // HOST_REGISTER_SUPPORTED
        99 => 1,
        // CAN_USE_STREAM_MEM_OPS, CAN_USE_64_BIT_STREAM_MEM_OPS, CAN_USE_STREAM_WAIT_VALUE_NOR, the last two again of _v2
        92..=94 | 122 | 123 => 1,
        // COOPERATIVE_LAUNCH
        95 => 1,
        // NUMA_ID, HOST_NUMA_ID: -1, no node
        131 | 134 => u32::MAX,
        13..=137 | 139 | 140 | 143 => 0,
        _ => return None,
    })
}

/// Returns the numbers of a place on the PCI bus: `[domain:]bus:device[.function]`, in hexadecimal digits.
fn pci_numbers(id: &str) -> Option<Vec<u32>> {
    let (place, function) = id.split_once('.').unwrap_or((id, "0"));
    let parts: Vec<&str> = place.split(':').chain([function]).collect();
    let number = |part: &&str| u32::from_str_radix(part, 16).ok().filter(|_| !part.starts_with('+'));
    if (3..=4).contains(&parts.len()) { parts.iter().map(number).collect() } else { None }
}

api! {
    /// Makes the driver ready. `flags` must be 0.
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("the flags of cuInit must be 0"));
        }
        initialize();
        Ok(())
    }

    /// Writes the version of CUDA that this API is of: 12080.
    fn cuDriverGetVersion(version: Out<c_int>) {
        version.set(limits::DRIVER_VERSION)
    }

    /// Writes the number of devices: one.
    fn cuDeviceGetCount(count: Out<c_int>) {
        driver()?;
        count.set(1)
    }

    /// Writes the device of an ordinal.
    fn cuDeviceGet(device: Out<Device>, ordinal: c_int) {
        require_device(ordinal)?;
        device.set(ordinal)
    }

    /// Writes as much of the name as fits `capacity` bytes with its closing NUL.
    fn cuDeviceGetName(name: Out<c_char>, capacity: c_int, device: Device) {
        require_device(device)?;
        name.require()?;
        let too_short = || CUresult::INVALID_VALUE.because(format!("a name of {capacity} bytes"));
        let capacity = usize::try_from(capacity).ok().filter(|&bytes| bytes > 0).ok_or_else(too_short)?;
        // SAFETY: the caller gives the length of its buffer.
        unsafe { name.set_text(limits::DEVICE_NAME, capacity) };
        Ok(())
    }

    /// Writes the UUID, the same on every machine.
    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: Device) {
        require_device(device)?;
        uuid.set(limits::DEVICE_UUID)
    }

    /// Writes the UUID, the same on every machine.
    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: Device) {
        require_device(device)?;
        uuid.set(limits::DEVICE_UUID)
    }

    /// Writes the device's place on the PCI bus, which is none: every number in it is 0.
    fn cuDeviceGetPCIBusId(id: Out<c_char>, capacity: c_int, device: Device) {
        require_device(device)?;
        id.require()?;
        let too_short = || CUresult::INVALID_VALUE.because(format!("{capacity} bytes for {}", limits::PCI_BUS_ID));
        let capacity = usize::try_from(capacity).ok().filter(|&bytes| bytes > limits::PCI_BUS_ID.len());
        // SAFETY: the caller gives the length of its buffer.
        unsafe { id.set_text(limits::PCI_BUS_ID, capacity.ok_or_else(too_short)?) };
        Ok(())
    }

    /// Writes the device at a place of the PCI bus: `domain:bus:device.function`, where domain and function may be left
    /// out.
    fn cuDeviceGetByPCIBusId(device: Out<Device>, id: Text) {
        driver()?;
        device.require()?;
        let id = id.name()?;
        let malformed = || CUresult::INVALID_VALUE.because(format!("`{id}` is no place on the PCI bus"));
        let unknown = || CUresult::INVALID_DEVICE.because(format!("no device at {id}"));
        if !pci_numbers(&id).ok_or_else(malformed)?.iter().all(|&number| number == 0) {
            return Err(unknown());
        }
        device.set(0)
    }

    /// Writes whether the memory of `peer` can be reached from `device`: no, there is one device, which has no peers.
    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: Device, peer: Device) {
        require_device(device)?;
        require_device(peer)?;
        can.set(0)
    }

    /// Writes the size of device memory in bytes.
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: Device) {
        bytes.set(require_device(device)?.memory.capacity_bytes() as usize)
    }

    /// Writes an attribute of the device.
    fn cuDeviceGetAttribute(value: Out<c_int>, number: c_int, device: Device) {
        require_device(device)?;
        let unknown = || CUresult::INVALID_VALUE.because(format!("CUDA 12.8 has no device attribute {number}"));
        value.set(attribute(number).ok_or_else(unknown)? as c_int)
    }

    /// Writes the compute capability.
    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: Device) {
        require_device(device)?;
        major.set((limits::COMPUTE_CAPABILITY / 10) as c_int)?;
        minor.set((limits::COMPUTE_CAPABILITY % 10) as c_int)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_on_the_bus_has_two_to_four_hexadecimal_numbers() {
        assert_eq!(pci_numbers(limits::PCI_BUS_ID), Some(vec![0; 4]));
        assert_eq!(pci_numbers("00:1F"), Some(vec![0, 0x1F, 0]));
        assert_eq!(pci_numbers("0000:3b:00"), Some(vec![0, 0x3B, 0, 0]));
        for wrong in ["", "0", "0:0:0:0", "0:g", "0:+1", "0:0.", ":"] {
            assert_eq!(pci_numbers(wrong), None, "{wrong}");
        }
    }
}
