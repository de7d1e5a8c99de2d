//! Machine code: what ptxas made of a kernel, for one GPU architecture.
//!
//! `decode` turns a disassembly into a compact listing (`listing`), which the repository stores. `meaning` translates
//! the instructions on which branches and addresses depend (`needs`) into `token`s, and `execute` runs them for warps. The
//! streams (`record`) and the operations (`lower`) are those that the simulator replays for PTX, too.

mod bind;
mod decode;
mod execute;
mod listing;
mod lower;
mod meaning;
mod needs;
mod operand;
mod record;
mod token;

pub(crate) use lower::SCOREBOARDS;

use crate::code::operation::Operation;
use bind::{Constants, Program};
use emulator::{BlockStream, Scene};
use execute::Unknown;
use listing::Listed;
use record::Shape;
use std::fmt::Write;

/// Machine code of the kernels of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCode {
    kernels: Vec<Listed>,
}

impl MachineCode {
    /// Reads a compact listing.
    ///
    /// # Errors
    /// A text with the first line that cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        Listed::all(text).map(|kernels| Self { kernels })
    }

    /// Decodes a disassembly by `nvdisasm -hex`, and the messages of `ptxas -v`, which state the registers.
    ///
    /// # Errors
    /// A text, if they are not of the same module or cannot be read.
    pub fn decode(disassembly: &str, messages: &str) -> Result<Self, String> {
        decode::kernels(disassembly, messages).map(|kernels| Self { kernels })
    }

    /// Returns the compact listing of the kernels whose names `is_kept` accepts, in alphabetic order.
    #[must_use]
    pub fn listing(&self, is_kept: impl Fn(&str) -> bool) -> String {
        let mut kept: Vec<&Listed> = self.kernels.iter().filter(|kernel| is_kept(&kernel.name)).collect();
        kept.sort_by(|one, other| one.name.cmp(&other.name));
        kept.iter().fold(String::new(), |mut text, kernel| {
            let _ = write!(text, "{kernel}");
            text
        })
    }

    fn kernel(&self, name: &str) -> Option<&Listed> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// A kernel of the machine code, ready for a launch.
pub(crate) struct Followed {
    program: Program,
    shape: Shape,
    /// The registers of a thread.
    pub(crate) registers: u32,
}

impl Followed {
    /// Prepares the kernel of a scene.
    ///
    /// # Errors
    /// The reason why the machine code does not serve.
    pub(crate) fn new(code: &MachineCode, scene: &Scene) -> Result<Self, String> {
        let kernel = code.kernel(&scene.entry).ok_or_else(|| format!("it has no kernel {}", scene.entry))?;
        let constants = Constants { block: scene.block, grid: scene.grid, parameters: &scene.parameters };
        let shape = Shape { grid: scene.grid, block: scene.block };
        Ok(Self { program: Program::new(kernel, &constants), shape, registers: kernel.registers })
    }

    /// Returns the operations of each basic block.
    pub(crate) fn code(&self) -> &[Vec<Operation>] {
        &self.program.code
    }

    /// Returns the opcodes of each basic block.
    pub(crate) fn opcodes(&self) -> &[Vec<String>] {
        &self.program.opcodes
    }

    /// Returns the beginning of a block, without its events.
    ///
    /// # Errors
    /// The reason why its warps cannot be followed.
    pub(crate) fn beginning(&self, block: u64) -> Result<BlockStream, String> {
        record::beginning(&self.program, &self.shape, block).map_err(|Unknown(reason)| reason)
    }

    /// Returns the stream of a block.
    ///
    /// # Errors
    /// The reason why its warps cannot be followed.
    pub(crate) fn stream(&self, block: u64, most_events: usize) -> Result<BlockStream, String> {
        record::record(&self.program, &self.shape, block, most_events).map_err(|Unknown(reason)| reason)
    }
}
