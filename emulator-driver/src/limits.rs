//! What the emulated device has: the limits of compute capability 9.0, which the emulator keeps to.
//!
//! Numbers are those of the CUDA C++ Programming Guide, "Compute Capabilities".

pub(crate) use emulator::limits::{
    MAX_BLOCKS_PER_MULTIPROCESSOR, MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_MULTIPROCESSOR, MULTIPROCESSORS, REGISTERS,
    RESERVED_SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_MULTIPROCESSOR, WARP_THREADS,
};

/// Compute capability, times ten: the newest PTX target that loads.
pub(crate) const COMPUTE_CAPABILITY: u32 = 90;

/// Newest version of PTX that loads, times ten: that of NVRTC 13.5, the newest compiler that the emulator is tested with.
pub(crate) const PTX_VERSION: u32 = 95;

/// CUDA version of this driver API, as `cuDriverGetVersion` tells it: 12.8.
pub(crate) const DRIVER_VERSION: i32 = 12080;

/// What `cuDeviceGetName` answers.
pub(crate) const DEVICE_NAME: &str = "Coalesced PTX emulator (CPU)";

/// Most devices that a process has.
pub(crate) const MAX_DEVICES: u32 = 64;

/// What `cuDeviceGetUuid` answers for device 0: the same on every machine, since the device is a program. The last two
/// digits are the device's.
pub(crate) const DEVICE_UUID: [u8; 16] = *b"coalesced-emu-00";

pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub(crate) const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// Most bytes between rows in memory copies.
pub(crate) const MAX_PITCH: u32 = i32::MAX as u32;

/// What `cuDeviceGetPCIBusId` answers: domain, bus, device and function, of which only the bus tells devices apart.
pub(crate) fn pci_bus_id(device: u32) -> String {
    format!("0000:{device:02x}:00.0")
}

/// Shared memory that a block gets after `cuFuncSetAttribute`, static and dynamic.
pub(crate) const SHARED_BYTES_PER_BLOCK_OPT_IN: u32 = emulator::MAX_SHARED_BYTES;

pub(crate) const CONSTANT_BYTES: u32 = 64 << 10;

/// Most device memory that the emulator hands out.
const MAX_MEMORY_BYTES: u64 = 16 << 30;

/// Returns the size of the memory of each of that many devices: together half of the machine's, so that host data of the
/// same size still fits, each at most 16 GiB.
pub(crate) fn memory_bytes(devices: u32) -> u64 {
    let of_machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_bytes(&text));
    of_machine.map_or(MAX_MEMORY_BYTES, |bytes| (bytes / 2 / u64::from(devices)).min(MAX_MEMORY_BYTES))
}

/// Reads the `MemTotal` line, which is in KiB.
fn total_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_total_is_read_in_kibibytes() {
        assert_eq!(total_bytes("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert_eq!(total_bytes("MemFree: 1 kB\n"), None);
    }
}
