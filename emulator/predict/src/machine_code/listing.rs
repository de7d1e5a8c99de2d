//! The compact listing of a kernel's machine code, which the repository stores.
//!
//! A line is `CONTROL OPCODE`, such as `4s0w03p21 FFMA`. Control is the stall count in hexadecimal, then the scoreboard that the
//! instruction sets when its result arrives (`s`), the one that it sets when it has read its operands (`r`), a mask of the
//! scoreboards that it waits for (`w`), and the registers that it reads from each of the two banks (`p`). The yield flag is left
//! out, because the simulator has its own order of warps. Instructions that decide about branches and addresses have their guard and
//! operands, too; the others need none, and a line stands for all equal ones that follow it: `12x 1p21 FFMA`.

use super::operand::{Operand, Signed, split};
use std::fmt::{self, Display, Formatter, Write};

/// The line that opens a kernel: `.kernel NAME REGISTERS`.
const KERNEL: &str = ".kernel ";

/// How ptxas scheduled an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Control {
    /// The cycles until the warp may issue its next instruction.
    pub(super) stall: u8,
    /// The scoreboard that is set until the result arrives.
    pub(super) sets: Option<u8>,
    /// The scoreboard that is set until the operands are read.
    pub(super) releases: Option<u8>,
    /// The scoreboards that must be clear, one bit each.
    pub(super) waits: u8,
    /// The registers that it reads from each bank of the register file, without those that the instruction before it left.
    pub(super) ports: [u8; 2],
}

/// The condition of an instruction: a predicate, and whether it must not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    pub(super) predicate: u8,
    pub(super) is_negated: bool,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) control: Control,
    pub(super) guard: Option<Guard>,
    pub(super) opcode: String,
    /// The operands as text, and as values; none if nothing depends on them.
    pub(super) text: Vec<String>,
    pub(super) operands: Vec<Signed>,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    /// The registers of a thread.
    pub(super) registers: u32,
    pub(super) instructions: Vec<Instruction>,
    /// The instructions before which labels are, with their names.
    pub(super) labels: Vec<(usize, String)>,
}

impl Listed {
    /// Returns the instruction behind a label.
    pub(super) fn target(&self, label: &str) -> Option<usize> {
        self.labels.iter().find(|(_, name)| name == label).map(|(index, _)| *index)
    }

    /// Reads all kernels of a listing.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub(super) fn all(text: &str) -> Result<Vec<Self>, String> {
        let mut kernels: Vec<Self> = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with("//")) {
            let wrong = || format!("line {} of the machine code is wrong: {line}", number + 1);
            if let Some(rest) = line.strip_prefix(KERNEL) {
                let (name, registers) = rest.split_once(' ').ok_or_else(wrong)?;
                let registers = registers.parse().map_err(|_| wrong())?;
                kernels.push(Self { name: name.to_owned(), registers, ..Self::default() });
                continue;
            }
            let kernel = kernels.last_mut().ok_or_else(wrong)?;
            if let Some(label) = line.strip_suffix(':') {
                kernel.labels.push((kernel.instructions.len(), label.to_owned()));
                continue;
            }
            let (count, rest) =
                line.split_once("x ").map_or((Some(1), line), |(count, rest)| (count.parse().ok(), rest));
            let instruction = instruction(rest).ok_or_else(wrong)?;
            let count = count.filter(|count| (1..=4096).contains(count)).ok_or_else(wrong)?;
            kernel.instructions.extend(std::iter::repeat_n(instruction, count));
        }
        Ok(kernels)
    }
}

fn instruction(line: &str) -> Option<Instruction> {
    let (control_text, rest) = line.split_once(' ')?;
    let control = control(control_text)?;
    let (guard, rest) = match rest.strip_prefix('@') {
        Some(rest) => rest.split_once(' ').map(|(name, rest)| (guard(name), rest))?,
        None => (None, rest),
    };
    let (opcode, list) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(Instruction::new(control, guard, opcode, &split(list)))
}

/// Reads a guard without its `@`. The predicate that always holds is none.
pub(super) fn guard(name: &str) -> Option<Guard> {
    let signed = Signed::parse(name);
    match signed.operand {
        Operand::Predicate(predicate) => Some(Guard { predicate, is_negated: signed.is_inverted }),
        _ => None,
    }
}

fn control(text: &str) -> Option<Control> {
    let mut digits = text.chars();
    let mut digit = || digits.next();
    let hexadecimal = |digit: Option<char>| digit?.to_digit(16).map(|digit| digit as u8);
    let mut control = Control { stall: hexadecimal(digit())?, ..Control::default() };
    while let Some(letter) = digit() {
        match letter {
            's' => control.sets = Some(hexadecimal(digit())?),
            'r' => control.releases = Some(hexadecimal(digit())?),
            'w' => control.waits = hexadecimal(digit())? << 4 | hexadecimal(digit())?,
            'p' => control.ports = [hexadecimal(digit())?, hexadecimal(digit())?],
            _ => return None,
        }
    }
    Some(control)
}

impl Instruction {
    pub(super) fn new(control: Control, guard: Option<Guard>, opcode: &str, operands: &[&str]) -> Self {
        let text = operands.iter().map(|&operand| operand.to_owned()).collect();
        let operands = operands.iter().map(|operand| Signed::parse(operand)).collect();
        Self { control, guard, opcode: opcode.to_owned(), text, operands }
    }

    /// Returns the name of the opcode, without its modifiers.
    pub(super) fn name(&self) -> &str {
        self.opcode.split('.').next().unwrap_or(&self.opcode)
    }

    /// Returns whether the opcode has a modifier.
    pub(super) fn has(&self, modifier: &str) -> bool {
        self.opcode.split('.').skip(1).any(|one| one == modifier)
    }
}

impl Display for Instruction {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Control { stall, sets, releases, waits, ports } = self.control;
        write!(formatter, "{stall:x}")?;
        sets.map_or(Ok(()), |scoreboard| write!(formatter, "s{scoreboard}"))?;
        releases.map_or(Ok(()), |scoreboard| write!(formatter, "r{scoreboard}"))?;
        if waits != 0 {
            write!(formatter, "w{waits:02x}")?;
        }
        if ports != [0; 2] {
            write!(formatter, "p{:x}{:x}", ports[0], ports[1])?;
        }
        formatter.write_char(' ')?;
        if let Some(Guard { predicate, is_negated }) = self.guard {
            let (kind, number) = if predicate < 8 { ("P", predicate) } else { ("UP", predicate - 8) };
            let number = if number == 7 { "T".to_owned() } else { number.to_string() };
            write!(formatter, "@{}{kind}{number} ", if is_negated { "!" } else { "" })?;
        }
        formatter.write_str(&self.opcode)?;
        if self.text.is_empty() { Ok(()) } else { write!(formatter, " {}", self.text.join(",")) }
    }
}

impl Display for Listed {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{KERNEL}{} {}", self.name, self.registers)?;
        let mut index = 0;
        while index < self.instructions.len() {
            for (_, label) in self.labels.iter().filter(|(at, _)| *at == index) {
                writeln!(formatter, "{label}:")?;
            }
            let next_label = self.labels.iter().map(|(at, _)| *at).filter(|at| *at > index).min();
            let same = self.instructions[index..next_label.unwrap_or(self.instructions.len())].iter();
            let count = same.take_while(|other| **other == self.instructions[index]).count();
            if count > 1 {
                write!(formatter, "{count}x ")?;
            }
            writeln!(formatter, "{}", self.instructions[index])?;
            index += count;
        }
        Ok(())
    }
}
