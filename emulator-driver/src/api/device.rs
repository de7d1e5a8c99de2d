//! Initialization, the devices, and their attributes.

use crate::arguments::{Out, Text};
use crate::boundary::api;
use crate::limits::{self, MAX_BLOCK, MAX_GRID};
use crate::result::{CUresult, Outcome};
use crate::state::{device, driver, initialize};
use std::ffi::{c_char, c_int, c_uint};

/// Ordinal of a device, from 0.
pub(super) type Device = c_int;

/// Returns a device; fails for an ordinal that none has.
pub(super) fn require_device(device: Device) -> Outcome<&'static device::Device> {
    let devices = &driver()?.devices;
    let unknown = || {
        let count = devices.len();
        CUresult::INVALID_DEVICE.because(format!("device {device}: the emulator has {count} (see COALESCED_DEVICES)"))
    };
    usize::try_from(device).ok().and_then(|index| devices.get(index)).ok_or_else(unknown)
}

/// Returns an attribute by its number in CUDA 12.8, `None` for a number that is none.
///
/// What the emulator does not have (textures, caches, clocks, managed and pooled memory, clusters) is 0: absent or
/// unknown. Devices differ in their place on the bus alone.
fn attribute(number: c_int, ordinal: u32) -> Option<u32> {
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
        // PCI_BUS_ID
        33 => ordinal,
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

/// Returns the UUID of a device.
fn uuid(ordinal: u32) -> [u8; 16] {
    let mut uuid = limits::DEVICE_UUID;
    let [.., tens, ones] = &mut uuid;
    (*tens, *ones) = (b'0' + (ordinal / 10) as u8, b'0' + (ordinal % 10) as u8);
    uuid
}

/// Returns the numbers of a place on the PCI bus: `[domain:]bus:device[.function]`, in hexadecimal digits.
fn pci_numbers(id: &str) -> Option<Vec<u32>> {
    let (place, function) = id.split_once('.').unwrap_or((id, "0"));
    let parts: Vec<&str> = place.split(':').chain([function]).collect();
    let number = |part: &&str| u32::from_str_radix(part, 16).ok().filter(|_| !part.starts_with('+'));
    if (3..=4).contains(&parts.len()) { parts.iter().map(number).collect() } else { None }
}

api! {
    /// Makes the driver ready, with as many devices as `COALESCED_DEVICES` says. `flags` must be 0.
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("the flags of cuInit must be 0"));
        }
        initialize()
    }

    /// Writes the version of CUDA that this API is of: 12080.
    fn cuDriverGetVersion(version: Out<c_int>) {
        version.set(limits::DRIVER_VERSION)
    }

    /// Writes the number of devices.
    fn cuDeviceGetCount(count: Out<c_int>) {
        count.set(driver()?.devices.len() as c_int)
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
        uuid.set(self::uuid(require_device(device)?.ordinal))
    }

    /// Writes the UUID, the same on every machine.
    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: Device) {
        uuid.set(self::uuid(require_device(device)?.ordinal))
    }

    /// Writes the device's place on the PCI bus, where its ordinal is the bus and every other number is 0.
    fn cuDeviceGetPCIBusId(id: Out<c_char>, capacity: c_int, device: Device) {
        let place = limits::pci_bus_id(require_device(device)?.ordinal);
        id.require()?;
        let too_short = || CUresult::INVALID_VALUE.because(format!("{capacity} bytes for {place}"));
        let capacity = usize::try_from(capacity).ok().filter(|&bytes| bytes > place.len());
        // SAFETY: the caller gives the length of its buffer.
        unsafe { id.set_text(&place, capacity.ok_or_else(too_short)?) };
        Ok(())
    }

    /// Writes the device at a place of the PCI bus: `domain:bus:device.function`, where domain and function may be left
    /// out.
    fn cuDeviceGetByPCIBusId(device: Out<Device>, id: Text) {
        let devices = &driver()?.devices;
        device.require()?;
        let id = id.name()?;
        let malformed = || CUresult::INVALID_VALUE.because(format!("`{id}` is no place on the PCI bus"));
        let unknown = || CUresult::INVALID_DEVICE.because(format!("no device at {id}"));
        let [domain @ .., bus, slot, function] = &pci_numbers(&id).ok_or_else(malformed)?[..] else {
            return Err(malformed());
        };
        let elsewhere = domain.iter().chain([slot, function]).any(|&number| number != 0);
        let found = devices.iter().find(|device| device.ordinal == *bus && !elsewhere).ok_or_else(unknown)?;
        device.set(found.ordinal as Device)
    }

    /// Writes the size of device memory in bytes.
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: Device) {
        bytes.set(require_device(device)?.memory.capacity_bytes() as usize)
    }

    /// Writes an attribute of the device.
    fn cuDeviceGetAttribute(value: Out<c_int>, number: c_int, device: Device) {
        let ordinal = require_device(device)?.ordinal;
        let unknown = || CUresult::INVALID_VALUE.because(format!("CUDA 12.8 has no device attribute {number}"));
        value.set(attribute(number, ordinal).ok_or_else(unknown)? as c_int)
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
        assert_eq!(pci_numbers(&limits::pci_bus_id(63)), Some(vec![0, 63, 0, 0]));
        assert_eq!(pci_numbers("00:1F"), Some(vec![0, 0x1F, 0]));
        assert_eq!(pci_numbers("0000:3b:00"), Some(vec![0, 0x3B, 0, 0]));
        for wrong in ["", "0", "0:0:0:0", "0:g", "0:+1", "0:0.", ":"] {
            assert_eq!(pci_numbers(wrong), None, "{wrong}");
        }
    }
}
