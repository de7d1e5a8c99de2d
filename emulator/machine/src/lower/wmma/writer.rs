//! The instructions in place of a matrix instruction.

use super::fragment::{Element, Matrix, PART, Role};
use crate::ptx::tree::{Function, Instruction, Literal, Operand, Register, Statement, Width};
use std::collections::HashMap;

/// Returns a literal.
pub(super) fn number(value: i64) -> Operand {
    Operand::Literal(Literal::Integer(value as u64))
}

/// The instructions in place of one.
pub(super) struct Writer<'a> {
    pub(super) function: &'a mut Function,
    pub(super) instruction: &'a Instruction,
    pub(super) statements: Vec<Statement>,
}

/// The place of a matrix in memory.
pub(super) struct Place<'a> {
    address: &'a Operand,
    /// The elements from one line to the next.
    stride: Operand,
}

impl<'a> Place<'a> {
    /// Returns the place of a matrix, whose lines are contiguous unless a stride is given.
    pub(super) fn new(matrix: Matrix<'_>, address: &'a Operand, stride: Option<&Operand>) -> Self {
        let contiguous = if matrix.is_natural { matrix.along } else { matrix.across };
        Self { address, stride: stride.cloned().unwrap_or_else(|| number(contiguous)) }
    }
}

/// A load or store of each lane. Its place is relative to the lane's: lines, and elements of a line.
struct Transfer {
    kind: &'static str,
    registers: Vec<Operand>,
    line: i64,
    element: i64,
}

/// The addresses of a lane, by line in addition to its own.
struct Lines {
    stride: Operand,
    bytes: i64,
    found: HashMap<i64, Register>,
}

impl Writer<'_> {
    pub(super) fn push(&mut self, opcode: &str, operands: Vec<Operand>) {
        let opcode = opcode.to_owned();
        self.statements.push(Statement::Instruction(Instruction {
            guard: None,
            opcode,
            operands,
            ..*self.instruction
        }));
    }

    fn register(&mut self, width: Width) -> Register {
        self.function.registers.push(width);
        self.function.registers.len() as Register - 1
    }

    /// Pushes an instruction with one new result of 32 bits, and returns it.
    pub(super) fn narrow(&mut self, opcode: &str, sources: Vec<Operand>) -> Operand {
        let result = Operand::Register(self.register(Width::Narrow));
        self.push(opcode, [vec![result.clone()], sources].concat());
        result
    }

    /// Returns the register with the address in 64 bits.
    fn base(&mut self, address: &Operand) -> Option<Register> {
        let result = self.register(Width::Wide);
        let place = Operand::Register(result);
        match address {
            Operand::RegisterAddress(register, offset)
                if self.function.registers[*register as usize] == Width::Wide =>
            {
                self.push("add.s64", vec![place, Operand::Register(*register), number(*offset)]);
            }
            Operand::RegisterAddress(register, offset) => {
                self.push("cvt.u64.u32", vec![place.clone(), Operand::Register(*register)]);
                self.push("add.s64", vec![place.clone(), place, number(*offset)]);
            }
            Operand::SymbolAddress(name, offset) => {
                self.push("mov.u64", vec![place, Operand::Symbol(name.clone(), *offset)])
            }
            _ => return None,
        }
        Some(result)
    }

    /// Returns a register with `base + (line * stride + element) * bytes`.
    fn address(
        &mut self,
        base: Register,
        (line, element): (Operand, Operand),
        stride: &Operand,
        bytes: i64,
    ) -> Register {
        let elements = self.narrow("mad.lo.s32", vec![line, stride.clone(), element]);
        let result = self.register(Width::Wide);
        self.push("mul.wide.s32", vec![Operand::Register(result), elements, number(bytes)]);
        self.push("add.s64", vec![Operand::Register(result), Operand::Register(result), Operand::Register(base)]);
        result
    }

    /// Returns the lines of a matrix with the address of a lane's first element. If `is_split`, neighbors along are in different
    /// lines.
    fn lines(&mut self, matrix: Matrix<'_>, is_split: bool, place: &Place<'_>) -> Option<Lines> {
        let bytes = matrix.element.bytes();
        let base = self.base(place.address)?;
        let (across, along) = self.lane_place(matrix.neighbors());
        let at = if is_split { (along, across) } else { (across, along) };
        let first = self.address(base, at, &place.stride, bytes);
        Some(Lines { stride: place.stride.clone(), bytes, found: HashMap::from([(0, first)]) })
    }

    /// Returns the address of a lane's elements in another line.
    fn in_line(&mut self, lines: &mut Lines, line: i64) -> Register {
        if let Some(&found) = lines.found.get(&line) {
            return found;
        }
        let result = self.register(Width::Wide);
        let place = Operand::Register(result);
        let first = Operand::Register(lines.found[&0]);
        self.push("mul.wide.s32", vec![place.clone(), lines.stride.clone(), number(line * lines.bytes)]);
        self.push("add.s64", vec![place.clone(), place, first]);
        lines.found.insert(line, result);
        result
    }

    /// Returns the lane divided by 4, and the rest times `neighbors`, a power of two: the place of a lane's elements in a part.
    fn lane_place(&mut self, neighbors: i64) -> (Operand, Operand) {
        let lane = self.narrow("mov.u32", vec![Operand::Special("laneid".into())]);
        let across = self.narrow("shr.u32", vec![lane.clone(), number(2)]);
        let rest = self.narrow("and.b32", vec![lane, number(3)]);
        (across, self.narrow("shl.b32", vec![rest, number(neighbors.ilog2().into())]))
    }

    pub(super) fn load(&mut self, matrix: Matrix<'_>, fragment: &[Operand], place: &Place<'_>) -> Option<()> {
        let held = &fragment[..matrix.held_registers()];
        let is_half = matrix.element.bytes() == 2;
        let is_by_rows = is_half || matrix.element == Element::Byte && matrix.is_natural;
        if matrix.space == ".shared" && matrix.role != Role::Sum && is_by_rows {
            self.load_rows(matrix, held, place)?;
        } else if matrix.element == Element::Byte && !matrix.is_natural {
            self.gather_bytes(matrix, held, place)?;
        } else {
            let opcode = format!("ld{}", matrix.space);
            for (transfer, address) in self.transfers(matrix, held, place)? {
                self.push(&format!("{opcode}{}", transfer.kind), vec![transfer.operand(), address]);
            }
            if is_half && !matrix.is_natural {
                held.iter().for_each(|register| self.transpose(register.clone(), register.clone()));
            }
        }
        for (place, repeated) in fragment.iter().enumerate().skip(held.len()) {
            self.push("mov.b32", vec![repeated.clone(), held[place % held.len()].clone()]);
        }
        Some(())
    }

    pub(super) fn store(&mut self, matrix: Matrix<'_>, fragment: &[Operand], place: &Place<'_>) -> Option<()> {
        let mut fragment = fragment.to_vec();
        if matrix.element.bytes() == 2 && !matrix.is_natural {
            for register in &mut fragment {
                let transposed = Operand::Register(self.register(Width::Narrow));
                self.transpose(transposed.clone(), register.clone());
                *register = transposed;
            }
        }
        let opcode = format!("st{}", matrix.space);
        for (transfer, address) in self.transfers(matrix, &fragment, place)? {
            self.push(&format!("{opcode}{}", transfer.kind), vec![address, transfer.operand()]);
        }
        Some(())
    }

    fn transpose(&mut self, result: Operand, source: Operand) {
        self.push("movmatrix.sync.aligned.m8n8.trans.b16", vec![result, source]);
    }

    /// Loads the parts of a factor from shared memory, two or four at once, with the address of a row in each lane.
    fn load_rows(&mut self, matrix: Matrix<'_>, fragment: &[Operand], place: &Place<'_>) -> Option<()> {
        let base = self.base(place.address)?;
        let lane = self.narrow("mov.u32", vec![Operand::Special("laneid".into())]);
        let row = self.narrow("and.b32", vec![lane.clone(), number(PART - 1)]);
        // Lanes 8 to 15 have the rows of part 1, and lanes 16 to 31 those of parts 2 and 3.
        let low = self.narrow("and.b32", vec![lane.clone(), number(PART)]);
        let high = self.narrow("shr.u32", vec![lane, number(1)]);
        let high = self.narrow("and.b32", vec![high, number(PART)]);
        let parts = matrix.parts();
        let at_once = if matrix.element == Element::Byte { 2 } else { 4 };
        let trans = if matrix.is_natural { "" } else { ".trans" };
        for (parts, registers) in parts.chunks(at_once).zip(fragment.chunks(at_once)) {
            let differs = |part: usize, axis: fn(&(i64, i64)) -> i64| {
                parts.get(part).is_some_and(|found| axis(found) != axis(&parts[0]))
            };
            let mut first_of = |axis: fn(&(i64, i64)) -> i64| {
                let of_lane = match (differs(1, axis), differs(2, axis)) {
                    (true, _) => &low,
                    (_, true) => &high,
                    _ => return number(axis(&parts[0])),
                };
                match axis(&parts[0]) {
                    0 => of_lane.clone(),
                    first => self.narrow("add.s32", vec![of_lane.clone(), number(first)]),
                }
            };
            let across = first_of(|part| part.0);
            let along = first_of(|part| part.1);
            let (of_lines, element) = if matrix.is_natural { (across, along) } else { (along, across) };
            let line = self.narrow("add.s32", vec![row.clone(), of_lines]);
            let address = self.address(base, (line, element), &place.stride, matrix.element.bytes());
            let opcode = format!("ldmatrix.sync.aligned.m8n8.x{}{trans}.shared.b16", parts.len());
            self.push(&opcode, vec![Operand::Vector(registers.to_vec()), Operand::RegisterAddress(address, 0)]);
        }
        Some(())
    }

    /// Loads bytes whose neighbors in a register are not neighbors in memory.
    fn gather_bytes(&mut self, matrix: Matrix<'_>, fragment: &[Operand], place: &Place<'_>) -> Option<()> {
        let mut lines = self.lines(matrix, true, place)?;
        let opcode = format!("ld{}.u8", matrix.space);
        for ((across, along), register) in matrix.parts().into_iter().zip(fragment) {
            let mut bytes = Vec::with_capacity(4);
            for neighbor in 0..matrix.neighbors() {
                let address = self.in_line(&mut lines, along + neighbor);
                bytes.push(self.narrow(&opcode, vec![Operand::RegisterAddress(address, across)]));
            }
            // The second byte of each register is zero.
            let low = self.narrow("prmt.b32", vec![bytes[0].clone(), bytes[1].clone(), number(0x1140)]);
            let high = self.narrow("prmt.b32", vec![bytes[2].clone(), bytes[3].clone(), number(0x1140)]);
            self.push("prmt.b32", vec![register.clone(), low, high, number(0x5410)]);
        }
        Some(())
    }

    /// Returns what each lane transfers, and the addresses. 16-bit elements whose neighbors along are not neighbors in memory
    /// are transferred as those of the transposed parts.
    fn transfers(
        &mut self,
        matrix: Matrix<'_>,
        fragment: &[Operand],
        place: &Place<'_>,
    ) -> Option<Vec<(Transfer, Operand)>> {
        let bytes = matrix.element.bytes();
        let is_split = bytes > 2 && !matrix.is_natural;
        let mut lines = self.lines(matrix, is_split, place)?;
        let mut list = Vec::new();
        for (part, registers) in matrix.parts().into_iter().zip(fragment.chunks(matrix.registers_of_part())) {
            for transfer in Transfer::for_part(matrix, part, registers, is_split) {
                let address = self.in_line(&mut lines, transfer.line);
                let offset = transfer.element * bytes;
                list.push((transfer, Operand::RegisterAddress(address, offset)));
            }
        }
        Some(list)
    }
}

impl Transfer {
    /// Returns the transfers of a part: one, or one for each register if these are in different lines.
    fn for_part(matrix: Matrix<'_>, (across, along): (i64, i64), registers: &[Operand], is_split: bool) -> Vec<Self> {
        let (line, element) = if matrix.is_natural { (across, along) } else { (along, across) };
        let is_wide = matrix.element == Element::F64;
        let kind = match (is_wide, registers.len()) {
            (false, 2) if !is_split => ".v2.b32",
            (true, 2) if !is_split => ".v2.f64",
            (true, _) => ".f64",
            (false, _) => ".b32",
        };
        if !is_split {
            return vec![Self { kind, registers: registers.to_vec(), line, element }];
        }
        let single =
            |(register, line): (&Operand, i64)| Self { kind, registers: vec![register.clone()], line, element };
        registers.iter().zip(line..).map(single).collect()
    }

    fn operand(&self) -> Operand {
        match self.registers.as_slice() {
            [register] => register.clone(),
            registers => Operand::Vector(registers.to_vec()),
        }
    }
}
