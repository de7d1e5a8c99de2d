//! Video instructions, compared with those of a GPU.

use crate::support::machine::{Machine, Shape, bytes_of};
use crate::support::video::{module, recording};

#[test]
fn results_are_those_of_a_gpu() {
    let recording = recording();
    assert!(recording.operands.len() >= 10 && recording.results.len() > 700, "{}", recording.results.len());
    let machine = Machine::new(&module(&recording));
    let operands: Vec<u32> = recording.operands.iter().flatten().copied().collect();
    let operands = machine.upload(&bytes_of(&operands, u32::to_le_bytes));
    let count = recording.operands.len() * recording.results.len();
    let results = machine.allocate(4 * count);
    let shape = Shape::threads(recording.operands.len() as u32);
    machine.run("test", shape, &[&operands.to_le_bytes(), &results.to_le_bytes()]);
    let found = machine.words(results, count);
    let mut wrong = Vec::new();
    for ((instruction, expected), found) in recording.results.iter().zip(found.chunks(recording.operands.len())) {
        for ((operands, expected), found) in recording.operands.iter().zip(expected).zip(found) {
            if expected != found {
                wrong.push(format!("{instruction} of {operands:x?}: {found:x}, not {expected:x}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn operands_without_the_named_parts_are_refused() {
    let error = |instruction: &str| {
        let text = format!(
            ".version 8.1\n.target sm_90\n.address_size 64\n.entry test()\n{{\n.reg .b32 %a, %b, %c, %d;\n{instruction};\nret;\n}}"
        );
        Machine::load(&text).err().unwrap_or_else(|| panic!("{instruction} is accepted")).to_string()
    };
    for (instruction, expected) in [
        ("vadd.s32.s32.s32 %d, %a.b4, %b", "parts of operands that this instruction does not have"),
        ("vadd.s32.s32.s32 %d.h10, %a, %b, %c", "parts of operands that this instruction does not have"),
        ("vadd2.s32.s32.s32 %d, %a.h40, %b, %c", "parts of operands that this instruction does not have"),
        ("vadd4.s32.s32.s32 %d.h1, %a, %b, %c", "parts of operands that this instruction does not have"),
        ("vadd.s32.s32.s32 %d.b0, %a, %b", "expected 4 operands, found 3"),
        ("vadd.s32.s32.s32 %d, %a, %b, %c", "expected 3 operands, found 4"),
        ("vadd.s32.s32.s32.add %d.b0, %a, %b, %c", "an operand that has no parts"),
        ("vmad.s32.s32.s32 %d.b0, %a, %b, %c", "an operand that has no parts"),
        ("vadd.s32.s32.s32.add %d, %a, %b, %c.b0", "an operand that has no parts"),
        ("vadd.s32.s32.s32 %d, -%a, %b", "an operand that cannot be negated"),
        ("vmad.s32.s32.s32.po %d, -%a, %b, %c", "an operand that cannot be negated"),
        ("vmad.s32.s32.s32 %d, -%a, %b, -%c", "an operand that cannot be negated"),
        ("add.s32 %d, %a.b0, %b", "unexpected kind of operand"),
        ("add.s32 %d, -%a, %b", "unexpected kind of operand"),
    ] {
        assert!(error(instruction).contains(expected), "{instruction}: {}", error(instruction));
    }
}
