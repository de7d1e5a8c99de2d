//! Loaded modules: kernels ready to launch, variables in device memory.

use super::kernel::{Kernel, Parameter, Text, Variable};
use crate::ground::limits::MAX_THREADS_PER_BLOCK;
use crate::ground::refusal::LoadError;
use crate::ground::space::Space;
use crate::lower::names::{Names, Symbol};
use crate::lower::{lower, refuse_unsupported};
use crate::memory::device::Memory;
use crate::ptx::parser::parse;
use crate::ptx::tree::{Function, Tree};
use std::collections::HashMap;
use std::sync::Arc;

/// Constant memory of a module in bytes.
const MAX_CONSTANT_BYTES: u64 = 64 << 10;

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
        let tree = parse(ptx)?;
        refuse_unsupported(&tree)?;
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
            let program = lower(&names, function)?;
            module.kernels.push(Arc::new(Kernel {
                name: function.name.clone(),
                parameters: layout(function),
                max_threads: function.max_threads.unwrap_or(MAX_THREADS_PER_BLOCK).min(MAX_THREADS_PER_BLOCK),
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
