//! The properties of the emulated device, which has compute capability 9.0. The emulator enforces its limits.
//!
//! The numbers are from the CUDA C++ Programming Guide, "Compute Capabilities".

pub(crate) use emulator::capability::{
    MAX_BLOCKS_PER_MULTIPROCESSOR, MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_MULTIPROCESSOR, MULTIPROCESSORS, REGISTERS,
    RESERVED_SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_MULTIPROCESSOR, WARP_THREADS,
};

/// The compute capability times ten, which is the newest PTX target that loads.
pub(crate) const COMPUTE_CAPABILITY: u32 = 90;

/// The newest PTX version that loads, times ten. NVRTC 13.5, the newest compiler the emulator is tested with, produces it.
pub(crate) const PTX_VERSION: u32 = 95;

/// The CUDA version of this driver API as `cuDriverGetVersion` reports it: 12.8.
pub(crate) const DRIVER_VERSION: i32 = 12080;

/// The name of the device.
pub(crate) const DEVICE_NAME: &str = "Coalesced PTX emulator (CPU)";

/// The maximum number of devices of a process.
pub(crate) const MAX_DEVICES: u32 = 64;

/// The UUID of device 0. It is the same on every machine, because the device is a program. The last two digits are the
/// ordinal of the device.
pub(crate) const DEVICE_UUID: [u8; 16] = *b"coalesced-emu-00";

pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub(crate) const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// The maximum distance between rows in memory copies, in bytes.
pub(crate) const MAX_PITCH: u32 = i32::MAX as u32;

/// Returns the PCI bus ID of a device: domain, bus, device and function. Only the bus differs between devices.
pub(crate) fn pci_bus_id(device: u32) -> String {
    format!("0000:{device:02x}:00.0")
}

/// The maximum static and dynamic shared memory of a block in bytes, after `cuFuncSetAttribute`.
pub(crate) const SHARED_BYTES_PER_BLOCK_OPT_IN: u32 = emulator::MAX_SHARED_BYTES;

pub(crate) const CONSTANT_BYTES: u32 = 64 << 10;

/// The maximum device memory in bytes.
const MAX_MEMORY_BYTES: u64 = 16 << 30;

/// Returns the memory size in bytes of each of `devices` devices: an equal share of half the machine's memory, so that host
/// data of the same size still fits, and at most 16 GiB.
pub(crate) fn memory_bytes(devices: u32) -> u64 {
    let of_machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_bytes(&text));
    of_machine.map_or(MAX_MEMORY_BYTES, |bytes| (bytes / 2 / u64::from(devices)).min(MAX_MEMORY_BYTES))
}

/// Parses the `MemTotal` line of `/proc/meminfo`, which is in KiB. Returns bytes.
fn total_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
