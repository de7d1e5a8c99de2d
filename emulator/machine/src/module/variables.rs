//! The variables of a module in device memory: allocated, initialized, and freed with the module.

use super::kernel::Variable;
use crate::ground::refusal::LoadError;
use crate::ground::space::Space;
use crate::lower::names::{Symbol, address_of};
use crate::memory::device::Memory;
use crate::ptx::tree::{self, InitialAddress, Tree};
use std::collections::HashMap;
use std::sync::Arc;

/// The `.global` and `.const` variables of a module. Dropping this frees them.
#[derive(Debug)]
pub(super) struct Variables {
    pub(super) list: Vec<Variable>,
    memory: Arc<Memory>,
}

/// The variables by name: their addresses, and for some the reason why code that uses them is refused.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) placed: HashMap<String, Symbol>,
    pub(super) refused: HashMap<String, String>,
}

impl Variables {
    /// Allocates and initializes the variables of `tree` in `memory`.
    ///
    /// # Errors
    /// [`LoadError`] for external variables, for addresses of undeclared names, and if there is not enough memory.
    pub(super) fn place(tree: &Tree, memory: &Arc<Memory>) -> Result<(Self, Symbols), LoadError> {
        let mut variables = Self { list: Vec::new(), memory: Arc::clone(memory) };
        let mut symbols = Symbols::default();
        for variable in in_device_memory(tree) {
            if variable.external {
                let detail = format!("line {}: the external variable `{}`", variable.line, variable.name);
                return Err(LoadError::Unsupported(detail));
            }
            let address = if variable.managed {
                memory.allocate_host(variable.bytes)?
            } else {
                memory.allocate_region(variable.bytes, variable.space == Space::Constant)?
            };
            variables.list.push(Variable {
                name: variable.name.clone(),
                address,
                bytes: variable.bytes,
                constant: variable.space == Space::Constant,
                initialized: !variable.initial.is_empty() || !variable.addresses.is_empty(),
            });
            memory.fill(address, &[0], variable.bytes)?;
            memory.write(address, &variable.initial)?;
            symbols.placed.insert(variable.name.clone(), Symbol { space: variable.space, address });
        }
        write_addresses(tree, memory, &mut symbols)?;
        Ok((variables, symbols))
    }
}

impl Drop for Variables {
    fn drop(&mut self) {
        for variable in &self.list {
            // Fails only if a caller has freed an address that it did not allocate.
            let _ = self.memory.free(variable.address);
        }
    }
}

fn in_device_memory(tree: &Tree) -> impl Iterator<Item = &tree::Variable> {
    tree.variables.iter().filter(|variable| matches!(variable.space, Space::Global | Space::Constant))
}

/// Writes the addresses in initial values. Kernels, and functions without a body, have no addresses: a variable with the address
/// of one, and every variable from which it can be reached, is refused in kernels that use it.
fn write_addresses(tree: &Tree, memory: &Memory, symbols: &mut Symbols) -> Result<(), LoadError> {
    let mut holders: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut refused: Vec<(&str, String)> = Vec::new();
    for variable in in_device_memory(tree) {
        for InitialAddress { place, name, offset, line } in &variable.addresses {
            if let Some(target) = symbols.placed.get(name) {
                let address = target.address.wrapping_add_signed(*offset);
                let home = symbols.placed[&variable.name].address;
                memory.write(home + *place as u64, &address.to_le_bytes())?;
                holders.entry(name).or_default().push(&variable.name);
            } else if let Some(address) = address_of(tree, name) {
                let home = symbols.placed[&variable.name].address;
                memory.write(home + *place as u64, &address.wrapping_add_signed(*offset).to_le_bytes())?;
            } else if tree.functions.iter().any(|function| function.name == *name) {
                let owner = &variable.name;
                let reason = format!("`{owner}`, which holds the address of the function `{name}` (line {line})");
                refused.push((owner, reason));
            } else {
                return Err(LoadError::Syntax { line: *line, message: format!("`{name}` is not declared") });
            }
        }
    }
    while let Some((name, reason)) = refused.pop() {
        if symbols.refused.insert(name.to_owned(), reason.clone()).is_none() {
            refused.extend(holders.get(name).into_iter().flatten().map(|&holder| (holder, reason.clone())));
        }
    }
    Ok(())
}
