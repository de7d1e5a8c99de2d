//! Generation of kernels with random instructions from all rows of the table. Most operands fit the instruction.

use std::fmt::Write;
use std::sync::LazyLock;

/// The spellings of all instructions.
static SPELLINGS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| emulator::instructions().map(|row| row.spelling).collect());

const OPENING: &str = ".version 8.1
.target sm_80
.address_size 64
.global .align 8 .b8 global[64];
.const .align 4 .f32 constant[4] = {1.0, 2.0, 3.0, 4.0};
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 d) twice(.param .b32 a)
{
    .reg .b32 %x<3>;
    ld.param.u32 %x0, [a];
    add.s32 %x1, %x0, %x0;
    st.param.b32 [d], %x1;
    ret;
}
.visible .entry random(.param .u64 buffer, .param .u32 number)
{
    .reg .pred %p<4>;
    .reg .b32 %r<6>;
    .reg .b64 %d<6>;
    .shared .align 16 .b8 tile[128];
    .local .align 16 .b8 stack[32];
    ld.param.u64 %d0, [buffer];
    ld.param.u32 %r0, [number];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 4;
    add.s64 %d2, %d0, %d1;
    cvta.shared.u64 %d3, %d1;
    setp.lt.u32 %p0, %r1, 7;
    setp.eq.u32 %p1, %r1, %r0;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, -1;
";

const NARROW: [&str; 8] = ["%r1", "%r2", "%r4", "%r5", "%r0", "3", "-1", "0f3F800000"];
const WIDE: [&str; 8] = ["%d1", "%d2", "%d4", "%d5", "%d0", "7", "-9223372036854775808", "0d3FF0000000000000"];
const PREDICATES: [&str; 6] = ["%p1", "%p2", "%p3", "%p0", "!%p3", "1"];
const SIZES: [&str; 6] = ["16", "4", "8", "0", "64", "%r0"];
const BARRIERS: [&str; 4] = ["[tile+64]", "[tile+72]", "[tile+64]", "[%d3+64]"];
const VECTORS: [&str; 4] = ["{%r1, %r2, %r4, %r5}", "{%r1, %r2}", "{%r4}", "{%r0, %r0, 0, 0f3F800000}"];
const ADDRESSES: [&str; 16] = [
    "[%d2]",
    "[%d2]",
    "[%d0+8]",
    "[%d3]",
    "[%d3+64]",
    "[tile]",
    "[tile+16]",
    "[%r1]",
    "[stack+4]",
    "[dynamic]",
    "[global+8]",
    "[constant]",
    "[buffer]",
    "[tile+9223372036854775807]",
    "[dynamic+-9223372036854775808]",
    "[%d5+-1]",
];

/// Operands that may occur at any place, even if they do not fit.
const ODD: [&str; 24] = [
    "%r1",
    "%r4",
    "%d2",
    "%d5",
    "%p1",
    "!%p0",
    "%p1|%p2",
    "%r4|%p3",
    "[%d2]",
    "[tile]",
    "{%r4, %r5}",
    "{%d4, %d5}",
    "{%r2, %r3, %r4, %r5}",
    "{_, %d5}",
    "0",
    "31",
    "4294967295",
    "9223372036854775807",
    "0d7FF8000000000000",
    "_",
    "%laneid",
    "%ctaid.x",
    "tile",
    "dynamic",
];

/// A sequence of choices that the bytes determine. After their end, all choices are 0.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound
    }
}

/// Returns a module with a kernel of the instructions that `bytes` choose: about one line per eight bytes.
pub fn module(bytes: &[u8]) -> String {
    let mut choices = Choices(bytes.iter());
    let mut text = OPENING.to_owned();
    let lines = (bytes.len() / 8).min(40);
    for line in 0..lines {
        if line % 4 == 0 {
            let _ = writeln!(text, "L{}:", line / 4);
        }
        let guard = ["", "", "@%p0 ", "@!%p1 ", "@%p2 "][choices.below(5)];
        let _ = writeln!(text, "    {guard}{};", instruction(&mut choices, lines));
    }
    for label in lines.div_ceil(4)..11 {
        let _ = writeln!(text, "L{label}:");
    }
    text + "    st.global.u32 [%d2], %r4;\n    ret;\n}\n"
}

fn instruction(choices: &mut Choices<'_>, lines: usize) -> String {
    match choices.below(16) {
        0 => format!("bra L{}", choices.below(lines.div_ceil(4) + 1)),
        1 => "bar.sync 0".to_owned(),
        2 => format!("bar.warp.sync {}", pick(&NARROW, choices)),
        3 => "{\n.param .b32 a;\n.param .b32 d;\nst.param.b32 [a], %r4;\ncall.uni (d), twice, (a);\n\
              ld.param.b32 %r5, [d];\n}"
            .to_owned(),
        _ => {
            let spelling = SPELLINGS[(choices.below(256) * 256 + choices.below(256)) % SPELLINGS.len()];
            let opcode = opcode(spelling, choices);
            let operands = operands(&opcode, choices);
            format!("{opcode} {}", operands.join(", "))
        }
    }
}

/// Returns operands that fit the name and type of an opcode, with a few exceptions.
fn operands(opcode: &str, choices: &mut Choices<'_>) -> Vec<&'static str> {
    let kind = opcode.rsplit('.').next().unwrap_or_default();
    let values: &[&str] = match kind {
        "pred" => &PREDICATES,
        _ if kind.ends_with("64") => &WIDE,
        _ => &NARROW,
    };
    let pools: Vec<&[&str]> = match opcode.split('.').next().unwrap_or_default() {
        "ld" | "ldu" => vec![values, &ADDRESSES],
        "st" | "red" => vec![&ADDRESSES, values],
        "atom" if opcode.contains(".cas") => vec![values, &ADDRESSES, values, values],
        "atom" => vec![values, &ADDRESSES, values],
        "setp" => vec![&PREDICATES, values, values],
        "shfl" => vec![&NARROW; 5],
        "vote" => vec![values, &PREDICATES, &NARROW],
        "activemask" => vec![&NARROW],
        "elect" => vec![&["%r4|%p1"], &NARROW],
        "cp" | "mbarrier" | "mma" | "ldmatrix" | "stmatrix" | "movmatrix" => together(opcode, choices),
        _ => vec![values; [3, 3, 4, 2, 2, 5, 1, 0][choices.below(8)]],
    };
    pools
        .into_iter()
        .map(|pool| if choices.below(8) == 7 { pick(&ODD, choices) } else { pick(pool, choices) })
        .collect()
}

/// Returns the choices for the operands of asynchronous copies, mbarriers and matrix instructions.
fn together(opcode: &str, choices: &mut Choices<'_>) -> Vec<&'static [&'static str]> {
    let has = |part: &str| opcode.split('.').any(|name| name == part);
    match opcode {
        _ if has("bulk") => vec![&ADDRESSES, &ADDRESSES, &SIZES, &BARRIERS],
        _ if has("ca") || has("cg") => some(vec![&ADDRESSES, &ADDRESSES, &SIZES, &NARROW], 3 + choices.below(2)),
        _ if has("wait_group") => vec![&SIZES],
        _ if has("async") && has("mbarrier") => vec![&BARRIERS],
        _ if has("async") => vec![],
        _ if has("inval") => vec![&BARRIERS],
        _ if has("init") || (has("expect_tx") && !has("arrive") && !has("arrive_drop")) => vec![&BARRIERS, &NARROW],
        _ if has("arrive") || has("arrive_drop") => some(vec![&WIDE, &BARRIERS, &NARROW], 2 + choices.below(2)),
        _ if has("parity") => vec![&PREDICATES, &BARRIERS, &NARROW],
        _ if has("test_wait") || has("try_wait") => vec![&PREDICATES, &BARRIERS, &WIDE],
        _ if has("pending_count") => vec![&NARROW, &WIDE],
        _ if opcode.starts_with("mma") => vec![&VECTORS; 4],
        _ if opcode.starts_with("ldmatrix") => vec![&VECTORS, &ADDRESSES],
        _ if opcode.starts_with("stmatrix") => vec![&ADDRESSES, &VECTORS],
        _ => vec![&NARROW, &NARROW],
    }
}

fn some(mut pools: Vec<&'static [&'static str]>, count: usize) -> Vec<&'static [&'static str]> {
    pools.truncate(count);
    pools
}

fn pick(pool: &[&'static str], choices: &mut Choices<'_>) -> &'static str {
    pool[choices.below(pool.len())]
}

/// Returns an opcode of a spelling, where `[.a|.b]` is optional and `{a|b}` requires one alternative.
fn opcode(spelling: &str, choices: &mut Choices<'_>) -> String {
    let mut opcode = String::new();
    let mut rest = spelling;
    while let Some(start) = rest.find(['[', '{']) {
        opcode.push_str(&rest[..start]);
        let end = start + rest[start..].find([']', '}']).expect("it is closed");
        let names: Vec<&str> = rest[start + 1..end].split('|').collect();
        let optional = rest[start..].starts_with('[');
        if !optional || choices.below(3) == 0 {
            opcode.push_str(names[choices.below(names.len())]);
        }
        rest = &rest[end + 1..];
    }
    opcode + rest
}
