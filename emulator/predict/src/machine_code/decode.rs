//! From the text of `nvdisasm -hex` to compact listings.

use super::listing::{Control, Instruction, Listed, guard};
use super::needs;
use super::operand::{Operand, Signed, Term, ZERO, split};
use std::collections::{BTreeSet, HashMap};

/// Control words have three bits for a scoreboard; this value is none.
const NO_SCOREBOARD: u8 = 7;

/// The opcode of moves of literals by half-precision arithmetic, in our listings.
const HALVES_MOVED: &str = "HFMA2.MOV";

/// Returns the kernels of a module by the disassembler's text and the assembler's messages (`ptxas -v`).
///
/// # Errors
/// A text, if there is no kernel, or if one has no number of registers.
pub(super) fn kernels(disassembly: &str, messages: &str) -> Result<Vec<Listed>, String> {
    let registers = registers(messages);
    let mut kernels: Vec<Listed> = Vec::new();
    let mut pending: Option<(&str, u64)> = None;
    let mut is_in_kernel: bool = false;
    let mut held = BTreeSet::new();
    for line in disassembly.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix(".section").map(str::trim_start) {
            is_in_kernel = false;
            let name = name.split([',', '\t']).next().unwrap_or(name);
            if let Some(name) = name.strip_prefix(".text.").map(|name| name.trim_matches('"')) {
                let registers = *registers.get(name).ok_or_else(|| format!("ptxas stated no registers of {name}"))?;
                kernels.push(Listed { name: name.to_owned(), registers, ..Listed::default() });
                (is_in_kernel, held) = (true, BTreeSet::new());
            }
        }
        let Some(kernel) = kernels.last_mut().filter(|_| is_in_kernel) else { continue };
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with(".text")) {
            kernel.labels.push((kernel.instructions.len(), label.to_owned()));
        } else if let Some((text, word)) = parse_line(line) {
            match pending.take() {
                Some((instruction, low)) if text.is_empty() => {
                    kernel.instructions.push(decode_instruction(instruction, low, word, &mut held));
                }
                _ => pending = Some((text, word)),
            }
        }
    }
    if kernels.is_empty() {
        Err("the disassembly has no kernel".into())
    } else {
        Ok(kernels.into_iter().map(compact).collect())
    }
}

/// Reads `ptxas info : Compiling entry function 'k' for 'sm_90'` and `Used 32 registers`.
fn registers(messages: &str) -> HashMap<&str, u32> {
    let mut name = "";
    let mut registers = HashMap::new();
    for line in messages.lines() {
        if line.contains("Compiling entry function") {
            name = line.split('\'').nth(1).unwrap_or_default();
        }
        let used = line.split_once("Used ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        used.into_iter().for_each(|number| {
            registers.entry(name).or_insert(number);
        });
    }
    registers
}

/// Returns the text of a line, which is empty on the second line of an instruction, and its 64 bits.
fn parse_line(line: &str) -> Option<(&str, u64)> {
    let (text, word) = line.strip_suffix("*/")?.rsplit_once("/* 0x")?;
    let word = u64::from_str_radix(word.trim(), 16).ok()?;
    let text = text.trim();
    if text.is_empty() {
        return Some(("", word));
    }
    let (_, text) = text.strip_prefix("/*")?.split_once("*/")?;
    Some((text.trim().trim_end_matches(';').trim(), word))
}

/// Decodes an instruction from its text and its two words. The fields of the control word are those that Jia et al. 2018
/// (arXiv 1804.06826) found for Volta; they have not moved since.
fn decode_instruction(text: &str, low: u64, high: u64, held: &mut BTreeSet<u16>) -> Instruction {
    let (guard, rest) = match text.strip_prefix('@') {
        Some(rest) => rest.split_once(' ').map_or((None, rest), |(name, rest)| (guard(name), rest.trim_start())),
        None => (None, text),
    };
    let (opcode, list) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut operands = split(list);
    let scoreboard = |bits: u64| Some(bits as u8 & 7).filter(|number| *number != NO_SCOREBOARD);
    let control = Control {
        stall: (high >> 41 & 15) as u8,
        sets: scoreboard(high >> 46),
        releases: scoreboard(high >> 49),
        waits: (high >> 52 & 63) as u8,
        ports: ports(opcode, &operands, held),
    };
    // A sum of zero and a literal of two halves is a move; the literal is the upper half of the first word.
    let literal = format!("0x{:x}", low >> 32);
    if opcode.starts_with("HFMA2") && operands.get(1..3) == Some(&["-RZ", "RZ"]) {
        operands.truncate(1);
        operands.push(&literal);
        return Instruction::new(control, guard, HALVES_MOVED, &operands);
    }
    Instruction::new(control, guard, opcode, &operands)
}

/// Returns the number of registers that an instruction reads from each bank, and notes which stay at hand for the next one.
fn ports(opcode: &str, operands: &[&str], held: &mut BTreeSet<u16>) -> [u8; 2] {
    let only_reads = ["ST", "RED"].iter().any(|name| opcode.starts_with(name));
    let mut reads = BTreeSet::new();
    let mut keeps = BTreeSet::new();
    for text in operands.iter().skip(usize::from(!only_reads)) {
        let is_pair = text.contains(".64");
        for row in rows(text) {
            let all = row..=row + u16::from(is_pair);
            reads.extend(all.clone());
            if text.contains(".reuse") {
                keeps.extend(all);
            }
        }
    }
    let count = |bank: u16| reads.iter().filter(|row| *row % 2 == bank && !held.contains(row)).count() as u8;
    let ports = [count(0), count(1)];
    *held = keeps;
    ports
}

/// Returns the registers of an operand that are not uniform.
fn rows(text: &str) -> Vec<u16> {
    match Signed::parse(text).operand {
        Operand::Register(row) if row < ZERO => vec![row],
        Operand::Address(terms) => {
            let row = |term: &Term| match term {
                Term::Register { row, .. } if *row < ZERO => Some(*row),
                _ => None,
            };
            terms.iter().filter_map(row).collect()
        }
        _ => Vec::new(),
    }
}

/// Removes what nothing depends on: the padding, operands, guards and labels.
fn compact(mut kernel: Listed) -> Listed {
    let is_end = |instruction: &Instruction| instruction.name() == "BRA" && instruction.guard.is_none();
    let padding = kernel.instructions.iter().rev().take_while(|instruction| instruction.name() == "NOP").count();
    kernel.instructions.truncate(kernel.instructions.len() - padding);
    // Behind the code is a branch to itself, which nothing reaches.
    let last = kernel.instructions.len().saturating_sub(1);
    let own = kernel.labels.iter().any(|(at, _)| *at == last);
    if own && kernel.instructions.last().is_some_and(is_end) {
        kernel.instructions.pop();
    }
    let needed = needs::find_needed(&kernel);
    for (instruction, is_needed) in kernel.instructions.iter_mut().zip(needed) {
        if is_needed {
            instruction.text.iter_mut().for_each(|text| *text = short(text));
        } else {
            (instruction.guard, instruction.text, instruction.operands) = (None, Vec::new(), Vec::new());
        }
    }
    rename_labels(&mut kernel);
    kernel
}

/// Returns an operand without its hint to keep a register at hand, and without the descriptor of global memory.
fn short(text: &str) -> String {
    let text = text.replace(".reuse", "");
    match text.split_once("][") {
        Some((before, rest)) if before.starts_with("desc") => format!("[{rest}"),
        _ => text,
    }
}

/// Numbers the labels to which branches lead, and removes the others.
fn rename_labels(kernel: &mut Listed) {
    let mut names: HashMap<String, String> = HashMap::new();
    let targets: BTreeSet<String> = kernel
        .instructions
        .iter()
        .flat_map(|instruction| &instruction.operands)
        .filter_map(|operand| match &operand.operand {
            Operand::Label(label) => Some(label.clone()),
            _ => None,
        })
        .collect();
    kernel.labels.retain(|(_, label)| targets.contains(label));
    for (_, label) in &mut kernel.labels {
        let name = format!("L{}", names.len());
        names.insert(std::mem::replace(label, name.clone()), name);
    }
    for instruction in &mut kernel.instructions {
        for (text, operand) in instruction.text.iter_mut().zip(&mut instruction.operands) {
            if let Operand::Label(label) = &mut operand.operand {
                *label = names.get(label).cloned().unwrap_or_default();
                text.clone_from(label);
            }
        }
    }
}
