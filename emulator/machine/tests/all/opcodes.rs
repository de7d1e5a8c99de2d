//! How opcodes are matched with the rows of the instruction table.

use emulator::{instruction, instructions};

/// Returns the shortest opcode of a row: without its optional modifiers, with the first of its alternatives.
fn shortest(spelling: &str) -> String {
    let mut opcode = spelling.to_owned();
    while let (Some(start), Some(end)) = (opcode.find('['), opcode.find(']')) {
        opcode.replace_range(start..=end, "");
    }
    while let (Some(start), Some(end)) = (opcode.find('{'), opcode.find('}')) {
        let first = opcode[start + 1..end].split('|').next().unwrap().to_owned();
        opcode.replace_range(start..=end, &first);
    }
    opcode
}

#[test]
fn every_row_is_found_by_its_shortest_opcode() {
    for row in instructions() {
        let opcode = shortest(row.spelling);
        let found = instruction(&opcode).unwrap_or_else(|| panic!("{opcode} is not found"));
        assert_eq!(found, row, "{opcode} matches an earlier row");
    }
}

#[test]
fn modifiers_match_in_order_and_optional_ones_may_be_missing() {
    let load = instruction("ld.u32").unwrap();
    for (opcode, expected) in [
        ("ld.global.f32", true),
        ("ld.volatile.shared.v4.u32", true),
        ("ld.relaxed.gpu.global.L2::64B.v2.f64", true),
        ("ld.global.volatile.u32", false),
        ("ld.global.f65", false),
        ("ld.global", false),
        ("ld.global.u32.u32", false),
    ] {
        assert_eq!(instruction(opcode), expected.then_some(load), "{opcode}");
    }
}

#[test]
fn modifiers_in_an_order_that_assemblers_accept_are_the_same_instruction() {
    for (written, listed) in [
        ("atom.global.sys.add.u32", "atom.sys.global.add.u32"),
        ("atom.or.acq_rel.cta.b32", "atom.acq_rel.cta.or.b32"),
        ("red.and.release.cta.b32", "red.release.cta.and.b32"),
        ("atom.add.global.gpu.relaxed.f32", "atom.relaxed.gpu.global.add.f32"),
        ("vote.ballot.sync.b32", "vote.sync.ballot.b32"),
        ("add.s32.sat", "add.sat.s32"),
    ] {
        let row = instruction(listed);
        assert!(row.is_some(), "{listed}");
        assert_eq!(instruction(written), row, "{written}");
    }
    // Each modifier may occur once, the type comes last, and other modifiers keep their places.
    for wrong in ["atom.sys.global.gpu.add.u32", "atom.add.u32.sys.", "atom.add.u32.u32", "sub.f32.rn", "sat.add.s32"] {
        assert_eq!(instruction(wrong), None, "{wrong}");
    }
}
