//! The elements that findings concern: of an argument's buffer, or of a variable in shared memory.

use super::extent::{Extent, Unit};
use super::names::{access_bytes, in_source};
use super::placed::Placed;
use cuda_cpp::source::Parameter;
use emulator::{Diagnosis, Finding, Kernel, MemorySpace};
use judge::kernel_file::{Part, element_of_variable};

/// The largest distance in bytes between an access and the buffer that it misses: 2^32 elements of 16 bytes. The emulator leaves
/// more between the buffers of a few arguments.
const NEAR: u64 = 1 << 36;

/// The largest distance in bytes between an access and the variable, or the null pointer without a name, that it misses. Both are
/// far from all buffers, so that they would be the nearest of what an access by a wild address misses.
const CLOSE: u64 = 1 << 24;

/// The arguments and the shared memory of a launch.
pub struct Places<'a> {
    pub placed: &'a [Placed<'a>],
    /// The parameters as the source declares them, if it is known.
    pub parameters: Option<&'a [Parameter]>,
    pub kernel: &'a Kernel,
    /// The size of the dynamic shared memory in bytes.
    pub dynamic_bytes: u64,
}

/// Returns the memory and the address that a finding concerns.
pub fn place_of_finding(finding: &Finding) -> Option<(MemorySpace, u64)> {
    let kind = finding.kind;
    let memory = kind.memory().or(kind.is_asynchronous().then_some(MemorySpace::Shared));
    memory.zip(finding.address)
}

impl Places<'_> {
    /// Describes the element at an address, or the element that an address near to a buffer would be.
    pub fn describe(&self, (memory, address): (MemorySpace, u64), diagnosis: &Diagnosis) -> Option<String> {
        let side = diagnosis.sides.last()?;
        let access = access_bytes(&side.place.instruction);
        // What a finding concerns is inside of an allocation, or of a block that `malloc` returned.
        let is_outside = side.verb.is_empty() && !diagnosis.title.contains("`malloc`");
        match memory {
            MemorySpace::Global => self.element(address, access, if is_outside { NEAR } else { 0 }),
            MemorySpace::Shared => Some(self.in_shared(address, access)),
        }
    }

    /// Returns an argument's number with its name, if that is known: ``argument 2 `out` ``.
    pub fn argument(&self, part: &Part) -> String {
        let (number, members) = part.0.split_first().map_or((0, &[][..]), |(number, members)| (*number, members));
        let index = number.checked_sub(1);
        let parameter =
            index.and_then(|index| self.parameters?.get(index)).filter(|parameter| !parameter.name.is_empty());
        let name = parameter.map_or_else(String::new, |parameter| format!(" `{}`", parameter.name));
        members.iter().fold(format!("argument {number}{name}"), |whole, member| format!("member {member} of {whole}"))
    }

    /// Describes the element of the nearest buffer or variable at an address, which may be outside of it by `reach` bytes.
    fn element(&self, address: u64, access: u64, reach: u64) -> Option<String> {
        let buffers = self.placed.iter().flat_map(|placed| &placed.buffers).map(|(part, base, buffer)| Extent {
            base: *base,
            bytes: buffer.bytes(),
            unit: Unit::Element(buffer.element_bytes()),
            name: self.argument(part),
            shown: buffer.shown.clone(),
            is_freed: buffer.is_freed(),
        });
        let variables = self.kernel.variables().iter().map(|variable| Extent {
            base: variable.address,
            bytes: variable.bytes,
            unit: Unit::Access(access),
            name: format!("`{}`", in_source(&variable.name)),
            shown: String::new(),
            is_freed: false,
        });
        let nulls = self.placed.iter().zip(0..).filter(|(placed, _)| placed.is_null).map(|(_, index)| Extent {
            base: 0,
            bytes: 0,
            unit: Unit::Access(1),
            name: format!("the null pointer that is {}", self.argument(&Part::argument(index))),
            shown: String::new(),
            is_freed: false,
        });
        let null = Extent {
            base: 0,
            bytes: 0,
            unit: Unit::Access(1),
            name: "a null pointer".into(),
            shown: String::new(),
            is_freed: false,
        };
        let others = variables.chain([null]).filter(|extent| extent.distance(address) <= CLOSE);
        let nearest = buffers.chain(nulls).chain(others).min_by_key(|extent| extent.distance(address))?;
        (nearest.distance(address) <= reach).then(|| nearest.describe(address))
    }

    /// Describes a place in shared memory. An element has the size of the access, because PTX does not name the type.
    fn in_shared(&self, address: u64, access: u64) -> String {
        let variables = self.variables(access);
        match variables.iter().find(|variable| variable.distance(address) == 0) {
            Some(variable) => variable.describe(address),
            None if variables.len() == 1 => variables[0].describe(address),
            None if variables.is_empty() => "the launch has no shared memory; --shared BYTES gives it some".into(),
            None => {
                let sizes = variables.iter().map(|Extent { name, bytes, .. }| format!("{name} ({bytes} bytes)"));
                format!("in none of the variables in shared memory: {}", sizes.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Returns the variables in shared memory, the dynamic part last. Their elements have `access` bytes.
    fn variables(&self, access: u64) -> Vec<Extent> {
        let variable = |base: u64, bytes: u64, name: String| Extent {
            base,
            bytes,
            unit: Unit::Access(access),
            name,
            shown: String::new(),
            is_freed: false,
        };
        let fixed = self.kernel.shared_variables().iter();
        let fixed = fixed.map(|part| Extent {
            unit: part_of(&part.name, access),
            ..variable(part.offset, part.bytes, format!("`{}`", element_of_variable(&part.name).0))
        });
        let start = u64::from(self.kernel.static_shared_bytes()).next_multiple_of(16);
        let dynamic =
            (self.dynamic_bytes > 0).then(|| variable(start, self.dynamic_bytes, "dynamic shared memory".into()));
        fixed.chain(dynamic).collect()
    }
}

/// Returns the unit of a variable: NVRTC makes variables of the elements of arrays whose indices are all constants.
fn part_of(name: &str, access: u64) -> Unit {
    match element_of_variable(name).1 {
        indices if indices.is_empty() => Unit::Access(access),
        indices => Unit::Part(indices),
    }
}
