//! Loads and stores of shared, local and parameter memory.

use super::{Request, extend};
use crate::ground::lanes::{WARP_SIZE, active};
use crate::ground::space::Space;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::Run;
use crate::machine::word::{cells, read, write};
use crate::vector::registers::OperandKind;
use std::ops::Range;

impl<O: Observer> BlockMachine<'_, O> {
    /// Returns the size of shared, local or parameter memory in bytes, and the offset of the lane's part of it.
    fn private_window(&self, request: &Request<'_>, lane: usize) -> (u64, usize) {
        match request.space {
            Space::Shared => (self.bound.shared_bytes() as u64, 0),
            Space::Local => {
                let bytes = self.bound.program.local_bytes;
                let words = bytes.div_ceil(4) as usize;
                (u64::from(bytes), 4 * words * (request.warp * WARP_SIZE + lane))
            }
            _ => (self.bound.launch.parameters.len() as u64, 0),
        }
    }

    /// Returns the offset of a lane's access in the storage of its space.
    pub(super) fn private_offset(&self, request: &Request<'_>, lane: usize) -> Run<usize> {
        let (limit, start) = self.private_window(request, lane);
        let address = request.addresses.at(lane);
        let bytes = request.bytes();
        if address >= limit || bytes > limit - address {
            let place = format!("which is {limit} bytes long");
            return Err(self.bad_access(request, lane, &place));
        }
        Ok(start + address as usize)
    }

    fn read_private(&self, space: Space, offset: usize, bytes: u8) -> u64 {
        match space {
            Space::Shared => read(&self.memories.shared, offset, bytes),
            Space::Local => read(&self.memories.local, offset, bytes),
            _ => {
                let source = &self.bound.launch.parameters[offset..offset + usize::from(bytes)];
                source.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
            }
        }
    }

    #[cfg_attr(target_family = "wasm", inline(never))]
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
        if let Some((lanes, words)) = self.shared_row(request, 0) {
            let row = &mut self.registers.narrow[request.step.places[0].row(request.warp)].0;
            row[lanes].copy_from_slice(&self.memories.shared[words]);
            return Ok(());
        }
        if let Some(indices) = self.shared_words(request, 0) {
            for part in 0..usize::from(request.lanes) {
                let row = &mut self.registers.narrow[request.step.places[part].row(request.warp)].0;
                active(request.addresses.mask).for_each(|lane| row[lane] = self.memories.shared[indices[lane] + part]);
            }
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            for part in 0..usize::from(request.lanes) {
                let bits = self.read_private(request.space, offset + part * step, element.bytes);
                self.registers.set_value(request.step.operand(part), request.warp, lane, extend(bits, element));
            }
        }
        Ok(())
    }

    /// Returns the lanes of [`Request::row`] and the range of their words in shared memory.
    fn shared_row(&self, request: &Request<'_>, operand: usize) -> Option<(Range<usize>, Range<usize>)> {
        let (lanes, start) = request.row(operand).filter(|_| request.space == Space::Shared)?;
        let inside = start.checked_add(4 * lanes.len() as u64)? <= self.bound.shared_bytes() as u64;
        let first = start as usize / 4;
        inside.then(|| (lanes.clone(), first..first + lanes.len()))
    }

    /// Returns the index in shared memory of each active lane's first word, if operands from `first` are words of 32 bits, and all
    /// are inside.
    fn shared_words(&self, request: &Request<'_>, first: usize) -> Option<[usize; WARP_SIZE]> {
        let kinds = &request.step.kinds[first..first + usize::from(request.lanes)];
        let are_words = request.element.bytes == 4 && kinds.iter().all(|kind| *kind == Some(OperandKind::Narrow));
        if request.space != Space::Shared || !are_words {
            return None;
        }
        let last = (self.bound.shared_bytes() as u64).checked_sub(request.bytes())?;
        let Addresses { mask, .. } = request.addresses;
        let addresses: [u64; WARP_SIZE] = match request.addresses.pattern {
            Pattern::Any(addresses) => *addresses,
            _ => std::array::from_fn(|lane| request.addresses.at(lane)),
        };
        let is_outside = |(lane, &address)| u32::from(address > last) << lane;
        let outside = addresses.iter().enumerate().fold(0, |outside, place| outside | is_outside(place));
        (outside & mask == 0).then(|| addresses.map(|address| address as usize / 4))
    }

    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn store_private(&mut self, request: &Request<'_>) -> Run<()> {
        let element = request.element;
        if (self.spin.is_probing() || self.cluster.has_peers()) && request.space == Space::Shared {
            self.note_store(request)?;
        }
        if let Some((lanes, words)) = self.shared_row(request, 1) {
            let row = &self.registers.narrow[request.step.places[1].row(request.warp)].0;
            self.memories.shared[words].copy_from_slice(&row[lanes]);
            return Ok(());
        }
        if let Some(indices) = self.shared_words(request, 1) {
            let rows = &request.step.places[1..=usize::from(request.lanes)];
            for lane in active(request.addresses.mask) {
                for (part, row) in rows.iter().enumerate() {
                    self.memories.shared[indices[lane] + part] = self.registers.narrow[row.row(request.warp)].0[lane];
                }
            }
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            let values = self.store_values(request, lane);
            let storage = cells(if request.space == Space::Shared {
                &mut self.memories.shared
            } else {
                &mut self.memories.local
            });
            for (part, &bits) in values.iter().enumerate().take(usize::from(request.lanes)) {
                write(storage, offset + part * usize::from(element.bytes), element.bytes, bits);
            }
        }
        Ok(())
    }

    /// Records whether a store changes shared memory.
    #[cold]
    fn note_store(&mut self, request: &Request<'_>) -> Run<()> {
        let bytes = request.element.bytes;
        let mask = u64::MAX >> (64 - 8 * u32::from(bytes));
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            for (part, &new) in self.store_values(request, lane).iter().enumerate().take(usize::from(request.lanes)) {
                let old = read(&self.memories.shared, offset + part * usize::from(bytes), bytes);
                self.spin.note_change(old != new & mask);
            }
        }
        Ok(())
    }
}
