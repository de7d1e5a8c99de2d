//! Video instructions and their results on an NVIDIA GPU: `hardware/video.txt`.

use std::fmt::Write as _;

/// A recording: operands, and instructions with their result for each.
pub struct Recording {
    /// The words `a`, `b` and `c`.
    pub operands: Vec<[u32; 3]>,
    /// The text of an instruction, such as `vadd.s32.s32.u32 %d.b1, %a, %b.h0, %c`, and its results.
    pub results: Vec<(String, Vec<u32>)>,
}

/// Reads the recording. A line has words in hexadecimal behind a colon: the operands, or the results of an instruction.
pub fn recording() -> Recording {
    let text = std::fs::read_to_string(crate::support::folder("hardware/video.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (name, words) = line.split_once(": ").unwrap_or_else(|| panic!("no words: {line}"));
        let words = words.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap());
        (name.to_owned(), words.collect::<Vec<u32>>())
    });
    let (operands, results): (Vec<_>, Vec<_>) = lines.partition(|(name, _)| ["a", "b", "c"].contains(&name.as_str()));
    let [(_, a), (_, b), (_, c)] = operands.try_into().unwrap();
    let operands = a.iter().zip(&b).zip(&c).map(|((&a, &b), &c)| [a, b, c]).collect();
    Recording { operands, results }
}

/// Returns a module whose kernel executes all instructions for the operands of each thread. The results of an instruction are
/// together.
pub fn module(recording: &Recording) -> String {
    let mut text = String::from(
        ".version 8.1
.target sm_90
.address_size 64
.visible .entry test(.param .u64 operands, .param .u64 results)
{
    .reg .b32 %a, %b, %c, %d, %i;
    .reg .b64 %x, %y;
    mov.u32 %i, %tid.x;
    ld.param.u64 %x, [operands];
    ld.param.u64 %y, [results];
    mad.wide.u32 %x, %i, 12, %x;
    mad.wide.u32 %y, %i, 4, %y;
    ld.global.u32 %a, [%x];
    ld.global.u32 %b, [%x+4];
    ld.global.u32 %c, [%x+8];
",
    );
    for (number, (instruction, _)) in recording.results.iter().enumerate() {
        let offset = 4 * recording.operands.len() * number;
        let _ = writeln!(text, "    {instruction};\n    st.global.u32 [%y+{offset}], %d;");
    }
    text + "    ret;\n}\n"
}
