//! Loads and stores of device memory.

use super::{Request, extend};
use crate::ground::lanes::{LANES, active};
use crate::machine::addresses::Pattern;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::Run;
use crate::machine::stop::Stop;
use crate::machine::word::{read, write};
use crate::vector::registers::OperandKind;
use std::sync::atomic::Ordering::Relaxed;

impl<O: Observer> BlockMachine<'_, O> {
    #[cold]
    pub(super) fn device_fault(&self, request: &Request<'_>, lane: usize) -> Box<Stop> {
        let place = self.memories.view.describe(request.addresses.of(lane));
        self.bad_access(request, lane, &place)
    }

    pub(super) fn load_device(&mut self, request: &Request<'_>) -> Run<()> {
        let (bytes, element, position) = (request.bytes(), request.element, self.group.position as usize);
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
            let row = &mut self.registers.narrow[request.step.places[0].of(request.warp)].0;
            for (value, word) in row[lanes].iter_mut().zip(&region.words[first..]) {
                *value = word.load(Relaxed);
            }
            return Ok(());
        }
        if let Some(start) = request.row_of_parts(0)
            && let Some(region) = self.memories.view.find(position, start, bytes * LANES as u64)
        {
            let first = (start - region.base) as usize / 4;
            let row = &mut self.registers.narrow[request.step.places[0].of(request.warp)].0;
            let parts = 4 / usize::from(element.bytes);
            for (values, word) in row.chunks_exact_mut(parts).zip(&region.words[first..]) {
                let mut bits = u64::from(word.load(Relaxed));
                for value in values {
                    *value = extend(bits & element.mask(), element) as u32;
                    bits >>= 8 * element.bytes;
                }
            }
            return Ok(());
        }
        if self.load_scattered(request) {
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let address = request.addresses.of(lane);
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
        let (bytes, element, mask) = (request.bytes(), request.element, request.addresses.mask);
        if request.lanes != 1 || request.step.kinds[0] != Some(OperandKind::Narrow) {
            return false;
        }
        let first = request.addresses.of(request.addresses.first_lane());
        let Some(region) = self.memories.view.find(self.group.position as usize, first, bytes) else { return false };
        if !active(mask).all(|lane| region.holds(request.addresses.of(lane), bytes)) {
            return false;
        }
        let row = &mut self.registers.narrow[request.step.places[0].of(request.warp)].0;
        for lane in active(mask) {
            let offset = (request.addresses.of(lane) - region.base) as usize;
            row[lane] = extend(read(&region.words, offset, element.bytes), element) as u32;
        }
        true
    }

    pub(super) fn store_device(&mut self, request: &Request<'_>) -> Run<()> {
        let (bytes, element, position) = (request.bytes(), request.element, self.group.position as usize);
        if let Some((lanes, start)) = request.row(1)
            && let Some(region) = self.memories.view.find_to_write(position, start, 4 * lanes.len() as u64)
        {
            let first = (start - region.base) as usize / 4;
            let row = &self.registers.narrow[request.step.places[1].of(request.warp)].0;
            for (&value, word) in row[lanes].iter().zip(&region.words[first..]) {
                word.store(value, Relaxed);
            }
            return Ok(());
        }
        if let Some(start) = request.row_of_parts(1)
            && let Some(region) = self.memories.view.find_to_write(position, start, bytes * LANES as u64)
        {
            let first = (start - region.base) as usize / 4;
            let row = &self.registers.narrow[request.step.places[1].of(request.warp)].0;
            let parts = 4 / usize::from(element.bytes);
            for (values, word) in row.chunks_exact(parts).zip(&region.words[first..]) {
                let bits = values
                    .iter()
                    .rev()
                    .fold(0, |bits, &value| bits << (8 * element.bytes) | (u64::from(value) & element.mask()));
                word.store(bits as u32, Relaxed);
            }
            return Ok(());
        }
        for lane in active(request.addresses.mask) {
            let (values, address) = (self.store_values(request, lane), request.addresses.of(lane));
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
