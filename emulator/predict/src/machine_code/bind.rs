//! A kernel with the constants of a launch: what the warps execute.

use super::listing::{Guard, Instruction, Listed};
use super::operand::Operand;
use super::token::Token;
use super::{lower, meaning, needs};
use crate::code::operation::{Operation, Unit};
use std::collections::BTreeSet;

/// The offset of the parameters in bank 0 (sm_90).
const PARAMETERS: u16 = 0x210;

/// The bank of the addresses of variables.
const VARIABLES: u8 = 4;

/// The lowest of those addresses here, which no allocation has, and their distance.
const FIRST_VARIABLE: u64 = 1 << 46;
const VARIABLE_BYTES: u64 = 1 << 24;

/// What a step does besides computing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compute,
    /// Accesses memory at the address on the stack.
    Access {
        unit: Unit,
        bytes: u16,
        stores: bool,
        is_local: bool,
        /// The lanes whose addresses count.
        lanes: u32,
    },
    Exit,
    /// Goes to a basic block, if a condition on the stack holds.
    Branch {
        target: usize,
    },
    /// A call, or a branch to a computed address.
    Unfollowed,
}

/// A needed instruction.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The number of the instruction in the kernel.
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) guard: Option<Guard>,
    /// Leaves the address of an access or the condition of a branch on the stack.
    pub(super) decision: Vec<Token>,
    /// Writes the results.
    pub(super) results: Vec<Token>,
    pub(super) kind: Kind,
}

/// The basic blocks of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The needed instructions of each.
    pub(super) blocks: Vec<Vec<Step>>,
    /// All instructions of each, as operations.
    pub(super) code: Vec<Vec<Operation>>,
    /// The opcodes of each.
    pub(super) opcodes: Vec<Vec<String>>,
}

/// The constants of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants<'a> {
    pub(super) block: [u32; 3],
    pub(super) grid: [u32; 3],
    pub(super) parameters: &'a [u8],
}

impl Constants<'_> {
    /// Returns a constant; `None` if only memory has it.
    fn at(&self, bank: u8, offset: u16, bytes: u8) -> Option<u64> {
        if bank == VARIABLES {
            let address = FIRST_VARIABLE + u64::from(offset / 8) * VARIABLE_BYTES;
            return Some(if bytes == 8 { address } else { address >> (offset % 8 * 8) & 0xffff_ffff });
        }
        if bank != 0 {
            return None;
        }
        let byte = |offset: u16| match offset {
            0..24 => [self.block, self.grid].concat()[usize::from(offset / 4)].to_le_bytes()[usize::from(offset % 4)],
            // The stack and descriptors, whose values decide nothing.
            24..PARAMETERS => 0,
            _ => self.parameters.get(usize::from(offset - PARAMETERS)).copied().unwrap_or(0),
        };
        Some((0..u16::from(bytes)).rev().fold(0, |value, index| value << 8 | u64::from(byte(offset + index))))
    }
}

impl Program {
    /// Binds a kernel to the constants of a launch.
    pub(super) fn new(kernel: &Listed, constants: &Constants<'_>) -> Self {
        let count = kernel.instructions.len();
        let behind_jumps = kernel.instructions.iter().enumerate().filter(|(_, one)| needs::is_jump(one));
        let mut starts: BTreeSet<usize> = behind_jumps.map(|(index, _)| index + 1).collect();
        starts.extend(kernel.labels.iter().map(|(index, _)| *index).chain([0]));
        let starts: Vec<usize> = starts.into_iter().filter(|start| *start < count).collect();
        let ends = starts.iter().skip(1).copied().chain([count]);
        let ranges: Vec<_> = starts.iter().zip(ends).map(|(&start, end)| start..end).collect();
        let step = |number: usize| {
            let one = &kernel.instructions[number];
            let block_of = |label: &str| starts.binary_search(&kernel.target(label)?).ok();
            (!one.operands.is_empty() || needs::is_jump(one)).then(|| step(one, number, constants, block_of))
        };
        Self {
            blocks: ranges.iter().map(|range| range.clone().filter_map(step).flatten().collect()).collect(),
            code: ranges
                .iter()
                .map(|range| {
                    range.clone().map(|number| lower::operation(&kernel.instructions[number], number)).collect()
                })
                .collect(),
            opcodes: ranges
                .iter()
                .map(|range| kernel.instructions[range.clone()].iter().map(|one| one.opcode.clone()).collect())
                .collect(),
        }
    }
}

/// Returns the step of an instruction; `None` if it does nothing that matters.
fn step(
    one: &Instruction,
    number: usize,
    constants: &Constants<'_>,
    block_of: impl Fn(&str) -> Option<usize>,
) -> Option<Step> {
    let label = one.operands.iter().find_map(|operand| match &operand.operand {
        Operand::Label(label) => block_of(label),
        _ => None,
    });
    let kind = match one.name() {
        // Warps that have not diverged pass it.
        "BRA" if one.has("DIV") => return None,
        "BRA" => label.map_or(Kind::Unfollowed, |target| Kind::Branch { target }),
        "EXIT" => Kind::Exit,
        _ if needs::is_jump(one) => Kind::Unfollowed,
        name if lower::is_access(one) => {
            let operation = lower::operation(one, number);
            let stores = operation.access.is_some_and(|access| access.stores);
            Kind::Access {
                unit: operation.unit,
                bytes: lower::bytes(one),
                stores,
                is_local: name.ends_with('L'),
                lanes: lower::addressing_lanes(one),
            }
        }
        _ => Kind::Compute,
    };
    let bound = |tokens: Vec<Token>| {
        let bound = tokens.into_iter().map(|token| match token {
            Token::Constant { bank, offset, bytes } => {
                constants.at(bank, offset, bytes).map_or(Token::Unknown, Token::Literal)
            }
            other => other,
        });
        bound.collect()
    };
    let decision = if kind == Kind::Compute { Vec::new() } else { bound(needs::decision(one)) };
    let results = bound(meaning::translate(&one.opcode, &one.operands));
    Some(Step { number, name: one.opcode.clone(), guard: one.guard, decision, results, kind })
}
