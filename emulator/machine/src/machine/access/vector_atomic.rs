//! Atomics of several values with a result: vectors, of which each element is a separate atomic, and values of 128 bits. Their
//! operands are more than a step has, and have been set aside.

use super::Request;
use super::atomic::combine_on_device;
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::isa::memory::AtomicFunction;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::memories::MatrixOperands;
use crate::machine::stop::Run;
use crate::machine::word::{WriteWord, cells, read, update, write};

/// The values of one lane. Those beyond the length of the vector are zero.
type Values = [u64; 4];

/// An atomic of one lane.
struct VectorAtomic {
    function: AtomicFunction,
    bytes: u8,
    lanes: usize,
    b: Values,
    c: Values,
}

impl<O: Observer> BlockMachine<'_, O> {
    pub(super) fn atomic_vector(&mut self, request: &Request<'_>, function: AtomicFunction) -> Run<()> {
        for lane in active(request.addresses.mask) {
            let atomic = VectorAtomic::from_lane(&self.matrix_operands[request.warp], request, function, lane);
            let (old, new) = match request.space {
                Space::Shared => {
                    let offset = self.private_offset(request, lane)?;
                    let (old, new) = atomic.at_once(cells(&mut self.memories.shared), offset);
                    self.spin.note_change(new != old);
                    (old, new)
                }
                _ => {
                    let address = request.addresses.at(lane);
                    let position = self.group.position as usize;
                    let Some(region) = self.memories.view.find_to_write(position, address, request.bytes()) else {
                        return Err(self.device_fault(request, lane));
                    };
                    let offset = (address - region.base) as usize;
                    match atomic.bytes {
                        8 => {
                            let _guard = self.memories.device.lock_wide_atomics();
                            atomic.at_once(&region.words, offset)
                        }
                        _ => atomic.by_element(&region.words, offset),
                    }
                }
            };
            self.memories.changed |= request.space != Space::Shared && new != old;
            for (part, value) in old.into_iter().enumerate().take(atomic.lanes) {
                self.registers.set_value(request.step.operand(part), request.warp, lane, value);
            }
        }
        Ok(())
    }
}

impl VectorAtomic {
    fn from_lane(operands: &MatrixOperands, request: &Request<'_>, function: AtomicFunction, lane: usize) -> Self {
        let bytes = request.element.bytes;
        let lanes = usize::from(request.lanes);
        let word = |index: usize| u64::from(operands[index][lane]);
        let value = |index: usize| if bytes == 8 { word(2 * index + 1) << 32 | word(2 * index) } else { word(index) };
        let values = |first: usize| std::array::from_fn(|part| if part < lanes { value(first + part) } else { 0 });
        let c = if function == AtomicFunction::CompareAndSwap { values(lanes) } else { Values::default() };
        Self { function, bytes, lanes, b: values(0), c }
    }

    /// Replaces all values together, and returns the old and the new ones.
    fn at_once(&self, words: &[impl WriteWord], offset: usize) -> (Values, Values) {
        let place = |part: usize| offset + part * usize::from(self.bytes);
        let mut old = Values::default();
        for (part, value) in old.iter_mut().enumerate().take(self.lanes) {
            *value = read(words, place(part), self.bytes);
        }
        let new = match self.function {
            AtomicFunction::CompareAndSwap if old == self.b => self.c,
            AtomicFunction::CompareAndSwap => old,
            _ => self.b,
        };
        for (part, value) in new.into_iter().enumerate().take(self.lanes) {
            write(words, place(part), self.bytes, value);
        }
        (old, new)
    }

    /// Replaces one value after the other, and returns the old and the new ones.
    fn by_element(&self, words: &[impl WriteWord], offset: usize) -> (Values, Values) {
        let mut old = Values::default();
        let mut new = Values::default();
        for part in 0..self.lanes {
            let sum = |value| combine_on_device(self.function, self.bytes, value, self.b[part], 0);
            old[part] = update(words, offset + part * usize::from(self.bytes), self.bytes, sum);
            new[part] = sum(old[part]);
        }
        (old, new)
    }
}
