//! Every row of the instruction table is tested, and the table contains every opcode that compilers use.

use crate::support::case;
use crate::support::doubles;
use crate::support::program;
use crate::support::tensors;
use crate::support::textures;
use crate::support::warpgroup;
use emulator::{Instruction, instruction, instructions};
use std::collections::BTreeSet;

/// Returns the opcodes in all test data.
fn tested_opcodes() -> BTreeSet<String> {
    let mut opcodes = BTreeSet::new();
    for (name, text) in crate::support::files("instructions", "txt") {
        let cases = case::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        opcodes.extend(cases.into_iter().map(|case| case.opcode));
    }
    for (_, text) in ["programs", "faults"].iter().flat_map(|folder| crate::support::files(folder, "ptx")) {
        opcodes.extend(program::opcodes(&text));
    }
    opcodes.extend(program::opcodes(&doubles::module()));
    opcodes.extend(program::opcodes(&textures::module()));
    opcodes.extend([tensors::module(), tensors::multicast()].iter().flat_map(|text| program::opcodes(text)));
    opcodes.extend(program::opcodes(&warpgroup::module(&warpgroup::products())));
    opcodes
}

/// Returns the row of an opcode, which may be a comparison that is combined with a predicate.
fn row(opcode: &str) -> Option<Instruction> {
    let mut parts: Vec<&str> = opcode.split('.').collect();
    if parts[0] == "setp" && parts.len() > 2 && ["and", "or", "xor"].contains(&parts[2]) {
        parts.remove(2);
    }
    instruction(&parts.join("."))
}

/// Returns all alternatives of a spelling: `rn`, `u16` and `s16` for `add[.rn].{u16|s16}`.
fn alternatives(spelling: &str) -> Vec<&str> {
    let separators = |mark| "[]{}.|".contains(mark);
    let name = spelling.find(['.', '[']).unwrap_or(spelling.len());
    // Colons are not separators: `L1::evict_first` is one word.
    spelling[name..].split(separators).filter(|part| !part.is_empty()).collect()
}

#[test]
fn every_row_of_the_table_is_tested() {
    let tested: Vec<Instruction> = tested_opcodes().iter().filter_map(|opcode| row(opcode)).collect();
    let missing: Vec<&str> = instructions().filter(|row| !tested.contains(row)).map(|row| row.spelling).collect();
    assert!(missing.is_empty(), "rows without a test:\n{}", missing.join("\n"));
}

/// The order, scope and space of atomics are the same in all rows, so a test of one row suffices.
#[test]
fn every_alternative_of_every_row_is_tested() {
    let opcodes = tested_opcodes();
    let rows: Vec<(&String, Option<Instruction>)> = opcodes.iter().map(|opcode| (opcode, row(opcode))).collect();
    let mut missing = Vec::new();
    for instruction in instructions() {
        let atomic = ["atom", "red"].iter().find(|name| instruction.spelling.starts_with(&format!("{name}[")));
        let of_name = |opcode: &&String| {
            atomic.is_some_and(|name| opcode.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
        };
        let split = |opcode| str::split(opcode, '.').collect::<Vec<_>>();
        let of_row = rows.iter().filter(|(_, row)| *row == Some(instruction));
        let used: Vec<Vec<&str>> = of_row.map(|(opcode, _)| split(opcode)).collect();
        let alike: Vec<Vec<&str>> = opcodes.iter().filter(of_name).map(|opcode| split(opcode)).collect();
        let required = instruction.spelling.rfind("].").filter(|_| atomic.is_some()).unwrap_or(0);
        for alternative in alternatives(instruction.spelling) {
            let shared = instruction.spelling[..required].contains(alternative);
            let pool = if shared { &alike } else { &used };
            if !pool.iter().any(|parts| parts.contains(&alternative)) {
                missing.push(format!("`{alternative}` of {}", instruction.spelling));
            }
        }
    }
    assert!(missing.is_empty(), "alternatives without a test:\n{}", missing.join("\n"));
}

#[test]
fn every_row_has_an_equation_and_a_unique_spelling() {
    let mut spellings = BTreeSet::new();
    for Instruction { spelling, equation, .. } in instructions() {
        assert!(!equation.is_empty(), "{spelling}");
        assert!(spellings.insert(spelling), "{spelling} occurs twice");
    }
}

/// The opcodes of the list that are refused, with the reasons.
const REFUSED: [(&str, &str); 0] = [];

#[test]
fn every_opcode_of_compilers_is_in_the_table() {
    let text = std::fs::read_to_string(crate::support::folder("opcodes.txt")).unwrap();
    let listed: BTreeSet<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(listed.len(), 282);
    let unknown: BTreeSet<&str> = listed.into_iter().filter(|opcode| row(opcode).is_none()).collect();
    assert_eq!(unknown, REFUSED.map(|(opcode, _)| opcode).into_iter().collect());
}

#[test]
fn other_opcodes_are_not_found() {
    for opcode in ["add.f33", "add", "setp.lt.nor.s32", "mma.sync", "fma.f32", "ld.global.u32.u32", ""] {
        assert_eq!(row(opcode), None, "{opcode}");
    }
}
