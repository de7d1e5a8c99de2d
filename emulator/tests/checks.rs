//! Races and uninitialised reads of shared memory: faulty kernels, each beside its correct twin.

use emulator::{Dim3, Finding, FindingKind, Hazard, Launch, Memory, Module, Options, check};
use std::sync::Arc;

/// A kernel of one block whose body may use `%t` (thread), `%s` (4 times thread), `%v`, `%w`, `%p` and `tile`.
fn findings(threads: u32, body: &str) -> Vec<Finding> {
    let ptx = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k() {{\n\
         .reg .b32 %t, %s, %v, %w, %x;\n.reg .pred %p;\n.shared .align 4 .b8 tile[512];\n\
         mov.u32 %t, %tid.x;\nshl.b32 %s, %t, 2;\nmov.u32 %w, tile;\nadd.s32 %s, %s, %w;\n{body}\nret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 20));
    let module = Module::load(&ptx, &memory).unwrap();
    let (grid, block) = (Dim3 { x: 2, y: 1, z: 1 }, Dim3 { x: threads, y: 1, z: 1 });
    let launch = Launch { grid, block, dynamic_shared_bytes: 0, parameters: &[] };
    check(&module.kernels()[0], &memory, &launch, &Options::default()).unwrap()
}

fn race(hazard: Hazard, inside_warp: bool) -> FindingKind {
    FindingKind::Race { hazard, inside_warp }
}

/// Each thread writes a word and reads the one 32 further on, modulo 64: that of the other warp.
const EXCHANGE: [&str; 3] = [
    "st.shared.u32 [%s], %t;",
    "bar.sync 0;",
    "xor.b32 %x, %t, 32;\nshl.b32 %x, %x, 2;\nadd.s32 %x, %x, %w;\nld.shared.u32 %v, [%x];",
];

#[test]
fn a_barrier_orders_the_warps_of_a_block() {
    assert_eq!(findings(64, &EXCHANGE.join("\n")), []);
}

#[test]
fn a_missing_barrier_is_a_race_between_warps_with_both_lines() {
    let found = findings(64, &[EXCHANGE[0], EXCHANGE[2]].join("\n"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, race(Hazard::ReadAfterWrite, false));
    assert_eq!(found[0].count, 2 * 64 * 4, "two blocks, 64 threads, 4 bytes each");
    let text = found[0].to_string();
    assert_eq!(
        text,
        "race between warps in kernel `k`: shared memory at byte 128, 512 times\n  \
         write at PTX line 12: st.shared.u32 [%s], %t;\n  by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)\n  \
         read at PTX line 16: ld.shared.u32 %v, [%x];\n  by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)"
    );
}

#[test]
fn overwriting_a_tile_before_all_have_read_it_is_a_write_after_read() {
    let [write, barrier, read] = EXCHANGE;
    let clean = [write, barrier, read, barrier, write].join("\n");
    assert_eq!(findings(64, &clean), []);
    let found = findings(64, &[write, barrier, read, write].join("\n"));
    assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [race(Hazard::WriteAfterRead, false)]);
}

/// Each lane writes a word and reads its neighbour's.
const NEIGHBOUR: [&str; 3] = [
    "st.shared.u32 [%s], %t;",
    "bar.warp.sync 0xffffffff;",
    "xor.b32 %x, %t, 1;\nshl.b32 %x, %x, 2;\nadd.s32 %x, %x, %w;\nld.shared.u32 %v, [%x];",
];

#[test]
fn lockstep_is_no_order_inside_a_warp() {
    assert_eq!(findings(32, &NEIGHBOUR.join("\n")), []);
    let found = findings(32, &[NEIGHBOUR[0], NEIGHBOUR[2]].join("\n"));
    assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [race(Hazard::ReadAfterWrite, true)]);
    assert!(found[0].to_string().starts_with("race inside a warp, without __syncwarp"), "{}", found[0]);
}

#[test]
fn a_barrier_of_the_warp_does_not_order_two_warps() {
    let found = findings(64, &[EXCHANGE[0], NEIGHBOUR[1], EXCHANGE[2]].join("\n"));
    assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [race(Hazard::ReadAfterWrite, false)]);
}

#[test]
fn a_shuffle_of_the_whole_warp_orders_it() {
    let shuffle = "shfl.sync.idx.b32 %v, %t, 0, 31, 0xffffffff;";
    assert_eq!(findings(32, &[NEIGHBOUR[0], shuffle, NEIGHBOUR[2]].join("\n")), []);
}

#[test]
fn different_values_to_one_word_race_and_equal_ones_do_not() {
    assert_eq!(findings(32, "st.shared.u32 [tile], 7;"), []);
    let found = findings(32, "st.shared.u32 [tile], %t;");
    assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [race(Hazard::WriteAfterWrite, true)]);
}

#[test]
fn atomics_do_not_race_with_each_other_but_with_plain_stores() {
    let (clear, add) = ("setp.ne.u32 %p, %t, 0;\n@!%p st.shared.u32 [tile], 0;", "red.shared.add.u32 [tile], 1;");
    assert_eq!(findings(64, &[clear, "bar.sync 0;", add].join("\n")), []);
    let found = findings(64, &[clear, add].join("\n"));
    let kinds: Vec<_> = found.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [race(Hazard::WriteAfterWrite, false), race(Hazard::WriteAfterWrite, true)]);
}

#[test]
fn a_read_of_what_nobody_wrote_is_found() {
    assert_eq!(findings(32, "st.shared.u32 [%s], %t;\nld.shared.u32 %v, [%s];"), []);
    let found = findings(32, "setp.lt.u32 %p, %t, 31;\n@%p st.shared.u32 [%s], %t;\nld.shared.u32 %v, [%s];");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].count), (FindingKind::Uninitialised, 2 * 4), "lane 31 of two blocks, 4 bytes");
    assert!(found[0].to_string().contains("PTX line 14: ld.shared.u32 %v, [%s];"), "{}", found[0]);
}

#[test]
fn blocks_do_not_share_their_memory() {
    // Both blocks write different values to the same address of their own memory.
    let body = "mov.u32 %v, %ctaid.x;\nsetp.ne.u32 %p, %t, 0;\n@!%p st.shared.u32 [tile], %v;";
    assert_eq!(findings(32, body), []);
}
