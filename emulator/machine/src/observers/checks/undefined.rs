//! Registers that contain bytes of uninitialized memory, to be stored again: a structure is copied with its padding, which
//! nobody has written. The copy is no mistake, and its padding is as uninitialized as before.
//!
//! The value of a load counts as padding if a part of it is initialized, and if the value of the other part is at most stored
//! (`lower/uses.rs`): whoever copies an element of which nobody has written a byte makes a mistake. Where the value passes
//! through another register, or through local memory, what is stored counts as initialized.
//!
//! In shared memory, a word may also be moved that nobody has written, and computed with, as the words behind the last one of a
//! shift or a scan are: what is stored is as uninitialized as before. It is a mistake if the value decides a branch, becomes an
//! address, or leaves shared memory and the thread (`lower/reach.rs`).

use super::shadow::Piece;
use crate::ground::lanes::{WARP_SIZE, active};
use crate::lower::reach::Reach;
use crate::lower::transfers::Transfer;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The uninitialized values of threads.
#[derive(Debug, Default)]
pub(super) struct Undefined {
    /// The bytes of registers, by block, warp and virtual register: one bit for each byte of each lane.
    registers: FxHashMap<(u64, usize, u32), [u8; WARP_SIZE]>,
    /// The loads from shared memory whose values are only stored there, by block and warp.
    moved: FxHashMap<(u64, usize), Vec<Moved>>,
}

/// A load of uninitialized words.
#[derive(Debug)]
struct Moved {
    /// The number of its instruction.
    number: u32,
    reach: Arc<Reach>,
    /// The lanes whose words were uninitialized.
    lanes: u32,
}

impl Undefined {
    pub(super) fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.moved.is_empty()
    }

    /// Forgets the registers of a block.
    pub(super) fn end(&mut self, block: u64) {
        self.registers.retain(|key, _| key.0 != block);
        self.moved.retain(|key, _| key.0 != block);
    }

    /// Records that lanes of a warp load other values.
    pub(super) fn clear(&mut self, (block, warp): (u64, usize), (number, transfer): (u32, &Transfer), mask: u32) {
        if let Some(moved) = self.moved.get_mut(&(block, warp)) {
            let of_load = moved.iter_mut().filter(|moved| moved.number == number);
            of_load.for_each(|moved| moved.lanes &= !mask);
        }
        for register in transfer.registers.into_iter().flatten() {
            if let Entry::Occupied(mut entry) = self.registers.entry((block, warp, register)) {
                active(mask).for_each(|lane| entry.get_mut()[lane] = 0);
                if *entry.get() == [0; WARP_SIZE] {
                    entry.remove();
                }
            }
        }
    }

    /// Records that a piece of the `bytes` bytes that lanes load is uninitialized, if its value is at most stored; otherwise
    /// returns false.
    pub(super) fn load(
        &mut self,
        (block, warp): (u64, usize),
        transfer: &Transfer,
        (piece, bytes): (Piece, u64),
        mask: u32,
    ) -> bool {
        let element = bytes / u64::from(transfer.elements.max(1));
        let all = piece.offset..piece.offset + piece.bytes;
        if !all.clone().all(|byte| transfer.only_stored >> (byte / element) & 1 != 0) {
            return false;
        }
        all.for_each(|byte| {
            if let Some(&Some(register)) = transfer.registers.get((byte / element) as usize) {
                let lanes = self.registers.entry((block, warp, register)).or_insert([0; WARP_SIZE]);
                active(mask).for_each(|lane| lanes[lane] |= 1 << (byte % element));
            }
        });
        true
    }

    /// Records that lanes load uninitialized words of shared memory, of which nothing but stores to shared memory follows.
    pub(super) fn carry(&mut self, warp: (u64, usize), number: u32, reach: &Arc<Reach>, mask: u32) {
        let moved = self.moved.entry(warp).or_default();
        match moved.iter_mut().find(|moved| moved.number == number) {
            Some(moved) => moved.lanes |= mask,
            None => moved.push(Moved { number, reach: Arc::clone(reach), lanes: mask }),
        }
    }

    /// Returns the uninitialized bytes of the `bytes` bytes that a lane stores, one bit for each.
    pub(super) fn stored(
        &self,
        (block, warp): (u64, usize),
        (number, transfer): (u32, &Transfer),
        bytes: u64,
        lane: usize,
    ) -> u32 {
        let element = bytes / u64::from(transfer.elements.max(1));
        let moved = self.moved.get(&(block, warp)).map_or(&[][..], Vec::as_slice);
        let of_element = |(index, register): (u8, Option<u32>)| {
            let lanes = register.and_then(|register| self.registers.get(&(block, warp, register)));
            let of_register = lanes.map_or(0, |lanes| u32::from(lanes[lane]));
            let is_moved = |moved: &Moved| moved.lanes >> lane & 1 != 0 && moved.reach.is_stored_by(number, index);
            let all = if moved.iter().any(is_moved) { u32::MAX } else { 0 };
            ((of_register | all) & ((1 << element) - 1)) << (u64::from(index) * element)
        };
        let elements = transfer.registers.into_iter().take(transfer.elements.into());
        (0..).zip(elements).map(of_element).fold(0, |all, one| all | one)
    }
}
