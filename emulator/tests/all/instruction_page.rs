//! `INSTRUCTIONS.md` says what the instruction table says.

use emulator::{Instruction, instructions};
use std::fmt::Write;
use std::path::Path;

/// Set, the page is written again instead of compared.
const UPDATE: &str = "UPDATE_INSTRUCTIONS";

const INTRODUCTION: &str = "\
# Instructions

What the emulator executes, generated from its instruction table by

    UPDATE_INSTRUCTIONS=1 cargo test -p emulator --test all instruction_page

`[.x|.y]` may stand, one of `{x|y}` must. `d` or `p` is the result; `a`, `b`, `c` are the sources in order. `setp` also
takes `.and`, `.or` or `.xor` after its comparison, and then a predicate as last source. Order, scope and space of `atom`
and `red` may change places, also with the function; `.sync` of `vote` may come after its kind, and `.sat` behind its
type. Every row is tested, and every alternative in it (`tests/all/coverage.rs`).

A kernel with an instruction that is not here is refused when it is asked for, with all such lines; the other kernels of
its module run. So are kernels with calls through pointers, recursion, and functions whose code is not in the module, but
for `__assertfail`, which ends a launch with the assertion that does not hold.

Asynchronous copies land when they are waited for, and not before. The 64 bits of an `mbarrier` are those of
`src/isa/mbarrier_state.rs`. What tensor cores do with the last bits of a sum is not documented; `src/isa/dot.rs` says what
`mma` does here, and the last bits may differ.
";

/// The part of a spelling before its modifiers: `atom` of `atom[.relaxed].add.u32`.
fn name(spelling: &str) -> &str {
    spelling.split(['.', '[']).next().unwrap_or_default()
}

fn page(rows: impl Iterator<Item = Instruction>) -> String {
    let mut rows: Vec<Instruction> = rows.collect();
    // Stable: rows of one name stay in the order of the table.
    rows.sort_by_key(|row| name(row.spelling));
    let mut page = INTRODUCTION.to_owned();
    let mut last = "";
    for Instruction { spelling, equation } in rows {
        if name(spelling) != last {
            last = name(spelling);
            write!(page, "\n## {last}\n\n| PTX | |\n|---|---|\n").unwrap();
        }
        let cell = |text: &str| text.replace('|', "\\|");
        writeln!(page, "| `{}` | {} |", cell(spelling), cell(equation)).unwrap();
    }
    page
}

#[test]
fn the_page_is_fresh() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("INSTRUCTIONS.md");
    let wanted = page(instructions());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&file, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "{} is out of date: run the command that it names", file.display());
}

#[test]
fn a_row_more_or_an_equation_changed_shows_in_the_page() {
    let fresh = page(instructions());
    let added = Instruction { spelling: "frob.{x|y}", equation: "d = a | b" };
    let longer = page(instructions().chain([added]));
    assert_ne!(longer, fresh);
    assert!(longer.contains("\n## frob\n\n| PTX | |\n|---|---|\n| `frob.{x\\|y}` | d = a \\| b |\n"), "{longer}");
    let changed = page(instructions().map(|row| Instruction { equation: "d = 0", ..row }));
    assert_ne!(changed, fresh);
}
