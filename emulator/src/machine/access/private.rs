//! Loads and stores of shared, local and parameter memory.

use super::{ROW_BYTES, Request, active, extend};
use crate::counters::Observer;
use crate::machine::block::{BlockMachine, Run, set_value};
use crate::machine::pattern::Pattern;
use crate::machine::registers::LANES;
use crate::ptx::tree::Space;

impl<O: Observer> BlockMachine<'_, O> {
    /// Bytes of shared, local or parameter memory, and where a lane's part of it begins.
    fn private_window(&self, request: &Request<'_>, lane: usize) -> (u64, usize) {
        match request.space {
            Space::Shared => (self.bound.shared_bytes() as u64, 0),
            Space::Local => {
                let bytes = self.bound.program.local_bytes;
                let words = bytes.div_ceil(4) as usize;
                (u64::from(bytes), 4 * words * (request.warp * LANES + lane))
            }
            _ => (self.bound.launch.parameters.len() as u64, 0),
        }
    }

    /// Offset of a lane's access in the storage of its space.
    pub(super) fn private_offset(&self, request: &Request<'_>, lane: usize) -> Run<usize> {
        let (limit, start) = self.private_window(request, lane);
        let (address, bytes) = (request.addresses.of(lane), request.bytes());
        if address >= limit || bytes > limit - address {
            let place = format!("where there are {limit} bytes");
            return Err(self.bad_access(request, lane, &place));
        }
        Ok(start + address as usize)
    }

    fn read_private(&self, space: Space, offset: usize, bytes: u8) -> u64 {
        match space {
            Space::Shared => read_plain(&self.shared, offset, bytes),
            Space::Local => read_plain(&self.local, offset, bytes),
            _ => {
                let source = &self.bound.launch.parameters[offset..offset + usize::from(bytes)];
                source.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
            }
        }
    }

    pub(super) fn load_private(&mut self, request: &Request<'_>) -> Run<()> {
        let element = request.element;
        let step = usize::from(element.bytes);
        if let (Pattern::Uniform(_), Space::Shared | Space::Parameter) = (request.addresses.pattern, request.space) {
            let offset = self.private_offset(request, request.addresses.first_lane())?;
            let mut values = [0; 4];
            for (part, value) in values.iter_mut().enumerate().take(usize::from(request.lanes)) {
                *value = self.read_private(request.space, offset + part * step, element.bytes);
            }
            self.broadcast(request, values);
            return Ok(());
        }
        if let Some(words) = self.shared_row(request, 0) {
            let row = &mut self.registers.narrow[request.step.places[0].of(request.warp)].0;
            row.copy_from_slice(&self.shared[words]);
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            for part in 0..usize::from(request.lanes) {
                let bits = self.read_private(request.space, offset + part * step, element.bytes);
                set_value(&mut self.registers, request.step, part, request.warp, lane, extend(bits, element));
            }
        }
        Ok(())
    }

    /// The words of shared memory that a whole row goes to.
    fn shared_row(&self, request: &Request<'_>, operand: usize) -> Option<std::ops::Range<usize>> {
        let start = request.is_row(operand).filter(|_| request.space == Space::Shared)?;
        let inside = start.checked_add(ROW_BYTES)? <= self.bound.shared_bytes() as u64;
        inside.then_some(start as usize / 4..start as usize / 4 + LANES)
    }

    pub(super) fn store_private(&mut self, request: &Request<'_>) -> Run<()> {
        let element = request.element;
        if let Some(words) = self.shared_row(request, 1) {
            let row = &self.registers.narrow[request.step.places[1].of(request.warp)].0;
            self.shared[words].copy_from_slice(row);
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            let values = self.store_values(request, lane);
            let storage = if request.space == Space::Shared { &mut self.shared } else { &mut self.local };
            for (part, &bits) in values.iter().enumerate().take(usize::from(request.lanes)) {
                write_plain(storage, offset + part * usize::from(element.bytes), element.bytes, bits);
            }
        }
        Ok(())
    }
}

/// Reads 1, 2, 4 or 8 aligned bytes.
pub(super) fn read_plain(words: &[u32], offset: usize, bytes: u8) -> u64 {
    let word = u64::from(words[offset / 4]);
    match bytes {
        4 => word,
        8 => u64::from(words[offset / 4 + 1]) << 32 | word,
        _ => word >> (8 * (offset % 4)) & ((1 << (8 * bytes)) - 1),
    }
}

/// Writes 1, 2, 4 or 8 aligned bytes.
pub(super) fn write_plain(words: &mut [u32], offset: usize, bytes: u8, value: u64) {
    match bytes {
        4 => words[offset / 4] = value as u32,
        8 => {
            words[offset / 4] = value as u32;
            words[offset / 4 + 1] = (value >> 32) as u32;
        }
        _ => {
            let shift = 8 * (offset % 4) as u32;
            let mask = ((1_u32 << (8 * bytes)) - 1) << shift;
            let word = &mut words[offset / 4];
            *word = (*word & !mask) | ((value as u32) << shift & mask);
        }
    }
}
