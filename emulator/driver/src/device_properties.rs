//! The properties of an emulated device, which has compute capability 9.0 unless the environment describes another
//! (`state::described`). The emulator enforces its limits.
//!
//! The numbers are from the CUDA C++ Programming Guide, "Compute Capabilities".

use emulator::Resources;
pub(crate) use emulator::capability::{
    MAX_THREADS_PER_BLOCK, MULTIPROCESSORS, REGISTERS, SHARED_BYTES_PER_BLOCK, WARP_THREADS,
};

/// A compute capability, with the resources of a multiprocessor that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chip {
    /// The compute capability times ten, which is the newest PTX target that loads.
    pub(crate) capability: u32,
    pub(crate) max_threads: u32,
    pub(crate) max_blocks: u32,
    pub(crate) shared_bytes: u32,
    /// What the system takes of that for each block. The rest is the most for one block, after `cuFuncSetAttribute`.
    pub(crate) reserved_bytes: u32,
}

const fn chip(capability: u32, max_threads: u32, max_blocks: u32, shared_kib: u32, reserved_kib: u32) -> Chip {
    let [shared_bytes, reserved_bytes] = [shared_kib << 10, reserved_kib << 10];
    Chip { capability, max_threads, max_blocks, shared_bytes, reserved_bytes }
}

/// The compute capabilities that a device can have.
pub(crate) const CHIPS: [Chip; 8] = [
    chip(75, 1024, 16, 64, 0),
    chip(80, 2048, 32, 164, 1),
    chip(86, 1536, 16, 100, 1),
    chip(87, 1536, 16, 164, 1),
    chip(89, 1536, 24, 100, 1),
    chip(90, 2048, 32, 228, 1),
    chip(100, 2048, 32, 228, 1),
    chip(120, 1536, 24, 100, 1),
];

/// The compute capability without a description. The rules of occupancy in [`emulator::Resources`] are its.
pub(crate) const DEFAULT_CAPABILITY: u32 = 90;

impl Chip {
    /// Returns the chip of a compute capability times ten.
    pub(crate) fn find(capability: u32) -> Option<Self> {
        CHIPS.into_iter().find(|chip| chip.capability == capability)
    }

    /// Returns the most shared memory of a block in bytes.
    pub(crate) fn shared_bytes_per_block(&self) -> u32 {
        self.shared_bytes - self.reserved_bytes
    }

    /// Returns the number of resident blocks of a kernel. No chip has more of anything than that of [`DEFAULT_CAPABILITY`],
    /// whose rules the emulator has, and all have as many registers.
    pub(crate) fn resident_blocks(&self, kernel: &Resources, threads: u32, dynamic_bytes: usize) -> u32 {
        let own_bytes = kernel.static_shared_bytes as usize + self.reserved_bytes as usize;
        let shared_bytes = own_bytes.saturating_add(dynamic_bytes);
        let by_shared_bytes = self.shared_bytes as usize / shared_bytes.max(1);
        let by_threads = self.max_threads / threads.next_multiple_of(WARP_THREADS).max(1);
        let most = by_threads.min(self.max_blocks).min(u32::try_from(by_shared_bytes).unwrap_or(u32::MAX));
        kernel.blocks_per_multiprocessor(threads, dynamic_bytes).min(most)
    }
}

/// The properties that differ between devices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Properties {
    pub(crate) chip: Chip,
    pub(crate) memory_bytes: u64,
    pub(crate) multiprocessors: u32,
    /// The warp instructions after which a launch is ended, as by the driver of a GPU with a display; `None` for no limit.
    pub(crate) time_limit: Option<u64>,
}

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
