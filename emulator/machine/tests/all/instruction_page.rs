//! `INSTRUCTIONS.md`, which is generated from the instruction table, is up to date.

use emulator::{Instruction, instructions};
use std::fmt::Write;
use std::path::Path;

/// The environment variable that makes the test rewrite the page instead of comparing it.
const UPDATE: &str = "UPDATE_INSTRUCTIONS";

const INTRODUCTION: &str = "\
# Instructions

The instructions that the emulator supports, generated from its instruction table by

    UPDATE_INSTRUCTIONS=1 cargo test -p emulator-tests --test all instruction_page

`[.x|.y]` is optional, and `{x|y}` requires one alternative. `d` or `p` is the result, and `a`, `b`, `c` are the sources in
order. Without a result, `d` is the fourth source. A fourth source after a result is `e`.

`setp` also takes `.and`, `.or` or `.xor` after its comparison, and then a predicate as its last source. The order, scope, space
and function of `atom` and `red` may be in any order, the `.sync` of `vote` may follow its kind, and `.sat` may follow the type.
Every row, and every alternative in it, is tested (`tests/all/coverage.rs`).

A kernel with any other instruction is refused, and the error lists all such lines, or all such opcodes if there are many. The
other kernels of its module run. Kernels are also refused for calls of functions without a body in the module. The exceptions are
`__assertfail`, which ends the launch with the message of the failed assertion, `vprintf`, whose text the host takes from the memory (`Memory::take_printed`), and
`malloc` and `free`. They are not counted as instructions.

The heap of `malloc` belongs to a `Memory`, and has 8 MiB unless `Memory::set_heap_capacity` changes it. A block takes its size,
rounded up to 16 bytes; how much one takes on hardware is not documented. No address is used twice: an access past the end of a block, or
after `free`, is a fault, as is a `free` of anything else. A launch of a kernel that prints, allocates or frees runs on one thread
of the host, so texts and addresses are the same each time.

Functions are inlined, except for recursive ones and those behind pointers: each thread has a stack of 16 KiB for their variables
(`src/lower/expand/subroutine.rs`), but 1 KiB on a GPU unless `cuCtxSetLimit` increases it. A pointer must be to a function of
the same module.

`wmma` becomes the loads, stores and products that ptxas makes of it, and counts as those (`src/lower/wmma`): `f16` with sums of
`f16` or `f32`, `bf16`, `s8` and `u8` in the shapes `m16n16k16`, `m32n8k16` and `m8n32k16`, `tf32` as `m16n16k8`, and `f64` as
`m8n8k4`.

Asynchronous copies complete when a thread waits for them, and not earlier. `src/isa/mbarrier_state.rs` describes the 64 bits of
an mbarrier. NVIDIA does not document how tensor cores round sums, so the last bits of `mma` and `wgmma` may differ from
hardware; `src/isa/dot.rs` describes the emulator's arithmetic.

A product of a warpgroup (`wgmma`) is computed at once, and a copy of a tensor to global memory is complete at once. The checks
report a program that does not wait for a product. Tensor maps are from `cuTensorMapEncodeTiled` of `emulator-driver`, or from
`TensorMap::encode`.

The handle of a texture is the address of a descriptor (`src/isa/texel.rs`), which `cuTexObjectCreate` of `emulator-driver` writes,
or `TextureDescriptor::encode`. On an H200, reads of the nearest element have the same bits, and so have 99 percent of floats that are
filtered along one axis or two, of which the others differ in their last bits, and 95 percent of those along three, where weights of 8
bits are rounded. The counters and the checks do not see these accesses. Integer coordinates outside of a texture read zeros, and modes
have no effect on them. Textures have one level and no layers.

Registers of 128 bits are two of 64 bits (`src/lower/quads.rs`).

The shared memory that CUDA reserves for cooperative groups (`%reserved_smem_offset_1`) is behind that of the kernel.

The blocks of a cluster run together, in turns on one thread of the host. The bits above the lower 24 of an address in shared memory
are the rank of its block, as on an H100. Accesses to other blocks are not counted: how Nsight Compute counts them is not known.
";

/// Returns the part of a spelling before its modifiers: `atom` for `atom[.relaxed].add.u32`.
fn name(spelling: &str) -> &str {
    spelling.split(['.', '[']).next().unwrap_or_default()
}

fn page(rows: impl Iterator<Item = Instruction>) -> String {
    let mut rows: Vec<Instruction> = rows.collect();
    // The sort is stable, so rows with the same name keep the order of the table.
    rows.sort_by_key(|row| name(row.spelling));
    let mut page = INTRODUCTION.to_owned();
    let mut last = "";
    for Instruction { spelling, equation } in rows {
        if name(spelling) != last {
            last = name(spelling);
            write!(page, "\n## {last}\n\n| PTX | effect |\n|---|---|\n").unwrap();
        }
        let cell = |text: &str| text.replace('|', "\\|");
        writeln!(page, "| `{}` | {} |", cell(spelling), cell(equation)).unwrap();
    }
    page
}

#[test]
fn the_page_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../INSTRUCTIONS.md");
    let wanted = page(instructions());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&file, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "{} is out of date: run the command at its top", file.display());
}

#[test]
fn a_new_row_and_a_changed_equation_change_the_page() {
    let fresh = page(instructions());
    let added = Instruction { spelling: "frob.{x|y}", equation: "d = a | b" };
    let longer = page(instructions().chain([added]));
    assert_ne!(longer, fresh);
    assert!(
        longer.contains("\n## frob\n\n| PTX | effect |\n|---|---|\n| `frob.{x\\|y}` | d = a \\| b |\n"),
        "{longer}"
    );
    let changed = page(instructions().map(|row| Instruction { equation: "d = 0", ..row }));
    assert_ne!(changed, fresh);
}
