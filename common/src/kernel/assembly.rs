//! The machine code of PTX that was compiled at run time. An edited kernel is estimated from it, as the shipped ones are from
//! theirs.

use cuda_cpp::Assembler;
use predict::MachineCode;
use std::sync::OnceLock;

/// PTX, and what ptxas makes of it.
#[derive(Debug)]
pub struct Assembly {
    ptx: String,
    listing: OnceLock<Option<String>>,
}

impl Assembly {
    /// Returns the assembly of PTX, without assembling it yet.
    pub(super) fn new(ptx: String) -> Self {
        Self { ptx, listing: OnceLock::new() }
    }

    /// Returns the listing of the machine code; `None` if ptxas is not installed or refuses the PTX, or if nvdisasm's output is
    /// not understood. The first call runs both programs, which takes some tenths of a second.
    pub(super) fn listing(&self) -> Option<&str> {
        self.listing.get_or_init(|| assemble(&self.ptx)).as_deref()
    }
}

fn assemble(ptx: &str) -> Option<String> {
    let assembled = Assembler::find()?.run(ptx).ok()?;
    let code = MachineCode::decode(&assembled.disassembly, &assembled.messages).ok()?;
    Some(code.listing(|_| true))
}
