//! What a product of small matrices costs on the tensor cores.

use crate::gpu::H200;

/// The multiply-adds of the products whose rates are in the table: 16 x 8 x 16 of 16-bit numbers, and 16 x 8 x 8 of TF32.
const OF_16_BITS: u64 = 16 * 8 * 16;
const OF_TF32: u64 = 16 * 8 * 8;

/// The bytes that shared memory delivers in a cycle.
const BYTES_OF_A_WAVEFRONT: u64 = 128;

/// The cost of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    /// The thousandths of a cycle that it occupies the tensor core of its scheduler.
    pub(crate) occupies: u64,
    /// The cycles until its result can be used.
    pub(crate) latency: u64,
}

impl Product {
    /// Returns the cost of an instruction of PTX, such as `mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32`; `None` if its
    /// rate was not measured.
    pub(crate) fn from_ptx(opcode: &str) -> Option<Self> {
        let parts: Vec<&str> = opcode.split('.').collect();
        let shape = parts.iter().find(|part| part.starts_with('m') && part.contains('n') && part.contains('k'))?;
        let extents: Vec<u64> = shape.split(['m', 'n', 'k']).filter_map(|extent| extent.parse().ok()).collect();
        let kind = parts.get(parts.len().checked_sub(3)?)?;
        let is_plain = parts[0] == "mma" && !parts.contains(&"sp");
        Self::new(extents.iter().product(), kind).filter(|_| is_plain && extents.len() == 3)
    }

    /// Returns the cost of an instruction of machine code, such as `HMMA.16816.F32.BF16`; `None` likewise.
    pub(crate) fn from_machine_code(opcode: &str) -> Option<Self> {
        let mut parts = opcode.split('.');
        let depth = match (parts.next()?, parts.next()?) {
            ("HMMA", "16816") => 16,
            ("HMMA", "1688") => 8,
            _ => return None,
        };
        let kind = if parts.any(|part| part == "TF32") { "tf32" } else { "f16" };
        Self::new(16 * 8 * depth, kind)
    }

    /// Returns the cost of a product of a warpgroup, such as `wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16`, for each of
    /// its four warps; `None` if its rate was not measured.
    pub(crate) fn of_warpgroup(opcode: &str, a_in_registers: bool) -> Option<Self> {
        let shape = opcode.split('.').find(|part| part.starts_with("m64n"))?;
        let columns: u64 = shape.strip_prefix("m64n")?.strip_suffix("k16")?.parse().ok()?;
        let products = H200.warpgroup;
        let more = if a_in_registers { products.left_in_registers } else { 0 };
        // Shared memory has the right factor's columns of 32 bytes, and of the left one 64 rows of them.
        let read = (columns + if a_in_registers { 0 } else { 64 }) * 32 / BYTES_OF_A_WAVEFRONT;
        let occupies = (columns * products.column_millicycles).max(read * 1000) + more * 1000;
        let is_measured = opcode.ends_with(".bf16.bf16") || opcode.ends_with(".f16.f16");
        is_measured.then_some(Self { occupies, latency: products.latency })
    }

    fn new(multiply_adds: u64, kind: &str) -> Option<Self> {
        let (of, occupies, latency) = match kind {
            "f16" | "bf16" => (OF_16_BITS, H200.interval.tensor_16_bits_millicycles, H200.latency.tensor_16_bits),
            "tf32" => (OF_TF32, H200.interval.tensor_tf32_millicycles, H200.latency.tensor_tf32),
            _ => return None,
        };
        Some(Self { occupies: occupies * multiply_adds / of, latency })
    }
}
