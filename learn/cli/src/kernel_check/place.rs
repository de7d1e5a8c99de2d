//! The elements that findings concern: of an argument's buffer, or of a variable in shared memory.

use super::Placed;
use super::names::{access_bytes, variable_in_source};
use cuda_cpp::source::Parameter;
use emulator::{Diagnosis, Finding, FindingKind, Kernel, MemorySpace};

/// The largest distance in bytes between an access and the buffer that it misses. A larger one has another cause than an index
/// that is a little too large.
const NEAR: i128 = 1 << 20;

/// The arguments and the shared memory of a launch.
pub struct Places<'a> {
    pub arguments: &'a [Placed<'a>],
    /// The parameters as the source declares them, if it is known.
    pub parameters: Option<&'a [Parameter]>,
    pub kernel: &'a Kernel,
    /// The size of the dynamic shared memory in bytes.
    pub dynamic_bytes: u64,
}

/// Returns the memory and the address that a finding concerns.
pub fn place_of_finding(finding: &Finding) -> Option<(MemorySpace, u64)> {
    let memory = match finding.kind {
        FindingKind::Race { memory, .. } | FindingKind::Uninitialized { memory } => memory,
        FindingKind::PendingCopy { .. } | FindingKind::PendingRead | FindingKind::MissingProxyFence => {
            MemorySpace::Shared
        }
        _ => return None,
    };
    finding.address.map(|address| (memory, address))
}

impl Places<'_> {
    /// Describes the element at an address, or the element that an address near to a buffer would be.
    pub fn describe(&self, (memory, address): (MemorySpace, u64), diagnosis: &Diagnosis) -> Option<String> {
        match memory {
            MemorySpace::Global => self.element(address),
            MemorySpace::Shared => {
                let instruction = diagnosis.sides.last().map_or("", |side| side.place.instruction.as_str());
                Some(self.in_shared(address, access_bytes(instruction)))
            }
        }
    }

    /// Returns an argument's number with its name, if that is known: ``argument 2 `out` ``.
    pub fn argument(&self, index: usize) -> String {
        let name = self.parameters.and_then(|parameters| parameters.get(index)).map(|parameter| &parameter.name);
        let name = name.filter(|name| !name.is_empty()).map_or_else(String::new, |name| format!(" `{name}`"));
        format!("argument {}{name}", index + 1)
    }

    fn element(&self, address: u64) -> Option<String> {
        let nearest = self.arguments.iter().enumerate().filter_map(|(index, argument)| {
            let (base, buffer) = argument.buffer?;
            let offset = i128::from(address) - i128::from(base);
            let distance = (-offset).max(offset - i128::from(buffer.bytes()) + 1).max(0);
            let most = if buffer.is_freed() { 0 } else { NEAR };
            (distance <= most).then_some((distance, index, offset, buffer))
        });
        let (distance, index, offset, buffer) = nearest.min_by_key(|(distance, ..)| *distance)?;
        let element = offset.div_euclid(i128::from(buffer.element_bytes()));
        let argument = self.argument(index);
        Some(match distance {
            0 if buffer.is_freed() => format!("element {element} of {argument}, {}, which is freed", buffer.shown),
            0 => format!("element {element} of {argument}, {}", buffer.shown),
            _ if buffer.count == 1 => {
                format!("element {element} of {argument}, which has 1 element ({})", buffer.shown)
            }
            _ => format!("element {element} of {argument}, which has {} elements ({})", buffer.count, buffer.shown),
        })
    }

    /// Describes a place in shared memory. An element has the size of the access, because PTX does not name the type.
    fn in_shared(&self, address: u64, access: u64) -> String {
        let variables = self.variables();
        let holds = |(_, start, bytes): &&(String, u64, u64)| (*start..start + bytes).contains(&address);
        match variables.iter().find(holds) {
            Some(variable) => element_of(variable, address, access),
            None if variables.len() == 1 => element_of(&variables[0], address, access),
            None => {
                let sizes: Vec<_> =
                    variables.iter().map(|(name, _, bytes)| format!("{name} ({bytes} bytes)")).collect();
                if sizes.is_empty() {
                    "the launch has no shared memory; --shared BYTES gives it some".into()
                } else {
                    format!("in none of the variables in shared memory: {}", sizes.join(", "))
                }
            }
        }
    }

    /// Returns the names, offsets and sizes of the variables in shared memory, the dynamic part last.
    fn variables(&self) -> Vec<(String, u64, u64)> {
        let fixed = self.kernel.shared_variables().iter();
        let fixed = fixed
            .map(|variable| (format!("`{}`", variable_in_source(&variable.name)), variable.offset, variable.bytes));
        let start = u64::from(self.kernel.static_shared_bytes()).next_multiple_of(16);
        let dynamic = (self.dynamic_bytes > 0).then(|| ("dynamic shared memory".into(), start, self.dynamic_bytes));
        fixed.chain(dynamic).collect()
    }
}

fn element_of((name, start, bytes): &(String, u64, u64), address: u64, access: u64) -> String {
    let offset = i128::from(address) - i128::from(*start);
    if access == 0 || !bytes.is_multiple_of(access) || offset.rem_euclid(i128::from(access)) != 0 {
        return format!("byte {offset} of {name}, which has {bytes} bytes");
    }
    let element = offset / i128::from(access);
    let count = bytes / access;
    let elements = if count == 1 { "element" } else { "elements" };
    format!("element {element} of {name}, which has {count} {elements} of {access} bytes")
}
