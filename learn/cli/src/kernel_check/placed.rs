//! Arguments in device memory.

use anyhow::{Context, Result};
use cuda_cpp::source::Parameter;
use emulator::Memory;
use judge::kernel_file::{Argument, Buffer, Part};

/// An argument on the device: the bytes that are passed, and the buffers that they point to.
pub struct Placed<'a> {
    pub bytes: Vec<u8>,
    /// Each with its address.
    pub buffers: Vec<(Part, u64, &'a Buffer)>,
    /// Whether it is a null pointer.
    pub is_null: bool,
}

/// Allocates and fills the buffers of all arguments.
///
/// # Errors
/// There is no memory for one, or no buffer for an address.
pub fn upload<'a>(
    memory: &Memory,
    arguments: &'a [Argument],
    parameters: Option<&[Parameter]>,
) -> Result<Vec<Placed<'a>>> {
    let mut placed = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let buffers = argument.buffers(&Part::argument(index)).into_iter();
        let buffers = buffers.map(|(part, buffer)| Ok((part.clone(), place(memory, &part, buffer)?, buffer)));
        let is_pointer = parameters.and_then(|all| all.get(index)).is_none_or(|parameter| parameter.is_pointer);
        let is_null = is_pointer && matches!(argument, Argument::Value { bytes, .. } if bytes[..] == [0; 8]);
        placed.push(Placed { bytes: Vec::new(), buffers: buffers.collect::<Result<_>>()?, is_null });
    }
    for (index, argument) in arguments.iter().enumerate() {
        let bytes = argument.bytes(&|part| address(&placed, part), &Part::argument(index))?;
        placed[index].bytes = bytes;
    }
    Ok(placed)
}

/// Returns the address of the buffer that is an argument or a member of one.
///
/// # Errors
/// It is none.
pub fn address(placed: &[Placed<'_>], part: &Part) -> Result<u64> {
    let found = buffer(placed, part).map(|(address, _)| address);
    found.with_context(|| format!("@{part}: argument {part} is not a buffer"))
}

/// Returns the address of a buffer, and the buffer.
pub fn buffer<'a>(placed: &[Placed<'a>], part: &Part) -> Option<(u64, &'a Buffer)> {
    let mut all = placed.iter().flat_map(|placed| &placed.buffers);
    all.find(|(found, ..)| found == part).map(|(_, address, buffer)| (*address, *buffer))
}

/// Returns the buffers after a launch, each with its part.
///
/// # Errors
/// One cannot be read.
pub fn results(memory: &Memory, placed: &[Placed<'_>]) -> Result<Vec<(Part, Buffer, Vec<u8>)>> {
    let read = |(part, address, buffer): &(Part, u64, &Buffer)| {
        let mut bytes = vec![0; buffer.bytes() as usize];
        if !buffer.is_freed() {
            memory.read(*address, &mut bytes)?;
        }
        Ok((part.clone(), (*buffer).clone(), bytes))
    };
    placed.iter().flat_map(|placed| &placed.buffers).map(read).collect()
}

fn place(memory: &Memory, part: &Part, buffer: &Buffer) -> Result<u64> {
    let address = memory.allocate(buffer.bytes()).with_context(|| format!("no memory for {}", buffer.shown))?;
    if let Some(element) = buffer.repeated() {
        memory.fill(address, element, buffer.count)?;
    } else if let Some(contents) = buffer.contents(part.seed()) {
        memory.write(address, &contents)?;
    }
    if buffer.is_freed() {
        memory.free(address)?;
    }
    Ok(address)
}
