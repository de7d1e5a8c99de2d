//! Registers of 128 bits as two of 64 bits, the low half first.

use crate::ptx::tree::{Instruction, Operand, Register, Statement, Tree, Width};
use std::collections::HashMap;

/// The halves of each 128-bit register of a function.
type Halves = HashMap<Register, [Register; 2]>;

/// Replaces the 128-bit registers of a module. As an operand, one becomes a vector of its halves.
pub(crate) fn rewrite(tree: &mut Tree) {
    for function in tree.functions.iter_mut().filter(|function| function.registers.contains(&Width::Quad)) {
        let halves = split(&mut function.registers);
        let Some(body) = function.body.take() else { continue };
        let replaced = body.into_iter().flat_map(|statement| match statement {
            Statement::Instruction(instruction) => replace(instruction, &halves),
            label @ Statement::Label(_) => vec![label],
        });
        function.body = Some(replaced.collect());
    }
}

fn split(registers: &mut Vec<Width>) -> Halves {
    let quads: Vec<usize> = (0..registers.len()).filter(|&index| registers[index] == Width::Quad).collect();
    let pair = |quad: usize| {
        let first = registers.len() as Register;
        registers.extend([Width::Wide; 2]);
        (quad as Register, [first, first + 1])
    };
    quads.into_iter().map(pair).collect()
}

/// Returns the instructions in place of one: two for `mov.b128`.
fn replace(mut instruction: Instruction, halves: &Halves) -> Vec<Statement> {
    for operand in &mut instruction.operands {
        if let Operand::Register(register) = operand
            && let Some(halves) = halves.get(register)
        {
            *operand = Operand::Vector(halves.map(Operand::Register).into());
        }
    }
    match (instruction.opcode.as_str(), instruction.operands.as_slice()) {
        ("mov.b128", [Operand::Vector(results), Operand::Vector(sources)])
            if results.len() == 2 && sources.len() == 2 =>
        {
            let moves = results.iter().zip(sources).map(|(result, source)| {
                let opcode = "mov.b64".to_owned();
                let operands = vec![result.clone(), source.clone()];
                Statement::Instruction(Instruction { opcode, operands, ..instruction })
            });
            moves.collect()
        }
        _ => vec![Statement::Instruction(instruction)],
    }
}
