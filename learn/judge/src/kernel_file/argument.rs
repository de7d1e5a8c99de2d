//! Kernel arguments written as text: `i32=5`, `f32[1024]=random`, `{i32=8,f32[64]=index}`, `@2`.

use super::buffer::Buffer;
use super::element::Element;
use std::str::FromStr;

/// The largest depth of structures in structures.
const MAX_DEPTH: usize = 8;

/// An argument of a kernel, or a member of one that is a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The bytes of a scalar or of equal members of a structure, passed by value, and the name of the type, `i32`.
    Value {
        /// The bytes.
        bytes: Vec<u8>,
        /// The name of the type.
        element: String,
    },
    /// A buffer in device memory, whose address is passed.
    Buffer(Buffer),
    /// A structure, passed by value, with its members.
    Structure(Vec<Self>),
    /// The address of the buffer that is this argument, or this member of one.
    Address(Part),
}

/// An argument, counted from 1, or a member of it: `2`, `2.3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part(pub Vec<usize>);

impl Argument {
    /// Returns the name of the type of the value or of an element: `f32`. Empty for structures and addresses.
    #[must_use]
    pub fn element_name(&self) -> &str {
        match self {
            Self::Value { element, .. } => element,
            Self::Buffer(buffer) => buffer.shown.split('[').next().unwrap_or_default(),
            Self::Structure(_) | Self::Address(_) => "",
        }
    }

    /// Returns the bytes that are passed, where `address` returns that of the buffer which is a part.
    ///
    /// # Errors
    /// The error of `address`.
    pub fn bytes<E>(&self, address: &impl Fn(&Part) -> Result<u64, E>, own: &Part) -> Result<Vec<u8>, E> {
        match self {
            Self::Value { bytes, .. } => Ok(bytes.clone()),
            Self::Buffer(_) => address(own).map(|address| address.to_le_bytes().into()),
            Self::Address(part) => address(part).map(|address| address.to_le_bytes().into()),
            Self::Structure(members) => {
                let mut bytes = Vec::new();
                for (index, member) in members.iter().enumerate() {
                    bytes.resize(bytes.len().next_multiple_of(member.align()), 0);
                    bytes.extend(member.bytes(address, &own.member(index))?);
                }
                bytes.resize(bytes.len().next_multiple_of(self.align()), 0);
                Ok(bytes)
            }
        }
    }

    /// Returns the alignment in bytes, as C has it.
    fn align(&self) -> usize {
        match self {
            Self::Value { element, .. } => Element::from_name(element).map_or(1, |element| element.bytes),
            Self::Buffer(_) | Self::Address(_) => 8,
            Self::Structure(members) => members.iter().map(Self::align).max().unwrap_or(1),
        }
    }

    /// Returns the buffers, each with its part, for the argument that is the part `own`.
    #[must_use]
    pub fn buffers(&self, own: &Part) -> Vec<(Part, &Buffer)> {
        match self {
            Self::Buffer(buffer) => vec![(own.clone(), buffer)],
            Self::Structure(members) => {
                let members = members.iter().enumerate();
                members.flat_map(|(index, member)| member.buffers(&own.member(index))).collect()
            }
            Self::Value { .. } | Self::Address(_) => Vec::new(),
        }
    }
}

impl Part {
    /// Returns the argument with an index from 0.
    #[must_use]
    pub fn argument(index: usize) -> Self {
        Self(vec![index + 1])
    }

    /// Returns the member with an index from 0.
    #[must_use]
    pub fn member(&self, index: usize) -> Self {
        Self(self.0.iter().copied().chain([index + 1]).collect())
    }

    /// Returns the seed of random contents: the index of an argument from 0, and another number for each member.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.0.iter().rev().fold(0, |seed, &number| seed << 16 | number as u64).wrapping_sub(1)
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0.iter().map(usize::to_string).collect::<Vec<_>>().join("."))
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split('.').map(|number| number.parse().ok().filter(|number| *number > 0));
        let numbers = numbers.collect::<Option<_>>();
        numbers.map(Self).ok_or_else(|| format!("`{text}` is not the number of an argument; the first is 1"))
    }
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, 0)
    }
}

fn parse(text: &str, depth: usize) -> Result<Argument, String> {
    if let Some(part) = text.strip_prefix('@') {
        return part.parse().map(Argument::Address);
    }
    if let Some(members) = text.strip_prefix('{') {
        let members = members.strip_suffix('}').ok_or_else(|| format!("`{text}` has no `}}` at its end"))?;
        if depth == MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} structures in each other"));
        }
        let members = split(members).into_iter().map(|member| parse(&member, depth + 1)).collect::<Result<_, _>>()?;
        return Ok(Argument::Structure(members));
    }
    let (declared, values) = text.split_once('=').map_or((text, None), |(declared, rest)| (declared, Some(rest)));
    if declared.contains('[') {
        return text.parse().map(Argument::Buffer);
    }
    let element = Element::from_name(declared)?;
    let values = values
        .ok_or_else(|| format!("the value is missing; write {declared}=VALUE, or {declared}[COUNT] for a buffer"))?;
    Ok(Argument::Value { bytes: element.parse_list(values)?, element: element.name() })
}

/// Splits the members of a structure at the commas outside of braces. A part without a type is another value of the member before it.
fn split(members: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let at_comma = |character: char| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    };
    let mut parts: Vec<String> = Vec::new();
    for part in members.split(at_comma).map(str::trim) {
        let begins = part.starts_with(['{', '@']) || part.contains(['=', '[']) || Element::from_name(part).is_ok();
        match parts.last_mut() {
            Some(last) if !begins => *last = format!("{last},{part}"),
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}
