//! Warp matrix instructions (`wmma`) as the loads, stores and products that ptxas makes of them.
//!
//! PTX does not define which lane holds which element of a fragment. Here a fragment has the layout of `mma`, which is what
//! ptxas 13.0 chooses for an H200: matrices of 16-bit elements in shared memory come by one `ldmatrix`, all others by loads
//! of each lane. Elements whose neighbors in memory are not neighbors in the fragment are transposed in registers. A
//! fragment of A or B of `f16` has eight registers, the last four of which repeat the first.

use crate::ptx::tree::{Function, Instruction, Literal, Operand, Register, Statement, Tree, Width};

/// The elements from one 8×8 part of a matrix to the next.
const PART: i64 = 8;

/// Replaces all supported instructions of a module. The others stay, and are refused later.
pub(crate) fn rewrite(tree: &mut Tree) {
    for function in &mut tree.functions {
        let is_wmma = |statement: &Statement| matches!(statement, Statement::Instruction(each) if each.opcode.starts_with("wmma."));
        let Some(body) = function.body.take_if(|body| body.iter().any(is_wmma)) else { continue };
        let mut statements = Vec::with_capacity(body.len());
        for statement in body {
            match &statement {
                Statement::Instruction(instruction) if is_wmma(&statement) => {
                    match expanded(function, instruction, statements.len()) {
                        Some(mut expanded) => statements.append(&mut expanded),
                        None => statements.push(statement),
                    }
                }
                _ => statements.push(statement),
            }
        }
        function.body = Some(statements);
    }
}

/// Returns the instructions in place of one; `None` if its form is not supported. `place` makes labels unique.
fn expanded(function: &mut Function, instruction: &Instruction, place: usize) -> Option<Vec<Statement>> {
    let parts: Vec<&str> = instruction.opcode.split('.').collect();
    let mut writer = Writer { function, instruction, statements: Vec::new() };
    let end = format!("wmma.{place}");
    if let Some((register, negated)) = instruction.guard {
        writer.push("bra", vec![Operand::Symbol(end.clone(), 0)]);
        if let Some(Statement::Instruction(branch)) = writer.statements.last_mut() {
            branch.guard = Some((register, !negated));
        }
    }
    match (parts.as_slice(), instruction.operands.as_slice()) {
        (
            ["wmma", "load", matrix, "sync", "aligned", layout, "m16n16k16", rest @ ..],
            [fragment, address, stride @ ..],
        ) => {
            let matrix = Matrix::of(matrix, layout, rest)?;
            let fragment = registers(fragment, matrix.registers())?;
            writer.load(matrix, &fragment, address, stride)?;
        }
        (
            ["wmma", "store", "d", "sync", "aligned", layout, "m16n16k16", rest @ ..],
            [address, fragment, stride @ ..],
        ) => {
            let matrix = Matrix::of("d", layout, rest)?;
            let fragment = registers(fragment, matrix.registers())?;
            writer.store(matrix, &fragment, address, stride)?;
        }
        (["wmma", "mma", "sync", "aligned", "row" | "col", "row" | "col", "m16n16k16", types @ ..], [d, a, b, c]) => {
            writer.multiply(types, [d, a, b, c])?;
        }
        _ => return None,
    }
    if instruction.guard.is_some() {
        writer.statements.push(Statement::Label(end));
    }
    Some(writer.statements)
}

/// A matrix of 16 rows and columns in memory.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    /// `a`, `b`, `c` or `d`.
    name: &'a str,
    /// Whether neighbors of a row are neighbors in memory.
    is_by_rows: bool,
    /// `.global`, `.shared`, or nothing for generic addresses.
    space: &'a str,
    element: &'a str,
}

impl<'a> Matrix<'a> {
    /// Returns the matrix of an opcode whose end, a space and a type, is `rest`.
    fn of(name: &'a str, layout: &str, rest: &[&'a str]) -> Option<Self> {
        let (space, element) = match rest {
            [element] => ("", *element),
            ["global", element] => (".global", *element),
            ["shared", element] => (".shared", *element),
            _ => return None,
        };
        let is_by_rows = match layout {
            "row" => true,
            "col" => false,
            _ => return None,
        };
        let is_known = match name {
            "a" | "b" => matches!(element, "f16" | "bf16"),
            "c" | "d" => matches!(element, "f16" | "f32"),
            _ => false,
        };
        is_known.then_some(Self { name, is_by_rows, space, element })
    }

    /// Returns the registers of a fragment in each lane.
    fn registers(self) -> usize {
        match (self.name, self.element) {
            ("a" | "b", "f16") | (_, "f32") => 8,
            _ => 4,
        }
    }

    fn element_bytes(self) -> i64 {
        if self.element == "f32" { 4 } else { 2 }
    }

    /// Returns whether the neighbors in memory are not neighbors in the fragment.
    fn is_transposed(self) -> bool {
        self.is_by_rows == (self.name == "b")
    }

    /// Returns the place of each 8×8 part of the fragment: lines of memory, and elements in a line.
    fn parts(self) -> [(i64, i64); 4] {
        match self.is_by_rows {
            true => [(0, 0), (PART, 0), (0, PART), (PART, PART)],
            false => [(0, 0), (0, PART), (PART, 0), (PART, PART)],
        }
    }
}

/// Returns the operands of a vector of this length.
fn registers(operand: &Operand, count: usize) -> Option<Vec<Operand>> {
    match operand {
        Operand::Vector(operands) if operands.len() == count => Some(operands.clone()),
        _ => None,
    }
}

fn number(value: i64) -> Operand {
    Operand::Literal(Literal::Integer(value as u64))
}

/// The instructions in place of one.
struct Writer<'a> {
    function: &'a mut Function,
    instruction: &'a Instruction,
    statements: Vec<Statement>,
}

impl Writer<'_> {
    fn push(&mut self, opcode: &str, operands: Vec<Operand>) {
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
    fn narrow(&mut self, opcode: &str, sources: Vec<Operand>) -> Operand {
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

    /// Returns the lane divided by 4, and twice the rest: the row and the first column of a lane's elements in an 8×8 part.
    fn lane_place(&mut self) -> (Operand, Operand) {
        let lane = self.narrow("mov.u32", vec![Operand::Special("laneid".into())]);
        let row = self.narrow("shr.u32", vec![lane.clone(), number(2)]);
        let rest = self.narrow("and.b32", vec![lane, number(3)]);
        (row, self.narrow("shl.b32", vec![rest, number(1)]))
    }

    fn load(&mut self, matrix: Matrix<'_>, fragment: &[Operand], address: &Operand, stride: &[Operand]) -> Option<()> {
        let stride = stride.first().cloned().unwrap_or(number(2 * PART));
        if matrix.space == ".shared" && matches!(matrix.name, "a" | "b") {
            self.load_matrices(matrix, &fragment[..4], address, &stride)?;
        } else {
            let opcode = format!("ld{}", matrix.space);
            for (target, address) in self.transfers(matrix, fragment, address, &stride)? {
                self.push(&format!("{opcode}{}", target.kind()), vec![target.operand(), address]);
            }
            if matrix.element_bytes() == 2 && matrix.is_transposed() {
                fragment[..4].iter().for_each(|register| self.transpose(register.clone(), register.clone()));
            }
        }
        for (register, repeated) in fragment.iter().zip(fragment.get(4..).unwrap_or_default()) {
            if matrix.element_bytes() == 2 {
                self.push("mov.b32", vec![repeated.clone(), register.clone()]);
            }
        }
        Some(())
    }

    fn store(&mut self, matrix: Matrix<'_>, fragment: &[Operand], address: &Operand, stride: &[Operand]) -> Option<()> {
        let stride = stride.first().cloned().unwrap_or(number(2 * PART));
        let mut fragment = fragment.to_vec();
        if matrix.element_bytes() == 2 && matrix.is_transposed() {
            for register in &mut fragment {
                let transposed = Operand::Register(self.register(Width::Narrow));
                self.transpose(transposed.clone(), register.clone());
                *register = transposed;
            }
        }
        let opcode = format!("st{}", matrix.space);
        for (source, address) in self.transfers(matrix, &fragment, address, &stride)? {
            self.push(&format!("{opcode}{}", source.kind()), vec![address, source.operand()]);
        }
        Some(())
    }

    fn transpose(&mut self, result: Operand, source: Operand) {
        self.push("movmatrix.sync.aligned.m8n8.trans.b16", vec![result, source]);
    }

    /// Loads the four parts of a factor from shared memory, with the address of a row in each lane.
    fn load_matrices(
        &mut self,
        matrix: Matrix<'_>,
        fragment: &[Operand],
        address: &Operand,
        stride: &Operand,
    ) -> Option<()> {
        let base = self.base(address)?;
        let lane = self.narrow("mov.u32", vec![Operand::Special("laneid".into())]);
        let row = self.narrow("and.b32", vec![lane.clone(), number(PART - 1)]);
        // Lanes 8 to 15 have the rows of part 1, and lanes 16 to 31 those of parts 2 and 3.
        let (low, high) =
            (self.narrow("and.b32", vec![lane.clone(), number(PART)]), self.narrow("shr.u32", vec![lane, number(1)]));
        let high = self.narrow("and.b32", vec![high, number(PART)]);
        let (of_lines, element) = if matrix.is_by_rows { (low, high) } else { (high, low) };
        let line = self.narrow("add.s32", vec![row, of_lines]);
        let address = self.address(base, (line, element), stride, matrix.element_bytes());
        let trans = if matrix.is_transposed() { ".trans" } else { "" };
        let opcode = format!("ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16");
        self.push(&opcode, vec![Operand::Vector(fragment.to_vec()), Operand::RegisterAddress(address, 0)]);
        Some(())
    }

    /// Returns what each lane transfers, and the addresses.
    fn transfers(
        &mut self,
        matrix: Matrix<'_>,
        fragment: &[Operand],
        address: &Operand,
        stride: &Operand,
    ) -> Option<Vec<(Transfer, Operand)>> {
        let bytes = matrix.element_bytes();
        let base = self.base(address)?;
        let (row, column) = self.lane_place();
        // In columns of `f32`, the two neighbors of a lane are in two lines.
        let is_single = bytes == 4 && matrix.is_transposed();
        let place = if is_single { (column, row) } else { (row, column) };
        let first = self.address(base, place, stride, bytes);
        let mut at_line = |line: i64| match line {
            0 => first,
            _ => {
                let result = self.register(Width::Wide);
                let place = Operand::Register(result);
                self.push("mul.wide.s32", vec![place.clone(), stride.clone(), number(line * bytes)]);
                self.push("add.s64", vec![place.clone(), place, Operand::Register(first)]);
                result
            }
        };
        let mut list = Vec::new();
        let lines = [at_line(0), at_line(PART)];
        let next_lines = if is_single { [at_line(1), at_line(PART + 1)] } else { lines };
        for (part, (line, element)) in matrix.parts().into_iter().enumerate() {
            let place = |lines: [Register; 2]| Operand::RegisterAddress(lines[usize::from(line > 0)], element * bytes);
            match (bytes, fragment.get(2 * part..2 * part + 2)) {
                (2, _) => list.push((Transfer::Word(fragment.get(part)?.clone()), place(lines))),
                (_, Some([one, two])) if is_single => {
                    list.push((Transfer::Word(one.clone()), place(lines)));
                    list.push((Transfer::Word(two.clone()), place(next_lines)));
                }
                (_, pair) => list.push((Transfer::Pair(pair?.to_vec()), place(lines))),
            }
        }
        Some(list)
    }

    /// Multiplies by two products of 16×8 sums.
    fn multiply(&mut self, types: &[&str], [d, a, b, c]: [&Operand; 4]) -> Option<()> {
        let (sum, factor) = match types {
            ["f16", "f16"] => ("f16", "f16"),
            ["f32", "f32"] => ("f32", "f16"),
            ["f32", "bf16", "bf16", "f32"] => ("f32", "bf16"),
            _ => return None,
        };
        let of_factors = if factor == "f16" { 8 } else { 4 };
        let of_sums = if sum == "f32" { 8 } else { 4 };
        let (a, b) = (registers(a, of_factors)?, registers(b, of_factors)?);
        let (c, d) = (registers(c, of_sums)?, registers(d, of_sums)?);
        let half = of_sums / 2;
        // The second product must not read what the first has written.
        let is_overwritten = |read: &[Operand]| d[..half].iter().any(|result| read.contains(result));
        if is_overwritten(&a) || is_overwritten(&b) || is_overwritten(&c[half..]) {
            return None;
        }
        let opcode = format!("mma.sync.aligned.m16n8k16.row.col.{sum}.{factor}.{factor}.{sum}");
        let vector = |registers: &[Operand]| Operand::Vector(registers.to_vec());
        for part in 0..2 {
            let sums = part * half..(part + 1) * half;
            let of_b = &b[2 * part..2 * part + 2];
            self.push(&opcode, vec![vector(&d[sums.clone()]), vector(&a[..4]), vector(of_b), vector(&c[sums])]);
        }
        Some(())
    }
}

/// What a lane loads or stores at once.
enum Transfer {
    /// 32 bits.
    Word(Operand),
    /// Two neighboring singles.
    Pair(Vec<Operand>),
}

impl Transfer {
    fn kind(&self) -> &'static str {
        match self {
            Self::Word(_) => ".b32",
            Self::Pair(_) => ".v2.b32",
        }
    }

    fn operand(self) -> Operand {
        match self {
            Self::Word(operand) => operand,
            Self::Pair(operands) => Operand::Vector(operands),
        }
    }
}
