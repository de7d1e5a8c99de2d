//! An entry function, ready to launch, and where its steps are in the text.

use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::Place;
use crate::ground::lanes::LANES;
use crate::lower::step::{Origin, Program};
use std::collections::HashMap;
use std::sync::Arc;

/// One kernel parameter: where it lies in the parameter block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Offset in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
}

/// A module-scope variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name in PTX.
    pub name: String,
    /// Device address.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// An entry function, ready to launch.
#[derive(Debug)]
pub struct Kernel {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) max_threads: u32,
    pub(super) constant_bytes: u32,
    pub(super) program: Program,
    pub(super) module: Arc<Text>,
}

/// What all kernels of a module share.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) source: String,
    /// Where each line of it begins.
    pub(super) line_starts: Vec<usize>,
    pub(super) variables: Vec<Variable>,
    pub(super) files: HashMap<u32, String>,
    pub(super) version: u32,
    pub(super) target: u32,
}

impl Kernel {
    /// Name of the entry function.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Parameters in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Bytes of the parameter block.
    #[must_use]
    pub fn parameter_bytes(&self) -> usize {
        self.parameters.last().map_or(0, |last| last.offset + last.bytes)
    }

    /// Static shared memory in bytes.
    #[must_use]
    pub fn static_shared_bytes(&self) -> u32 {
        self.program.static_shared_bytes
    }

    /// Local memory of a thread in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.program.local_bytes
    }

    /// Constant memory of the module in bytes.
    #[must_use]
    pub fn constant_bytes(&self) -> u32 {
        self.constant_bytes
    }

    /// Largest block: 1024, or what `.maxntid` says.
    #[must_use]
    pub fn max_threads_per_block(&self) -> u32 {
        self.max_threads
    }

    /// 32-bit registers that are live at once in the PTX; the machine code of a GPU may need others.
    #[must_use]
    pub fn registers(&self) -> u32 {
        self.program.slots.narrow + 2 * self.program.slots.wide
    }

    /// PTX version times ten (81 for 8.1).
    #[must_use]
    pub fn ptx_version(&self) -> u32 {
        self.module.version
    }

    /// Target architecture of the PTX (75 for sm_75).
    #[must_use]
    pub fn target(&self) -> u32 {
        self.module.target
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// The line of source that a step comes from: its file, or none for PTX without line information, and the line.
    pub(crate) fn source_line(&self, position: u32) -> (Option<u32>, u32) {
        let origin = self.origin(position);
        match self.module.files.contains_key(&origin.source.file) {
            true => (Some(origin.source.file), origin.source.line),
            false => (None, origin.line),
        }
    }

    /// Where a step comes from.
    pub(crate) fn origin(&self, position: u32) -> Origin {
        let step = self.program.steps.get(position as usize);
        step.map(|step| self.program.origins[step.origin as usize]).unwrap_or_default()
    }

    /// A thread of a launch at a step.
    pub(crate) fn place(&self, launch: &Launch<'_>, block: Dim3, thread: u32, position: u32) -> Place {
        let line = self.origin(position).line;
        Place {
            block,
            thread: launch.block.at(u64::from(thread)),
            warp: thread / LANES as u32,
            lane: thread % LANES as u32,
            line,
            location: self.location(position),
            instruction: self.ptx_line(line).trim().to_owned(),
        }
    }

    /// File and line that were compiled to a step, where the PTX has line information.
    pub(crate) fn location(&self, position: u32) -> Option<(String, u32)> {
        let source = self.origin(position).source;
        self.module.files.get(&source.file).map(|file| (file.clone(), source.line))
    }

    /// A line of the PTX text, counted from 1.
    pub(crate) fn ptx_line(&self, number: u32) -> &str {
        let index = number.saturating_sub(1) as usize;
        self.module
            .line_starts
            .get(index)
            .and_then(|&start| self.module.source[start..].lines().next())
            .unwrap_or_default()
    }

    /// The PTX text of the kernel's module.
    #[must_use]
    pub fn ptx(&self) -> &str {
        &self.module.source
    }

    /// The `.global` and `.const` variables of the kernel's module.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.module.variables
    }
}
