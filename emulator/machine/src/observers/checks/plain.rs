//! Plain accesses, most of which a few comparisons show to be correct.

use super::checking::{Checking, stored_value};
use super::finding::MemorySpace;
use super::race_detector::Visit;
use super::shadow::Cells;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::events::{Access, AccessKind};

impl Checking {
    /// Records a plain access if a few comparisons show that it is not a mistake; otherwise [`Self::check`] has to.
    #[inline(always)]
    pub(super) fn is_plainly_correct(&mut self, access: &Access<'_>, visit: &Visit, lane: usize) -> bool {
        let address = access.addresses.at(lane);
        let bytes = u64::from(access.addresses.bytes);
        let stores = access.kind == AccessKind::Store;
        let (shadow, region) = match visit.memory {
            MemorySpace::Shared => (&mut self.shared, None),
            MemorySpace::Global => {
                let Some(region) = self.device.find(access.position as usize, address, bytes) else { return false };
                (&mut self.global, Some(region))
            }
        };
        let mut cells = shadow.cells_at(self.block, address, bytes, stores);
        let stamp = |_| visit.stamp;
        if !stores {
            let written = region.is_some_and(|region| region.is_written(address, bytes));
            return self.races.reads_plainly(stamp, &mut cells, written);
        }
        let value = |cells: &Cells<'_>, index| stored_value(access, lane, cells.piece(address, index));
        let correct = self.races.writes_plainly(stamp, &mut cells, value);
        if let (true, Some(region)) = (correct, region) {
            region.mark_written(address, bytes);
        }
        correct
    }

    /// Records the plain accesses of consecutive lanes to consecutive words, like [`Self::is_plainly_correct`] for all of them.
    /// Does nothing and returns false if they are no such row, or if one of them needs a check.
    pub(super) fn is_plainly_correct_row(&mut self, access: &Access<'_>, visit: &Visit) -> bool {
        let Addresses { pattern: Pattern::Linear(start), mask, bytes: 4 } = *access.addresses else { return false };
        let first = mask.trailing_zeros() as usize;
        let lanes = mask.count_ones() as usize;
        if !visit.plain || start % 4 != 0 || u64::from(mask) >> first != (1 << lanes) - 1 {
            return false;
        }
        let address = start.wrapping_add(4 * first as u64);
        let stores = access.kind == AccessKind::Store;
        let (shadow, region) = match visit.memory {
            MemorySpace::Shared => (&mut self.shared, None),
            MemorySpace::Global => match self.device.find(access.position as usize, address, 4 * lanes as u64) {
                None => return false,
                region => (&mut self.global, region),
            },
        };
        let Some(mut cells) = shadow.row_at(self.block, address, lanes, stores) else { return false };
        let stamp = |index: usize| visit.stamp.by(1 << (first + index));
        if !stores {
            let written = region.is_some_and(|region| region.is_written(address, 4 * lanes as u64));
            return self.races.reads_plainly(stamp, &mut cells, written);
        }
        let value = |_: &Cells<'_>, index| access.stored.first().map(|stored| stored[first + index] as u32);
        let correct = self.races.writes_plainly(stamp, &mut cells, value);
        if let (true, Some(region)) = (correct, region) {
            region.mark_written(address, 4 * lanes as u64);
        }
        correct
    }
}
