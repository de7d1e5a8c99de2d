//! Products of a warpgroup, four consecutive warps, which wait for each other.
//!
//! A product is computed when its last warp arrives, and its result is in the registers at once. Only the checks know which
//! results and which parts of shared memory the threads may not access before they wait.

use super::addresses::{Addresses, Pattern};
use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{Access, AccessKind, Observer};
use super::memories::Sums;
use super::split::Wait;
use super::stop::Run;
use super::word::read;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::{FULL, WARP_SIZE};
use crate::ground::space::Space;
use crate::isa::dot::{Columns, Dots, Line, Term};
use crate::isa::matrix::{COLUMNS, Factor};
use crate::isa::matrix_descriptor::{CHUNK, MatrixDescriptor};
use crate::isa::memory::Strength;
use crate::isa::warpgroup::{DEPTH, GROUP_ROWS, GroupProduct, WARP_ROWS, WARPS, Warpgroup};

/// The number of elements in a chunk of a matrix.
const ELEMENTS: usize = CHUNK as usize / 2;

impl<O: Observer> BlockMachine<'_, O> {
    /// Collects the operands of a step into the registers of D from `first` on.
    pub(super) fn collect_sums(&mut self, step: &BoundStep, first: u8) -> bool {
        self.sums.resize(self.bound.warps, Sums::new());
        for &warp in &self.lanes.warps {
            let warp = usize::from(warp);
            let first = usize::from(first);
            let registers = step.kinds.iter().take_while(|kind| kind.is_some()).count();
            let sums = &mut self.sums[warp];
            sums.resize(sums.len().max(first + registers), [0; WARP_SIZE]);
            for register in 0..registers {
                sums[first + register] = self.registers.narrow[step.places[register].row(warp)].0;
            }
        }
        self.advance()
    }

    /// Writes the registers of D from `first` on to the results of a step.
    pub(super) fn take_sums(&mut self, step: &BoundStep, first: u8) -> bool {
        for &warp in &self.lanes.warps {
            let warp = usize::from(warp);
            for register in 0..usize::from(step.results) {
                self.registers.narrow[step.places[register].row(warp)].0 =
                    self.sums[warp][usize::from(first) + register];
            }
        }
        self.advance()
    }

    /// Executes an instruction of warpgroups for the group, and returns false if a warp has to wait for others.
    pub(super) fn warpgroup(&mut self, step: &BoundStep, operation: Warpgroup) -> Run<bool> {
        if let Some(index) = self.lanes.masks.iter().position(|&mask| mask != FULL) {
            let detail = "some threads of the warp do not execute it, or the block ends inside the warp".to_owned();
            return Err(self.fault(FaultKind::Warpgroup, index, self.lanes.masks[index], detail));
        }
        let Warpgroup::Multiply(product) = operation else { return Ok(self.advance()) };
        if self.wait_for_warpgroups() {
            return Ok(false);
        }
        for index in (0..self.lanes.warps.len()).step_by(WARPS) {
            self.group_product(step, product, index)?;
        }
        Ok(self.advance())
    }

    /// Makes the warps of the group wait whose warpgroup is not complete, and returns whether there are any.
    fn wait_for_warpgroups(&mut self) -> bool {
        let group_of = |warp: u8| usize::from(warp) / WARPS;
        let here = |group| self.lanes.warps.iter().filter(|&&warp| group_of(warp) == group).count();
        let waits: Vec<bool> = self.lanes.warps.iter().map(|&warp| here(group_of(warp)) < WARPS).collect();
        if !waits.contains(&true) {
            return false;
        }
        self.leave_at(self.group.position);
        for (&(warp, split), waits) in self.group.members.iter().zip(waits) {
            if let (true, Some(split)) = (waits, &mut self.warps[warp].splits[split]) {
                split.wait = Wait::Warpgroup;
            }
        }
        true
    }

    /// Releases the warpgroups whose warps all wait at one step, and returns whether there are any.
    pub(super) fn release_warpgroups(&mut self) -> bool {
        let parts = self.parts(&|wait| wait == Wait::Warpgroup);
        let mut released = false;
        for parts in parts.chunk_by(|a, b| a.warp / WARPS == b.warp / WARPS && a.position == b.position) {
            let complete = parts.len() == WARPS;
            for part in parts.iter().filter(|_| complete) {
                if let Some(split) = &mut self.warps[part.warp].splits[part.split] {
                    split.wait = Wait::Ready;
                }
            }
            released |= complete;
        }
        released
    }

    /// Computes the product of the warpgroup whose first warp is member `index` of the group.
    fn group_product(&mut self, step: &BoundStep, product: GroupProduct, index: usize) -> Run<()> {
        let first = usize::from(self.lanes.warps[index]);
        let adds = self.shared_operand(step, 1, index)? != 0;
        let b = self.shared_operand(step, 0, index)?;
        let columns = self.lines(product, index, 1, b)?;
        let columns: Vec<Columns> = columns.chunks_exact(COLUMNS).map(Columns::new).collect();
        let of_group = if product.a_in_registers {
            Vec::new()
        } else {
            let a = self.shared_operand(step, 2, index)?;
            self.lines(product, index, 0, a)?
        };
        for warp in first..first + WARPS {
            let of_warp;
            let rows = if product.a_in_registers {
                of_warp = rows_in_registers(&self.matrix_operands[warp][..4], product);
                &of_warp
            } else {
                &of_group[WARP_ROWS * (warp - first)..][..WARP_ROWS]
            };
            let sums = &mut self.sums[warp][..product.sums()];
            self.simd.run(Dots { sums, adds, rows, columns: &columns, depth: DEPTH });
        }
        Ok(())
    }

    /// Returns an operand that all threads of a warpgroup share. Fails if it differs.
    fn shared_operand(&self, step: &BoundStep, operand: usize, index: usize) -> Run<u64> {
        let value = |index: usize, lane| {
            let warp = usize::from(self.lanes.warps[index]);
            self.registers.value(step.operand(operand), warp, lane)
        };
        let shared = value(index, 0);
        for other in index..index + WARPS {
            if let Some(lane) = (0..WARP_SIZE).find(|&lane| value(other, lane) != shared) {
                let detail = format!(
                    "a descriptor or predicate is {:#x}, and {shared:#x} in the first thread of the warpgroup",
                    value(other, lane)
                );
                return Err(self.fault(FaultKind::Warpgroup, other, 1 << lane, detail));
            }
        }
        Ok(shared)
    }

    /// Returns the rows of A (`operand` 0) or the columns of B (1), which are in shared memory.
    fn lines(&mut self, product: GroupProduct, index: usize, operand: usize, bits: u64) -> Run<Vec<Line>> {
        let fault = |machine: &Self, kind, detail| machine.fault(kind, index, 1, detail);
        let descriptor =
            MatrixDescriptor::new(bits).map_err(|detail| fault(self, FaultKind::Warpgroup, detail.to_owned()))?;
        let lines = if operand == 0 { GROUP_ROWS } else { product.columns.into() };
        let transposed = product.transposed[operand];
        let (outer, chunks) = if transposed { (DEPTH, lines / ELEMENTS) } else { (lines, DEPTH / ELEMENTS) };
        let mut all = vec![[Term::default(); DEPTH]; lines];
        for (line, chunk) in (0..outer * chunks).map(|index| (index / chunks, index % chunks)) {
            let address = descriptor.chunk(line as u64, chunk as u64, transposed);
            let limit = self.bound.shared_bytes() as u64;
            if address + CHUNK > limit {
                let detail = format!("a matrix at byte {address} of shared memory, which is {limit} bytes long");
                return Err(fault(self, FaultKind::OutOfBounds, detail));
            }
            if O::EVERY_ACCESS {
                self.observe_chunk(index, address);
            }
            for element in 0..ELEMENTS {
                let bits = read(&self.memories.shared, address as usize + 2 * element, 2) as u32;
                let other = ELEMENTS * chunk + element;
                let (line, depth) = if transposed { (other, line) } else { (line, other) };
                all[line][depth] = factor(product.factor, bits, product.negated[operand]);
            }
        }
        Ok(all)
    }

    /// Passes the read of a chunk to the observer, as one of the first warp of the warpgroup.
    fn observe_chunk(&mut self, index: usize, address: u64) {
        let addresses = Addresses { pattern: Pattern::Uniform(address), mask: FULL, bytes: CHUNK as u32 };
        self.observer.access(&Access {
            space: Space::Shared,
            kind: AccessKind::Product,
            strength: Strength::Weak,
            addresses: &addresses,
            warp: self.lanes.warps[index].into(),
            position: self.group.position,
            stored: &[],
        });
    }
}

/// Returns the rows of A that a warp has collected from registers.
fn rows_in_registers(operands: &[[u32; WARP_SIZE]], product: GroupProduct) -> Vec<Line> {
    let mut rows = vec![[Term::default(); DEPTH]; WARP_ROWS];
    for (register, words) in operands.iter().enumerate() {
        for (lane, part) in (0..2 * WARP_SIZE).map(|index| (index / 2, index % 2)) {
            let row = lane / 4 + 8 * (register % 2);
            let column = 8 * (register / 2) + 2 * (lane % 4) + part;
            rows[row][column] = factor(product.factor, words[lane] >> (16 * part), product.negated[0]);
        }
    }
    rows
}

/// Returns a factor in the low bits of a word.
fn factor(factor: Factor, bits: u32, negated: bool) -> Term {
    Term::factor(factor, bits & 0xFFFF ^ u32::from(negated) << 15)
}
