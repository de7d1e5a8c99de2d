//! Loaded modules: kernels ready to launch, variables in device memory.

use crate::fault::Place;
use crate::launch::{Dim3, Launch};
use crate::lower::step::{Origin, Program};
use crate::lower::{self, Names, Symbol};
use crate::machine::registers::LANES;
use crate::ptx::tree::{Function, Space, Tree};
use crate::{Memory, MemoryError, ptx};
use std::collections::HashMap;
use std::sync::Arc;

/// Threads of a block at most.
const MAX_THREADS: u32 = 1024;

/// Constant memory of a module in bytes.
const MAX_CONSTANT_BYTES: u64 = 64 << 10;

/// Why a module was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not PTX.
    #[error("PTX line {line}: {message}")]
    Syntax {
        /// Line of the PTX text, from 1.
        line: u32,
        /// What was found and what was expected.
        message: String,
    },
    /// It is PTX, with something that the emulator does not execute. All unknown instructions are listed.
    #[error("not supported by the emulator: {0}")]
    Unsupported(String),
    /// Its variables do not fit device memory.
    #[error("no memory for the variables of the module: {0}")]
    Memory(#[from] MemoryError),
}

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
    name: String,
    parameters: Vec<Parameter>,
    max_threads: u32,
    constant_bytes: u32,
    program: Program,
    module: Arc<Text>,
}

/// What all kernels of a module share.
#[derive(Debug)]
struct Text {
    source: String,
    /// Where each line of it begins.
    line_starts: Vec<usize>,
    variables: Vec<Variable>,
    files: HashMap<u32, String>,
    version: u32,
    target: u32,
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

/// A PTX module loaded into a device's memory. Dropping it frees its variables.
#[derive(Debug)]
pub struct Module {
    kernels: Vec<Arc<Kernel>>,
    variables: Vec<Variable>,
    memory: Arc<Memory>,
}

impl Module {
    /// Parses `ptx` and places its variables in `memory`.
    ///
    /// # Errors
    /// [`LoadError`] when the text is not PTX, holds something unsupported, or does not fit.
    pub fn load(ptx: &str, memory: &Arc<Memory>) -> Result<Self, LoadError> {
        let tree = ptx::parse(ptx)?;
        lower::refuse_unsupported(&tree)?;
        let constant_bytes = constant_bytes(&tree)?;
        let mut module = Self { kernels: Vec::new(), variables: Vec::new(), memory: Arc::clone(memory) };
        let names = Names::new(&tree, module.place_variables(&tree)?);
        let text = Arc::new(Text {
            source: ptx.to_owned(),
            line_starts: std::iter::once(0).chain(ptx.match_indices('\n').map(|(place, _)| place + 1)).collect(),
            variables: module.variables.clone(),
            files: tree.files.clone(),
            version: tree.version,
            target: tree.target,
        });
        for function in tree.functions.iter().filter(|function| function.entry && function.body.is_some()) {
            let program = lower::lower(&names, function)?;
            module.kernels.push(Arc::new(Kernel {
                name: function.name.clone(),
                parameters: layout(function),
                max_threads: function.max_threads.unwrap_or(MAX_THREADS).min(MAX_THREADS),
                constant_bytes,
                program,
                module: Arc::clone(&text),
            }));
        }
        Ok(module)
    }

    /// The kernel of that name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Arc<Kernel>> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// All kernels, in the order of the text.
    #[must_use]
    pub fn kernels(&self) -> &[Arc<Kernel>] {
        &self.kernels
    }

    /// The variable of that name (`.global` or `.const`).
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    fn place_variables(&mut self, tree: &Tree) -> Result<HashMap<String, Symbol>, LoadError> {
        let mut symbols = HashMap::new();
        let placed = tree.variables.iter().filter(|variable| matches!(variable.space, Space::Global | Space::Constant));
        for variable in placed {
            if variable.external {
                let detail = format!("line {}: the external variable `{}`", variable.line, variable.name);
                return Err(LoadError::Unsupported(detail));
            }
            let address = self.memory.allocate_region(variable.bytes, variable.space == Space::Constant)?;
            self.variables.push(Variable { name: variable.name.clone(), address, bytes: variable.bytes });
            self.memory.fill(address, &[0], variable.bytes)?;
            self.memory.write(address, &variable.initial)?;
            symbols.insert(variable.name.clone(), Symbol { space: variable.space, address });
        }
        Ok(symbols)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        for variable in &self.variables {
            // Freed before only if a caller freed an address that is not its own.
            let _ = self.memory.free(variable.address);
        }
    }
}

/// Constant memory of a module in bytes; fails at the variable that does not fit any more.
fn constant_bytes(tree: &Tree) -> Result<u32, LoadError> {
    let mut bytes = 0;
    for variable in tree.variables.iter().filter(|variable| variable.space == Space::Constant) {
        bytes += variable.bytes;
        if bytes > MAX_CONSTANT_BYTES {
            let message = format!("{bytes} bytes of constant memory: a module has at most {MAX_CONSTANT_BYTES}");
            return Err(LoadError::Syntax { line: variable.line, message });
        }
    }
    Ok(bytes as u32)
}

fn layout(function: &Function) -> Vec<Parameter> {
    let mut end = 0_usize;
    let place = function.parameters.iter().map(|parameter| {
        let offset = end.next_multiple_of(parameter.align as usize);
        end = offset + parameter.bytes as usize;
        Parameter { offset, bytes: parameter.bytes as usize }
    });
    place.collect()
}
