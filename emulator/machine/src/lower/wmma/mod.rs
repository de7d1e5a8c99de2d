//! `wmma` as the simpler instructions that ptxas makes of it.
//!
//! PTX does not define which lane holds which element of a `wmma` fragment. Here a fragment has the layout of `mma`, which is
//! what ptxas 13.0 chooses for an H200. That shows in its machine code: which loads a fragment takes, and where it transposes.

mod fragment;
mod writer;

use crate::ptx::tree::{Function, Instruction, Operand, Statement, Tree};
use fragment::{Element, Matrix, Role, Shape};
use writer::{Place, Writer};

/// Replaces all supported instructions of a module. The others stay, and are refused later.
pub(crate) fn rewrite(tree: &mut Tree) {
    for function in &mut tree.functions {
        let Some(body) = function.body.take_if(|body| body.iter().any(is_replaced)) else { continue };
        let mut statements = Vec::with_capacity(body.len());
        for statement in body {
            match &statement {
                Statement::Instruction(instruction) if is_replaced(&statement) => {
                    match expand(function, instruction, statements.len()) {
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

/// Returns whether a statement is an instruction that others replace, if its form is supported.
fn is_replaced(statement: &Statement) -> bool {
    let opcode = statement.instruction().map_or("", |instruction| &instruction.opcode);
    opcode.starts_with("wmma.")
}

/// Returns the instructions in place of one; `None` if its form is not supported. `place` makes labels unique.
fn expand(function: &mut Function, instruction: &Instruction, place: usize) -> Option<Vec<Statement>> {
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
        (["wmma", "load", name, "sync", "aligned", layout, shape, rest @ ..], [fragment, address, stride @ ..]) => {
            let matrix = Matrix::parse(name, layout, Shape::parse(shape)?, rest)?;
            let fragment = registers(fragment, matrix.declared_registers())?;
            writer.load(matrix, &fragment, &Place::new(matrix, address, stride.first()))?;
        }
        (["wmma", "store", "d", "sync", "aligned", layout, shape, rest @ ..], [address, fragment, stride @ ..]) => {
            let matrix = Matrix::parse("d", layout, Shape::parse(shape)?, rest)?;
            let fragment = registers(fragment, matrix.declared_registers())?;
            writer.store(matrix, &fragment, &Place::new(matrix, address, stride.first()))?;
        }
        (["wmma", "mma", "sync", "aligned", "row" | "col", "row" | "col", shape, types @ ..], [d, a, b, c]) => {
            multiply(&mut writer, Shape::parse(shape)?, types, [d, a, b, c])?
        }
        _ => return None,
    }
    if instruction.guard.is_some() {
        writer.statements.push(Statement::Label(end));
    }
    Some(writer.statements)
}

/// Returns the operands of a vector of this length. A vector of one may be a register.
fn registers(operand: &Operand, count: usize) -> Option<Vec<Operand>> {
    match operand {
        Operand::Vector(operands) if operands.len() == count => Some(operands.clone()),
        Operand::Register(_) if count == 1 => Some(vec![operand.clone()]),
        _ => None,
    }
}

/// The types of a product.
struct Types {
    sum: Element,
    factor: Element,
    /// The `mma` of 16 rows, or 8 for doubles, and 8 columns, and its depth.
    opcode: String,
    depth: i64,
}

impl Types {
    /// Returns the types at the end of an opcode. Without factors, they are `f16`.
    fn parse(types: &[&str]) -> Option<Self> {
        let (sum, factor, opcode, depth) = match types {
            ["f16", "f16"] => (Element::F16, Element::F16, "m16n8k16.row.col.f16.f16.f16.f16".to_owned(), 16),
            ["f32", "f32"] => (Element::F32, Element::F16, "m16n8k16.row.col.f32.f16.f16.f32".to_owned(), 16),
            ["f32", "bf16", "bf16", "f32"] => {
                (Element::F32, Element::Bf16, "m16n8k16.row.col.f32.bf16.bf16.f32".to_owned(), 16)
            }
            ["f32", "tf32", "tf32", "f32"] => {
                (Element::F32, Element::Tf32, "m16n8k4.row.col.f32.tf32.tf32.f32".to_owned(), 4)
            }
            ["f64", "f64", "f64", "f64"] | ["f64", "f64", "f64", "f64", "rn"] | ["rn", "f64", "f64", "f64", "f64"] => {
                (Element::F64, Element::F64, "m8n8k4.row.col.f64.f64.f64.f64".to_owned(), 4)
            }
            ["s32", factor @ ("s8" | "u8"), other, "s32", clamped @ ..] if factor == other => {
                let clamped = match clamped {
                    [] => "",
                    ["satfinite"] => ".satfinite",
                    _ => return None,
                };
                (Element::S32, Element::Byte, format!("m16n8k16.row.col{clamped}.s32.{factor}.{factor}.s32"), 16)
            }
            _ => return None,
        };
        Some(Self { sum, factor, opcode: format!("mma.sync.aligned.{opcode}"), depth })
    }
}

/// Multiplies by products of 16×8 sums, or 8×8 for doubles.
fn multiply(writer: &mut Writer<'_>, shape: Shape, types: &[&str], [d, a, b, c]: [&Operand; 4]) -> Option<()> {
    let Types { sum, factor, opcode, depth } = Types::parse(types)?;
    let [of_a, of_b, of_c] = [Role::A, Role::B, Role::Sum].map(|role| {
        let element = if role == Role::Sum { sum } else { factor };
        Matrix::in_registers(role, shape, element)
    });
    // A product with 8 rows and 32 columns is computed transposed.
    let (a, b) = if shape.is_transposed() { (b, a) } else { (a, b) };
    let of_a = of_a?;
    let of_b = of_b?;
    let of_c = of_c?;
    let a = registers(a, of_a.declared_registers())?;
    let b = registers(b, of_b.declared_registers())?;
    let c = registers(c, of_c.declared_registers())?;
    let d = registers(d, of_c.declared_registers())?;
    let steps = (of_a.along / depth) as usize;
    let blocks = [(of_a.across / of_a.block()) as usize, (of_b.across / of_b.block()) as usize];
    let sizes =
        [of_a.held_registers() / blocks[0], of_b.held_registers() / blocks[1], d.len() / (blocks[0] * blocks[1])];
    let mut written: Vec<Operand> = Vec::new();
    for step in 0..steps {
        for block in 0..blocks[0] * blocks[1] {
            let sums = block * sizes[2]..(block + 1) * sizes[2];
            let a = part(&a, block / blocks[1], sizes[0], step, steps);
            let b = part(&b, block % blocks[1], sizes[1], step, steps);
            let old = if step == 0 { &c[sums.clone()] } else { &d[sums.clone()] };
            // A product must not read what an earlier one has written, except its own sums.
            let is_written = |read: &[Operand]| read.iter().any(|register| written.contains(register));
            if is_written(a) || is_written(b) || step == 0 && is_written(old) {
                return None;
            }
            let operands = [&d[sums.clone()], a, b, old].map(|registers| Operand::Vector(registers.to_vec()));
            writer.push(&opcode, operands.into());
            written.extend_from_slice(&d[sums]);
        }
    }
    Some(())
}

/// Returns the registers of one step of a block of `size` registers.
fn part(registers: &[Operand], block: usize, size: usize, step: usize, steps: usize) -> &[Operand] {
    let count = size / steps;
    &registers[block * size + step * count..][..count]
}
