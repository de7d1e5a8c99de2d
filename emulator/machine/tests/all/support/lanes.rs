//! Execution of instruction cases, one per lane, under all kinds of active masks.

use super::case::{Case, Signature};
use super::machine::{Machine, Shape};
use super::value::{Kind, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The size in bytes of a slot, which contains one operand of one case. Unused bytes are [`JUNK`].
const SLOT_BYTES: usize = 8;

/// The number of slots of a case: the old value of the result register, and up to four operands.
const SLOTS: usize = 5;

/// The contents of unused bytes of slots and registers.
const JUNK: u8 = 0xA5;

/// A form of execution: the active lanes, and the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By all lanes.
    Plain,
    /// By all lanes, with the result in the register of the first operand.
    Aliased,
    /// With a predicate that is true in even (0) or odd (1) lanes.
    Predicated(u32),
    /// In a branch that only even (0) or odd (1) lanes take.
    Branched(u32),
    /// By one lane, with constants as operands.
    Immediate,
}

impl Way {
    const ALL: [Self; 7] = [
        Self::Plain,
        Self::Aliased,
        Self::Predicated(0),
        Self::Predicated(1),
        Self::Branched(0),
        Self::Branched(1),
        Self::Immediate,
    ];

    fn is_active(self, lane: usize) -> bool {
        match self {
            Self::Predicated(parity) | Self::Branched(parity) => lane % 2 == parity as usize,
            _ => true,
        }
    }
}

/// Runs the cases of one opcode in every form. Returns the failures, one line per case and result.
///
/// The result register contains the complement of the expected result before, which inactive lanes must keep.
pub fn run(cases: &[Case]) -> Vec<String> {
    let Some(signature) = Signature::from_opcode(&cases[0].opcode) else { return vec!["no type".to_owned()] };
    let mut failures: BTreeMap<(usize, u64), BTreeSet<String>> = BTreeMap::new();
    for way in Way::ALL {
        let Some(ptx) = kernel(&signature, way, cases) else { continue };
        let machine = match Machine::load(&ptx) {
            Ok(machine) => machine,
            Err(error) => return vec![format!("{}: {error}\n{ptx}", cases[0])],
        };
        let plain = results(&machine, &signature, way, cases);
        let baseline = results(&machine.baseline(), &signature, way, cases);
        for (index, found) in plain.into_iter().chain(baseline).enumerate() {
            let lane = index % lanes(way, cases);
            let case = &cases[lane % cases.len()];
            let good = if way.is_active(lane) {
                case.accepts(signature.result, found)
            } else {
                found == preset(signature.result, case)
            };
            if !good {
                let index = lane % cases.len();
                failures.entry((index, found)).or_default().insert(format!("{way:?}"));
            }
        }
    }
    let message = |((index, found), ways): ((usize, u64), BTreeSet<String>)| {
        let ways: Vec<String> = ways.into_iter().collect();
        format!("{}: {} ({})", cases[index], signature.result.display(found), ways.join(", "))
    };
    failures.into_iter().map(message).collect()
}

/// Returns the number of results of a form: one per case, or one per lane.
fn lanes(way: Way, cases: &[Case]) -> usize {
    if way == Way::Immediate { cases.len() } else { cases.len().next_multiple_of(32) }
}

/// Executes the cases, which are repeated until the last warp is full.
fn results(machine: &Machine, signature: &Signature, way: Way, cases: &[Case]) -> Vec<u64> {
    let count = cases.len().next_multiple_of(32);
    let input = machine.upload(&slots(signature, cases, count));
    let output = machine.allocate(SLOT_BYTES * count);
    let threads = if way == Way::Immediate { 1 } else { count as u32 };
    machine.run("test", Shape::threads(threads), &[&input.to_le_bytes(), &output.to_le_bytes()]);
    let results = machine.download(output, SLOT_BYTES * lanes(way, cases));
    let bits = |slot: &[u8]| u64::from_le_bytes(slot.try_into().unwrap()) & signature.result.mask();
    results.chunks_exact(SLOT_BYTES).map(bits).collect()
}

/// Returns the old value of the result register, of which every bit differs from the expected result.
fn preset(kind: Type, case: &Case) -> u64 {
    !case.expected & kind.mask()
}

fn slots(signature: &Signature, cases: &[Case], count: usize) -> Vec<u8> {
    let mut bytes = vec![JUNK; count * SLOTS * SLOT_BYTES];
    for (lane, row) in bytes.chunks_exact_mut(SLOTS * SLOT_BYTES).enumerate() {
        let case = &cases[lane % cases.len()];
        let values = [(signature.result, preset(signature.result, case))];
        let values = values.into_iter().chain(signature.sources.iter().copied().zip(case.sources.iter().copied()));
        for ((kind, bits), slot) in values.zip(row.chunks_exact_mut(SLOT_BYTES)) {
            slot[..kind.bytes()].copy_from_slice(&bits.to_le_bytes()[..kind.bytes()]);
        }
    }
    bytes
}

/// Returns the name of register `index` of a type.
fn register(kind: Type, index: usize) -> String {
    let file = match kind.bits {
        1 => 'p',
        16 => 'h',
        64 => 'd',
        _ => 'r',
    };
    format!("%{file}{index}")
}

/// Returns the PTX of a kernel that executes the cases, or `None` if the instruction does not have this form.
fn kernel(signature: &Signature, way: Way, cases: &[Case]) -> Option<String> {
    let body = match way {
        Way::Immediate => immediate(signature, cases)?,
        _ => one_a_lane(signature, way, &cases[0])?,
    };
    let active = match way {
        Way::Predicated(parity) | Way::Branched(parity) => parity,
        _ => 0,
    };
    Some(format!(
        ".version 8.1
.target sm_80
.address_size 64
.visible .entry test(.param .u64 cases, .param .u64 results)
{{
    .reg .pred %p<{SLOTS}>, %active;
    .reg .b16 %h<{SLOTS}>;
    .reg .b32 %r<{SLOTS}>, %thread, %odd, %word;
    .reg .b64 %d<{SLOTS}>, %cases, %results, %offset;
    ld.param.u64 %cases, [cases];
    ld.param.u64 %results, [results];
    mov.u32 %thread, %tid.x;
    mul.wide.u32 %offset, %thread, {case_bytes};
    add.u64 %cases, %cases, %offset;
    mul.wide.u32 %offset, %thread, {SLOT_BYTES};
    add.u64 %results, %results, %offset;
    and.b32 %odd, %thread, 1;
    setp.eq.u32 %active, %odd, {active};
{body}    ret;
}}
",
        case_bytes = SLOTS * SLOT_BYTES,
    ))
}

/// Writes the load of operand `slot` of the lane's case.
fn load(text: &mut String, kind: Type, slot: usize) {
    let offset = slot * SLOT_BYTES;
    if kind == Type::PREDICATE {
        let _ = writeln!(text, "    ld.global.u32 %word, [%cases+{offset}];\n    setp.ne.u32 %p{slot}, %word, 0;");
    } else {
        // An 8-bit operand is the low byte of a wider register.
        let bits = kind.bits.max(16) * if kind.bits == 8 { 2 } else { 1 };
        let _ = writeln!(text, "    ld.global.b{bits} {}, [%cases+{offset}];", register(kind, slot));
    }
}

/// Writes the store of a result to `[%results+offset]`.
fn store(text: &mut String, kind: Type, register: &str, offset: usize) {
    if kind == Type::PREDICATE {
        let _ = writeln!(text, "    selp.u32 %word, 1, 0, {register};\n    st.global.u32 [%results+{offset}], %word;");
    } else {
        let _ = writeln!(text, "    st.global.b{} [%results+{offset}], {register};", kind.bits);
    }
}

fn one_a_lane(signature: &Signature, way: Way, case: &Case) -> Option<String> {
    let mut text = String::new();
    let result = register(signature.result, 0);
    load(&mut text, signature.result, 0);
    let mut operands = Vec::new();
    for (index, &kind) in signature.sources.iter().enumerate() {
        load(&mut text, kind, index + 1);
        operands.push(register(kind, index + 1));
    }
    if signature.constant {
        *operands.last_mut()? = case.sources.last()?.to_string();
    }
    let result = if way == Way::Aliased { operands[0].clone() } else { result };
    if way == Way::Aliased && result[..2] != register(signature.result, 0)[..2] {
        return None;
    }
    let instruction = format!("{} {result}, {};", case.opcode, operands.join(", "));
    let _ = match way {
        Way::Predicated(_) => writeln!(text, "    @%active {instruction}"),
        Way::Branched(_) => writeln!(text, "    @!%active bra AROUND;\n    {instruction}\nAROUND:"),
        _ => writeln!(text, "    {instruction}"),
    };
    store(&mut text, signature.result, &result, 0);
    Some(text)
}

fn immediate(signature: &Signature, cases: &[Case]) -> Option<String> {
    let mut text = String::new();
    let result = register(signature.result, 0);
    for (index, case) in cases.iter().enumerate() {
        let literals = signature.sources.iter().zip(&case.sources).map(|(&kind, &bits)| literal(kind, bits));
        let literals: Vec<String> = literals.collect::<Option<_>>()?;
        let _ = writeln!(text, "    {} {result}, {};", case.opcode, literals.join(", "));
        store(&mut text, signature.result, &result, SLOT_BYTES * index);
    }
    Some(text)
}

/// Returns the PTX of a constant. PTX has none for predicates, halves and bytes.
fn literal(kind: Type, bits: u64) -> Option<String> {
    let unused = 64 - kind.bits;
    match (kind.kind, kind.bits) {
        (_, 1 | 8) | (Kind::Float, 16) | (Kind::Halves, _) => None,
        (Kind::Float, 32) => Some(format!("0f{bits:08X}")),
        (Kind::Float, _) => Some(format!("0d{bits:016X}")),
        (Kind::Signed, _) => Some(((bits << unused) as i64 >> unused).to_string()),
        _ => Some(format!("0x{bits:X}")),
    }
}
