//! The instructions of a kernel by basic block, with the registers that they read and write: what a compiler to machine code
//! sees of the PTX.

/// The register file of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterFile {
    /// Up to 32 bits per lane.
    Narrow,
    /// 64 bits per lane.
    Wide,
    /// One bit per lane.
    Predicate,
}

/// One PTX instruction. Calls are inlined, so an instruction of the text may be listed several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedInstruction {
    /// The number of the instruction in the kernel, by which [`crate::StreamedAccess`] refers to it.
    pub number: u32,
    /// The opcode with all its modifiers, such as `fma.rn.f32`.
    pub opcode: String,
    /// The predicate register of the guard.
    pub guard: Option<u32>,
    /// The virtual registers that it reads, without the guard. One register may occur several times.
    pub reads: Vec<u32>,
    /// The virtual registers that it writes.
    pub writes: Vec<u32>,
    /// The last of the sources that are literals, or addresses of variables in shared memory.
    pub literal: Option<u64>,
    /// Whether a source is a special register that differs between threads or blocks.
    pub reads_special: bool,
    /// Whether a source is a special register that differs between the threads of a block.
    pub reads_thread: bool,
    /// The base register and the offset in bytes of an access to memory. An absolute address has no base.
    pub address: Option<(Option<u32>, i64)>,
    /// Whether the access is to a parameter of an inlined call, which is a register in hardware.
    pub is_argument: bool,
}

/// The instructions of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The basic blocks in the order of the text.
    pub blocks: Vec<Vec<ListedInstruction>>,
    /// The blocks that can follow each block.
    pub successors: Vec<Vec<usize>>,
    /// The register file of each virtual register.
    pub registers: Vec<RegisterFile>,
}
