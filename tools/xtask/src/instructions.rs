//! `cargo x instructions`: a table that compares PTX instructions with the machine instructions of a GPU.

use crate::command::cargo;
use crate::workspace::{Workspace, read};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The opcodes that a profiler counted, and the table that is made from them.
const OPCODES: &str = "results/nvidia-h200/opcodes.json";
const TABLE: &str = "results/nvidia-h200/instructions.md";

/// The emulator's classes of instructions, each with the opcodes of an H200 in it. Opcodes of the uniform data path have the
/// same names with a U in front.
const CLASSES: [(&str, &[&str]); 10] = [
    ("float", &["FADD", "FMUL", "FFMA"]),
    ("special", &["MUFU"]),
    ("integer", &["IADD3", "IMAD", "VIADD", "LOP3", "SHF", "LEA", "FLO", "POPC", "IABS", "PLOP3"]),
    ("comparison", &["FSETP", "ISETP", "FMNMX", "VIMNMX", "VIADDMNMX"]),
    ("conversion", &["I2FP", "I2F", "F2I", "F2F", "FRND"]),
    // HFMA2 with constant operands loads a constant into a register.
    ("moves", &["MOV", "SEL", "FSEL", "S2R", "S2UR", "CS2R", "R2UR", "P2R", "PRMT", "HFMA2"]),
    ("constant", &["LDC"]),
    // LDGSTS and UBLKCP copy to shared memory; SYNCS operates on barriers there.
    ("memory", &["LDG", "LDS", "LDL", "STG", "STS", "STL", "ATOMG", "ATOMS", "REDG", "LDGSTS", "UBLKCP", "SYNCS"]),
    ("exchange", &["SHFL", "VOTE", "MATCH", "REDUX"]),
    // A device-wide fence compiles to four of these. NVIDIA's list lacks ERRBAR, CGAERRBAR and CCTL.
    (
        "control",
        &[
            "BRA",
            "EXIT",
            "BAR",
            "BSSY",
            "BSYNC",
            "BREAK",
            "WARPSYNC",
            "YIELD",
            "ELECT",
            "CALL",
            "RET",
            "NOP",
            "DEPBAR",
            "LDGDEPBAR",
            "FENCE",
            "MEMBAR",
            "ERRBAR",
            "CGAERRBAR",
            "CCTL",
        ],
    ),
];

/// The number of warp instructions by class.
type Classes = BTreeMap<String, u64>;

/// A kernel with its instructions in PTX and in machine code.
struct Row {
    kernel: String,
    ptx: Classes,
    machine: Classes,
}

/// Writes the table. With `check`, requires that the table is up to date.
///
/// # Errors
/// Returns an error if the opcodes cannot be read, if an opcode has no class, if a kernel does not run, or if the table is
/// out of date.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let text = read(&workspace.root.join(OPCODES))?;
    let recorded: Value = serde_json::from_str(&text).with_context(|| format!("{OPCODES} is not JSON"))?;
    let kernels = recorded["kernels"].as_array().with_context(|| format!("{OPCODES} has no list `kernels`"))?;
    let rows = kernels.iter().map(|kernel| row(workspace, kernel)).collect::<Result<Vec<Row>>>()?;
    let table = table(recorded["recorded"].as_str().unwrap_or_default(), &rows);
    workspace.update(TABLE, &table, check, "cargo x instructions")
}

fn row(workspace: &Workspace, kernel: &Value) -> Result<Row> {
    let name = kernel["kernel"].as_str().with_context(|| format!("{OPCODES}: an entry without `kernel`"))?;
    let ptx = classify_emulated(workspace, kernel, name).with_context(|| format!("{name} on the emulator"))?;
    let opcodes = kernel["opcodes"].as_object().with_context(|| format!("{OPCODES}: {name} has no `opcodes`"))?;
    let mut machine = Classes::new();
    for (opcode, count) in opcodes {
        let class = class(opcode).with_context(|| format!("{OPCODES}: `{opcode}` of {name} has no class"))?;
        *machine.entry(class.to_owned()).or_default() += count.as_u64().unwrap_or_default();
    }
    Ok(Row { kernel: name.to_owned(), ptx, machine })
}

/// Returns the class of a machine opcode.
fn class(opcode: &str) -> Option<&'static str> {
    let known = |opcode: &str| CLASSES.iter().find(|(_, opcodes)| opcodes.contains(&opcode)).map(|(class, _)| *class);
    known(opcode).or_else(|| known(opcode.strip_prefix('U')?)).or_else(|| {
        // The uniform variants of IADD3, IMAD and ISETP begin with UI.
        known(&format!("I{}", opcode.strip_prefix("UI")?))
    })
}

/// Runs a kernel on the emulator with the options of its recording, and returns its instructions.
fn classify_emulated(workspace: &Workspace, kernel: &Value, name: &str) -> Result<Classes> {
    let stage = kernel["stage"].as_str().context("no `stage`")?;
    let mut program = cargo();
    program.current_dir(&workspace.root).args(["run", "--quiet", "-p", stage, "--"]);
    program.args(["--device", "emulator", "--json", "--kernel", name]);
    for (option, value) in kernel["options"].as_object().context("no `options`")? {
        program.arg(format!("--{option}")).arg(value.to_string());
    }
    println!("{stage}: {name}");
    let output = program.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("{program:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let record: Value = serde_json::from_str(text.lines().next().unwrap_or_default()).context("no record")?;
    serde_json::from_value(record["counters"]["classes"].clone()).context("the record has no `counters.classes`")
}

fn table(recorded: &str, rows: &[Row]) -> String {
    let names: Vec<&str> = CLASSES.iter().map(|(name, _)| *name).collect();
    let head = format!("| kernel | all | {} |\n|---|{}\n", names.join(" | "), "--:|".repeat(names.len() + 1));
    let mut text = format!(
        "# Instructions: PTX and machine code\n\n\
         Written by `cargo x instructions` from the emulator's counts and from [opcodes.json](opcodes.json)\n\
         ({recorded}).\n\n\
         ## Machine instructions for one of PTX\n\n\
         `-`: neither has any; `new`: only machine code has.\n\n{head}"
    );
    for row in rows {
        write_row(&mut text, row, ratio);
    }
    let _ = write!(text, "\n## Instructions of warps: PTX / machine code\n\n{head}");
    for row in rows {
        write_row(&mut text, row, |ptx, machine| format!("{ptx} / {machine}"));
    }
    text
}

fn write_row(text: &mut String, row: &Row, cell: impl Fn(u64, u64) -> String) {
    let of = |classes: &Classes, name: &str| classes.get(name).copied().unwrap_or(0);
    let all = cell(row.ptx.values().sum(), row.machine.values().sum());
    let cells = CLASSES.iter().map(|(name, _)| cell(of(&row.ptx, name), of(&row.machine, name)));
    let _ = writeln!(text, "| {} | {all} | {} |", row.kernel, cells.collect::<Vec<_>>().join(" | "));
}

fn ratio(ptx: u64, machine: u64) -> String {
    match (ptx, machine) {
        (0, 0) => "-".to_owned(),
        (0, _) => "new".to_owned(),
        _ => format!("{:.2}", machine as f64 / ptx as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_have_classes() {
        let classes = ["FFMA", "UIADD3", "UISETP", "ULDC", "S2UR", "USHF", "LDS", "BAR"].map(class);
        let expected = ["float", "integer", "comparison", "constant", "moves", "integer", "memory", "control"];
        assert_eq!(classes, expected.map(Some));
        assert_eq!(class("HGMMA"), None);
    }

    #[test]
    fn cells_are_ratios() {
        let classes = |float, memory| Classes::from([("float".to_owned(), float), ("memory".to_owned(), memory)]);
        let row = Row { kernel: "k".to_owned(), ptx: classes(8, 0), machine: classes(6, 2) };
        let mut text = String::new();
        write_row(&mut text, &row, ratio);
        assert_eq!(text, "| k | 1.00 | 0.75 | - | - | - | - | - | - | new | - | - |\n");
    }
}
