//! Loads and stores of device memory.

use super::{Request, extend};
use crate::ground::lanes::{WARP_SIZE, active};
use crate::machine::addresses::Pattern;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::{Run, Stop};
use crate::machine::word::{read, write};
use crate::vector::registers::OperandKind;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

impl<O: Observer> BlockMachine<'_, O> {
    #[cold]
    pub(super) fn device_fault(&self, request: &Request<'_>, lane: usize) -> Box<Stop> {
        let place = self.memories.view.describe(request.addresses.at(lane));
        self.bad_access(request, lane, &place)
    }

    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn load_device(&mut self, request: &Request<'_>) -> Run<()> {
        let bytes = request.bytes();
        let element = request.element;
        let position = self.group.position as usize;
        if let Pattern::Uniform(address) = request.addresses.pattern {
            let Some(region) = self.memories.view.find(position, address, bytes) else {
                return Err(self.device_fault(request, request.addresses.first_lane()));
            };
            let offset = (address - region.base) as usize;
            let mut values = [0; 4];
            for (part, value) in values.iter_mut().enumerate().take(usize::from(request.lanes)) {
                *value = read(&region.words, offset + part * usize::from(element.bytes), element.bytes);
            }
            self.broadcast(request, values);
            return Ok(());
        }
        if let Some((lanes, start)) = request.row(0)
            && let Some(region) = self.memories.view.find(position, start, 4 * lanes.len() as u64)
        {
            let first = (start - region.base) as usize / 4;
            let row = &mut self.registers.narrow[request.step.places[0].row(request.warp)].0;
            for (value, word) in row[lanes].iter_mut().zip(&region.words[first..]) {
                *value = word.load(Relaxed);
            }
            return Ok(());
        }
        if let Some(start) = request.row_of_parts(0)
            && let Some(region) = self.memories.view.find(position, start, bytes * WARP_SIZE as u64)
        {
            let first = (start - region.base) as usize / 4;
            let row = &mut self.registers.narrow[request.step.places[0].row(request.warp)].0;
            let load = if element.bytes == 1 { load_parts::<4> } else { load_parts::<2> };
            load(row, &region.words[first..], element.signed);
            return Ok(());
        }
        if self.load_scattered(request) {
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let address = request.addresses.at(lane);
            let Some(region) = self.memories.view.find(position, address, bytes) else {
                return Err(self.device_fault(request, lane));
            };
            let offset = (address - region.base) as usize;
            for part in 0..usize::from(request.lanes) {
                let bits = read(&region.words, offset + part * usize::from(element.bytes), element.bytes);
                self.registers.set_value(request.step.operand(part), request.warp, lane, extend(bits, element));
            }
        }
        Ok(())
    }

    /// Loads one narrow value for each active lane, if all are in one allocation. Returns whether it did.
    fn load_scattered(&mut self, request: &Request<'_>) -> bool {
        let bytes = request.bytes();
        let element = request.element;
        let mask = request.addresses.mask;
        if request.lanes != 1 || request.step.kinds[0] != Some(OperandKind::Narrow) {
            return false;
        }
        let first = request.addresses.at(request.addresses.first_lane());
        let Some(region) = self.memories.view.find(self.group.position as usize, first, bytes) else { return false };
        if !active(mask).all(|lane| region.holds(request.addresses.at(lane), bytes)) {
            return false;
        }
        let row = &mut self.registers.narrow[request.step.places[0].row(request.warp)].0;
        for lane in active(mask) {
            let offset = (request.addresses.at(lane) - region.base) as usize;
            row[lane] = extend(read(&region.words, offset, element.bytes), element) as u32;
        }
        true
    }

    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn store_device(&mut self, request: &Request<'_>) -> Run<()> {
        let bytes = request.bytes();
        let element = request.element;
        let position = self.group.position as usize;
        if let Some((lanes, start)) = request.row(1)
            && let Some(region) = self.memories.view.find_to_write(position, start, 4 * lanes.len() as u64)
        {
            let first = (start - region.base) as usize / 4;
            let row = &self.registers.narrow[request.step.places[1].row(request.warp)].0;
            for (&value, word) in row[lanes].iter().zip(&region.words[first..]) {
                word.store(value, Relaxed);
            }
            return Ok(());
        }
        if let Some(start) = request.row_of_parts(1)
            && let Some(region) = self.memories.view.find_to_write(position, start, bytes * WARP_SIZE as u64)
        {
            let first = (start - region.base) as usize / 4;
            let row = &self.registers.narrow[request.step.places[1].row(request.warp)].0;
            let store = if element.bytes == 1 { store_parts::<4> } else { store_parts::<2> };
            store(row, &region.words[first..]);
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let values = self.store_values(request, lane);
            let address = request.addresses.at(lane);
            let Some(region) = self.memories.view.find_to_write(position, address, bytes) else {
                return Err(self.device_fault(request, lane));
            };
            let offset = (address - region.base) as usize;
            for (part, &bits) in values.iter().enumerate().take(usize::from(request.lanes)) {
                write(&region.words, offset + part * usize::from(element.bytes), element.bytes, bits);
            }
        }
        Ok(())
    }
}

/// Loads a row from words of `PARTS` values each, the lowest bits first, and extends the values.
fn load_parts<const PARTS: usize>(row: &mut [u32; WARP_SIZE], words: &[AtomicU32], signed: bool) {
    let unused = 32 - 32 / PARTS;
    for (values, word) in row.as_chunks_mut::<PARTS>().0.iter_mut().zip(words) {
        let word = word.load(Relaxed);
        for (part, value) in values.iter_mut().enumerate() {
            let highest = word << (unused - part * (32 / PARTS));
            *value = if signed { (highest as i32 >> unused) as u32 } else { highest >> unused };
        }
    }
}

/// Stores the low bits of a row's values to words of `PARTS` values each.
fn store_parts<const PARTS: usize>(row: &[u32; WARP_SIZE], words: &[AtomicU32]) {
    let bits = 32 / PARTS;
    for (values, word) in row.as_chunks::<PARTS>().0.iter().zip(words) {
        let parts = values.iter().enumerate().map(|(part, value)| (value & u32::MAX >> (32 - bits)) << (part * bits));
        word.store(parts.fold(0, |word, part| word | part), Relaxed);
    }
}
