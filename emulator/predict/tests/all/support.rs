//! Launches of small kernels, as scenes.

use emulator::{Contents, Scene};

/// The address of the only allocation: the first of an empty memory.
const DATA: u64 = 0x7_0000_0000;

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub enum Argument {
    /// The address of a byte of the data.
    Pointer(u64),
    /// A 32-bit value.
    Word(u32),
}

/// Returns a launch of a kernel on zeroed data.
pub fn scene(ptx: &str, entry: &str, (grid, block): (u32, u32), bytes: usize, arguments: &[Argument]) -> Scene {
    let mut parameters = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Pointer(offset) => {
                parameters.resize(parameters.len().next_multiple_of(8), 0);
                parameters.extend((DATA + offset).to_le_bytes());
            }
            Argument::Word(word) => parameters.extend(word.to_le_bytes()),
        }
    }
    Scene {
        ptx: ptx.to_owned(),
        entry: entry.to_owned(),
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
        parameters,
        cooperative: false,
        cluster: None,
        memory: if bytes == 0 { Vec::new() } else { vec![Contents { address: DATA, contents: vec![0; bytes] }] },
        variables: Vec::new(),
        results: Vec::new(),
    }
}

/// Returns a kernel `k` with a pointer `%rd1` to the data, the thread's index `%r1`, and this body.
pub fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.shared .align 16 .b8 tile[16384];\n\
         .visible .entry k(.param .u64 data) {{\n.reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .f32 %f<99>;\n\
         .reg .f64 %d<9>;\n.reg .b64 %rd<99>;\nld.param.u64 %rd1, [data];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}"
    )
}
