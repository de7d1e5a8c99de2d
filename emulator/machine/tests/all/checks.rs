//! Races, reads of uninitialized memory, divergent barriers: faulty kernels, each beside its correct twin.

use crate::support::machine::Shape;
use emulator::{Distance, Finding, FindingKind, Hazard, Memory, MemorySpace, Module, Options, check};
use std::sync::Arc;

/// A kernel of two blocks whose body may use `%t` (thread), `%s` (address of its word of `tile`), `%g` (of its word of
/// 512 bytes of global memory, of which the host wrote the first 256), `%v`, `%w`, `%x`, `%p`.
pub fn findings(threads: u32, body: &str) -> Vec<Finding> {
    let ptx = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 global) {{\n\
         .reg .b32 %t, %s, %v, %w, %x; .reg .b64 %g, %d; .reg .pred %p;\n.shared .align 16 .b8 tile[512];\n\
         mov.u32 %t, %tid.x;\nld.param.u64 %g, [global]; mul.wide.u32 %d, %t, 4; add.s64 %g, %g, %d;\nshl.b32 %s, %t, 2;\nmov.u32 %w, tile;\nadd.s32 %s, %s, %w;\n{body}\nret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 20));
    memory.track_writes(true);
    let global = memory.allocate(512).unwrap();
    memory.fill(global, &[0], 256).unwrap();
    let module = Module::load(&ptx, &memory).unwrap();
    let parameters = global.to_le_bytes();
    let launch = Shape::threads(threads).blocks(2).launch(&parameters);
    let verdict = check(&module.kernels()[0], &memory, &launch, &Options::default()).unwrap();
    assert_eq!(verdict.fault, None);
    verdict.findings
}

fn race(hazard: Hazard, inside_warp: bool) -> FindingKind {
    let distance = if inside_warp { Distance::InsideWarp } else { Distance::BetweenWarps };
    FindingKind::Race { memory: MemorySpace::Shared, hazard, distance }
}

pub fn kinds(found: &[Finding]) -> Vec<FindingKind> {
    found.iter().map(|finding| finding.kind).collect()
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

/// All lanes of a warp read a word at once, and lane 0 writes it: it races with the others, not with itself.
#[test]
fn no_thread_races_with_itself() {
    let body = "ld.shared.u32 %v, [%w];\nsetp.eq.u32 %p, %t, 0;\n@%p st.shared.u32 [%w], %t;";
    let found = findings(32, body);
    let race = found.iter().find(|finding| finding.kind == race(Hazard::WriteAfterRead, true)).expect("a race");
    let earlier = race.earlier.as_ref().expect("the read");
    assert_eq!([earlier.thread.x, race.access.thread.x], [1, 0]);
}

/// Lanes below 16 make a check that all of them pass, and then all reach a barrier.
fn barrier_after_a_check(failing: &str) -> Vec<FindingKind> {
    let check =
        "setp.ge.u32 %p, %t, 16;\n@%p bra MEET;\nsetp.ge.u32 %p, %t, 16;\n@%p bra FAIL;\nst.shared.u32 [%s], %t;";
    kinds(&findings(32, &format!("{check}\nMEET:\nbar.sync 0;\nret;\nFAIL:\n{failing}")))
}

#[test]
fn lanes_meet_behind_a_check_that_traps_and_only_in_the_end_behind_one_that_returns() {
    assert_eq!(barrier_after_a_check("trap;"), []);
    assert_eq!(barrier_after_a_check("ret;"), [FindingKind::DivergentBarrier]);
}

#[test]
fn a_missing_barrier_is_a_race_between_warps_with_both_lines() {
    let found = findings(64, &[EXCHANGE[0], EXCHANGE[2]].join("\n"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, race(Hazard::ReadAfterWrite, false));
    assert_eq!(found[0].count, 2 * 64, "two blocks of 64 threads");
    let text = found[0].to_string();
    assert_eq!(
        text,
        "race between warps in kernel `k`: shared memory at byte 128, 128 times\n  \
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
    assert_eq!(kinds(&found), [race(Hazard::WriteAfterRead, false)]);
}

/// Each lane writes a word and reads its neighbor's.
const NEIGHBOR: [&str; 3] = [
    "st.shared.u32 [%s], %t;",
    "bar.warp.sync 0xffffffff;",
    "xor.b32 %x, %t, 1;\nshl.b32 %x, %x, 2;\nadd.s32 %x, %x, %w;\nld.shared.u32 %v, [%x];",
];

#[test]
fn lockstep_is_no_order_inside_a_warp() {
    assert_eq!(findings(32, &NEIGHBOR.join("\n")), []);
    let found = findings(32, &[NEIGHBOR[0], NEIGHBOR[2]].join("\n"));
    assert_eq!(kinds(&found), [race(Hazard::ReadAfterWrite, true)]);
    assert!(
        found[0].to_string().starts_with("race within a warp (no __syncwarp between the write and the read) in kernel"),
        "{}",
        found[0]
    );
}

#[test]
fn a_barrier_of_the_warp_does_not_order_two_warps() {
    let found = findings(64, &[EXCHANGE[0], NEIGHBOR[1], EXCHANGE[2]].join("\n"));
    assert_eq!(kinds(&found), [race(Hazard::ReadAfterWrite, false)]);
}

#[test]
fn an_exchange_of_values_orders_no_memory() {
    let among = |exchange: &str| kinds(&findings(32, &[NEIGHBOR[0], exchange, NEIGHBOR[2]].join("\n")));
    for exchange in [
        "shfl.sync.idx.b32 %v, %t, 0, 31, 0xffffffff;",
        "shfl.sync.bfly.b32 %v, %t, 1, 31, 0xffffffff;",
        "vote.sync.ballot.b32 %v, %p, 0xffffffff;",
        "match.any.sync.b32 %v, %t, 0xffffffff;",
        "redux.sync.add.u32 %v, %t, 0xffffffff;",
        "activemask.b32 %v;",
        "membar.cta;",
        "vote.sync.ballot.b32 %v, %p, 0xffffffff;\nmembar.cta;",
    ] {
        assert_eq!(among(exchange), [race(Hazard::ReadAfterWrite, true)], "{exchange}");
        assert_eq!(among(&format!("{exchange}\nbar.warp.sync 0xffffffff;")), [], "{exchange}");
        let fenced = format!("fence.acq_rel.cta;\n{exchange}");
        let exchanges = exchange.contains(".sync");
        assert_eq!(among(&fenced).is_empty(), exchanges, "{fenced}");
    }
}

/// All lanes read the first word, lane 1 its own, and lane 1 stores there.
const LAST_READER_WRITES: [&str; 4] = [
    "st.shared.u32 [%s], %t;\nbar.sync 0;\nsetp.eq.u32 %p, %t, 1;",
    "ld.shared.u32 %v, [tile+4];",
    "bar.warp.sync 0xffffffff;",
    "ld.shared.u32 %x, [%s];\nadd.s32 %x, %x, %v;\n@%p st.shared.u32 [%s], %x;",
];

#[test]
fn the_last_reader_of_a_word_does_not_hide_the_readers_before() {
    assert_eq!(findings(32, &LAST_READER_WRITES.join("\n")), []);
    let [begin, all_read, _, own] = LAST_READER_WRITES;
    let found = findings(32, &[begin, all_read, own].join("\n"));
    assert_eq!(kinds(&found), [race(Hazard::WriteAfterRead, true)]);
    let words = found[0].to_string();
    assert!(words.contains("read at PTX line 15: ld.shared.u32 %v, [tile+4]"), "{words}");
    let one_by_one = "setp.eq.u32 %p, %t, 0;\n@%p ld.shared.u32 %v, [tile+4];\nsetp.eq.u32 %p, %t, 1;";
    let found = findings(32, &[begin, one_by_one, own].join("\n"));
    assert_eq!(kinds(&found), [race(Hazard::WriteAfterRead, true)]);
}

/// Half a warp reads the first word at once and meets, and then one lane stores there.
fn store_after_half_a_warp_has_read(lane: u32) -> Vec<Finding> {
    let body = format!(
        "st.shared.u32 [%s], %t;\nbar.sync 0;\nsetp.ge.u32 %p, %t, 16;\n@%p bra there;\nld.shared.u32 %v, [tile];\n\
         bar.warp.sync 0xffff;\nthere: setp.eq.u32 %p, %t, {lane};\n@%p st.shared.u32 [tile], %t;"
    );
    findings(32, &body)
}

#[test]
fn lanes_that_read_together_are_ordered_by_a_barrier_of_their_own() {
    assert_eq!(store_after_half_a_warp_has_read(3), []);
    assert_eq!(kinds(&store_after_half_a_warp_has_read(20)), [race(Hazard::WriteAfterRead, true)]);
}

#[test]
fn different_values_to_one_word_race_and_equal_ones_do_not() {
    assert_eq!(findings(32, "st.shared.u32 [tile], 7;"), []);
    let found = findings(32, "st.shared.u32 [tile], %t;");
    assert_eq!(kinds(&found), [race(Hazard::WriteAfterWrite, true)]);
}

#[test]
fn atomics_do_not_race_with_each_other_but_with_plain_stores() {
    let (clear, add) = ("setp.ne.u32 %p, %t, 0;\n@!%p st.shared.u32 [tile], 0;", "red.shared.add.u32 [tile], 1;");
    assert_eq!(findings(64, &[clear, "bar.sync 0;", add].join("\n")), []);
    let found = findings(64, &[clear, add].join("\n"));
    assert_eq!(kinds(&found), [race(Hazard::WriteAfterWrite, false)], "that inside the warp is of the same lines");
}

/// Has each thread read one of 256 bytes, of which the host has written bytes 60 to 159, from byte `first` on.
fn uninitialized_bytes(first: u32, threads: u32) -> Vec<(FindingKind, u64)> {
    let ptx = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 bytes) {\n\
               .reg .b32 %t; .reg .b64 %g, %d;\nmov.u32 %t, %tid.x; ld.param.u64 %g, [bytes];\n\
               cvt.u64.u32 %d, %t; add.u64 %g, %g, %d;\nld.global.u8 %t, [%g];\nret;\n}\n";
    let memory = Arc::new(Memory::new(1 << 20));
    memory.track_writes(true);
    let bytes = memory.allocate(256).unwrap();
    memory.write(bytes + 60, &[7; 100]).unwrap();
    let module = Module::load(ptx, &memory).unwrap();
    let parameters = (bytes + u64::from(first)).to_le_bytes();
    let launch = Shape::threads(threads).launch(&parameters);
    let verdict = check(&module.kernels()[0], &memory, &launch, &Options::default()).unwrap();
    verdict.findings.iter().map(|finding| (finding.kind, finding.count)).collect()
}

#[test]
fn a_write_by_the_host_initializes_its_bytes_and_no_others() {
    assert_eq!(uninitialized_bytes(60, 100), []);
    let global = FindingKind::Uninitialized { memory: MemorySpace::Global };
    assert_eq!(uninitialized_bytes(59, 100), [(global, 1)]);
    assert_eq!(uninitialized_bytes(61, 100), [(global, 1)]);
    assert_eq!(uninitialized_bytes(0, 256), [(global, 156)]);
}

#[test]
fn a_read_of_what_nobody_wrote_is_found() {
    assert_eq!(findings(32, "st.shared.u32 [%s], %t;\nld.shared.u32 %v, [%s];"), []);
    let found = findings(32, "setp.lt.u32 %p, %t, 31;\n@%p st.shared.u32 [%s], %t;\nld.shared.u32 %v, [%s];");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, found[0].count),
        (FindingKind::Uninitialized { memory: MemorySpace::Shared }, 2),
        "lane 31 of two blocks"
    );
    assert!(found[0].to_string().contains("PTX line 14: ld.shared.u32 %v, [%s];"), "{}", found[0]);
}

#[test]
fn blocks_do_not_share_their_memory() {
    // Both blocks write different values to the same address of their own memory.
    let body = "mov.u32 %v, %ctaid.x;\nsetp.ne.u32 %p, %t, 0;\n@!%p st.shared.u32 [tile], %v;";
    assert_eq!(findings(32, body), []);
}

fn global_race(hazard: Hazard, distance: Distance) -> FindingKind {
    FindingKind::Race { memory: MemorySpace::Global, hazard, distance }
}

/// Lane 0 of block 0 alone.
const FIRST: &str = "mov.u32 %x, %ctaid.x;\nor.b32 %x, %x, %t;\nsetp.eq.u32 %p, %x, 0;\n";

#[test]
fn global_memory_is_ordered_by_barriers_inside_a_block_alone() {
    let only_first_block = "mov.u32 %x, %ctaid.x;\nsetp.ne.u32 %p, %x, 0;\n@%p exit;\n";
    let neighbor = "xor.b32 %x, %t, 32;\nsub.s32 %x, %x, %t;\nmul.wide.s32 %d, %x, 4;\nadd.s64 %d, %g, %d;\n\
                     ld.global.u32 %v, [%d];";
    let store = "st.global.u32 [%g], %t;";
    let exchange = |between: &str| findings(64, &[only_first_block, store, between, neighbor].join("\n"));
    assert_eq!(exchange("bar.sync 0;"), []);
    assert_eq!(kinds(&exchange("")), [global_race(Hazard::ReadAfterWrite, Distance::BetweenWarps)]);
}

#[test]
fn blocks_that_write_one_word_race_unless_they_add_atomically() {
    let index = "mov.u32 %v, %ctaid.x;\n";
    assert_eq!(findings(1, "red.global.add.u32 [%g], 1;"), []);
    let found = findings(1, &format!("{index}st.global.u32 [%g], %v;"));
    assert_eq!(kinds(&found), [global_race(Hazard::WriteAfterWrite, Distance::BetweenBlocks)]);
    let text = found[0].to_string();
    assert!(text.contains("race between blocks in kernel `k`: global memory at 0x7"), "{text}");
    assert!(text.contains("of block (0, 0, 0)") && text.contains("of block (1, 0, 0)"), "{text}");
    let lost_update = "ld.global.u32 %v, [%g];\nadd.u32 %v, %v, 1;\nst.global.u32 [%g], %v;";
    assert!(!findings(1, lost_update).is_empty());
}

/// Block 0 stores a word and sets a flag, and block 1 reads both, with fences between them.
fn hand_over([fence, after]: [&str; 2], flag: &str) -> Vec<Finding> {
    let write = format!("@%p st.global.u32 [%g], 7;\n{fence}\n@%p st{flag}.global.u32 [%g+4], 1;");
    let read = format!("@%p ld{flag}.global.u32 %v, [%g+4];\n{after}\n@%p ld.global.u32 %v, [%g];");
    findings(1, &format!("{FIRST}{write}\nmov.u32 %x, %ctaid.x;\nsetp.eq.u32 %p, %x, 1;\n{read}"))
}

#[test]
fn fences_and_a_flag_hand_memory_over_to_other_blocks() {
    let race = global_race(Hazard::ReadAfterWrite, Distance::BetweenBlocks);
    let gl = "membar.gl;";
    assert_eq!(hand_over([gl, gl], ".volatile"), []);
    assert_eq!(hand_over(["fence.acq_rel.gpu;"; 2], ".relaxed.gpu"), []);
    assert_eq!(kinds(&hand_over(["", gl], ".volatile")), [race]);
    assert_eq!(kinds(&hand_over(["membar.cta;", gl], ".volatile")), [race], "a fence for the block reaches no other");
    assert_eq!(kinds(&hand_over([gl, gl], "")), [race; 2], "who reads plainly learns of nothing");
    let release = "@%p st.release.gpu.global.u32 [%g+8], 1;\n@!%p ld.acquire.gpu.global.u32 %v, [%g+8];";
    assert_eq!(hand_over([release, ""], ".volatile"), [], "a release and an acquire need no fences");
}

#[test]
fn the_reader_of_a_flag_needs_a_fence_too() {
    let missing = FindingKind::MissingAcquire { memory: MemorySpace::Global };
    for flag in [".volatile", ".relaxed.gpu"] {
        assert_eq!(kinds(&hand_over(["membar.gl;", ""], flag)), [missing], "{flag}");
        for after in ["membar.cta;", "fence.acq_rel.gpu;", "bar.sync 0;", "vote.sync.ballot.b32 %t, %p, 1;"] {
            assert_eq!(hand_over(["membar.gl;", after], flag), [], "{flag} {after}");
        }
    }
    let found = hand_over(["membar.gl;", ""], ".volatile");
    let text = found[0].to_string();
    assert!(text.starts_with("race (no __threadfence between the load of a flag and the read of what it"), "{text}");
    assert!(text.contains("\n  write at PTX line 15: ") && text.contains("\n  read at PTX line 22: "), "{text}");
}

/// The last of two blocks reads what both have stored before they took a ticket.
#[test]
fn partial_sums_without_a_fence_are_found_through_volatile_too() {
    let last_block = |store: &str, fence: &str, load: &str| {
        let ticket = "mov.u32 %v, 1;\natom.global.add.u32 %v, [%d+4], %v;\nsetp.eq.u32 %p, %v, 1;";
        let own = "mov.u32 %x, %ctaid.x;\nmov.u64 %d, %g;\nmul.wide.u32 %g, %x, 128;\nadd.s64 %g, %d, %g;";
        let body = format!("{own}\n{store}.global.u32 [%g], 7;\n{fence}\n{ticket}\n@%p {load}.global.u32 %v, [%d];");
        kinds(&findings(1, &body))
    };
    let race = global_race(Hazard::ReadAfterWrite, Distance::BetweenBlocks);
    for store in ["st", "st.volatile", "st.relaxed.gpu"] {
        for load in ["ld", "ld.volatile", "ld.relaxed.gpu"] {
            assert_eq!(last_block(store, "membar.gl;", load), [], "{store}, {load}");
            assert_eq!(last_block(store, "", load), [race], "{store}, {load}");
            assert_eq!(last_block(store, "membar.cta;", load), [race], "{store}, {load}");
        }
    }
    assert_eq!(
        last_block("st.release.gpu", "", "ld.volatile"),
        [race],
        "a release orders what precedes it, not itself"
    );
}

/// A flag needs no fence: who polls it does not rely on what its writer does later.
#[test]
fn a_polled_flag_and_a_sum_of_atomics_need_no_fence() {
    let flag = format!(
        "{FIRST}@%p st.volatile.global.u32 [%g], 1;\n@%p st.volatile.global.u32 [%g+4], 1;\n\
         @!%p ld.volatile.global.u32 %v, [%g];\n@!%p ld.volatile.global.u32 %v, [%g+4];"
    );
    assert_eq!(findings(1, &flag), []);
    let sums = "red.global.add.u32 [%g], 1;\nred.global.add.u32 [%g+4], 1;\nld.volatile.global.u32 %v, [%g+4];\n\
                ld.volatile.global.u32 %v, [%g];";
    assert_eq!(findings(1, sums), []);
}

#[test]
fn an_atomic_on_memory_that_nobody_wrote_is_found() {
    let [shared, global] =
        [MemorySpace::Shared, MemorySpace::Global].map(|memory| FindingKind::Uninitialized { memory });
    let found = findings(32, "red.shared.add.u32 [tile], 1;");
    assert_eq!((kinds(&found), found[0].count), (vec![shared], 2), "the first lane of two blocks");
    assert_eq!(findings(32, "@!%p st.shared.u32 [tile], 0;\nbar.sync 0;\nred.shared.add.u32 [tile], 1;"), []);
    let found = findings(1, "atom.global.cas.b32 %v, [%g+256], 0, 1;");
    assert_eq!((kinds(&found), found[0].count), (vec![global], 1), "the first of two blocks");
    assert_eq!(findings(1, "atom.global.add.u32 %v, [%g], 1;"), [], "the host wrote it");
    assert_eq!(
        findings(1, "atom.global.exch.b32 %v, [%g+256], 1;"),
        [],
        "an exchange does not depend on the old value"
    );
}

#[test]
fn a_read_of_global_memory_that_neither_host_nor_kernel_wrote_is_found() {
    assert_eq!(findings(64, "ld.global.u32 %v, [%g];"), [], "the host wrote 64 words");
    let found = findings(65, "ld.global.u32 %v, [%g];");
    assert_eq!(kinds(&found), [FindingKind::Uninitialized { memory: MemorySpace::Global }]);
    assert_eq!(found[0].count, 2, "thread 64 of two blocks");
    let written_first = format!("{FIRST}@%p st.global.u32 [%g+256], 7;\n@%p ld.global.u32 %v, [%g+256];");
    assert_eq!(findings(1, &written_first), []);
}

#[test]
fn bytes_beside_each_other_do_not_race() {
    let bytes = "add.s32 %s, %w, %t;\nst.shared.u8 [%s], %t;";
    assert_eq!(findings(64, bytes), []);
    let overlap = findings(64, &format!("{bytes}\nadd.s32 %w, %w, 64;\n@!%p st.shared.u32 [tile], %t;"));
    assert!(kinds(&overlap).contains(&race(Hazard::WriteAfterWrite, true)), "{overlap:?}");
}

#[test]
fn vector_stores_are_compared_part_by_part() {
    assert_eq!(findings(32, "st.shared.v2.u32 [tile], {7, 8};"), []);
    assert_eq!(kinds(&findings(32, "st.shared.v2.u32 [tile], {7, %t};")), [race(Hazard::WriteAfterWrite, true)]);
}

#[test]
fn a_synchronized_part_of_a_warp_is_ordered_and_the_rest_is_not() {
    // Lanes 0 to 15 exchange in pairs after a barrier for them alone; lanes 16 to 31 do so without.
    let half = "setp.ge.u32 %p, %t, 16;\n@%p bra other;\nbar.warp.sync 0x0000ffff;\nother:\n";
    let found = findings(32, &[NEIGHBOR[0], half, NEIGHBOR[2]].join("\n"));
    assert_eq!(kinds(&found), [race(Hazard::ReadAfterWrite, true)]);
    assert_eq!(found[0].count, 2 * 16, "{}", found[0]);
}

#[test]
fn halves_of_a_warp_that_wait_at_once_but_apart_are_not_ordered() {
    let masks = "mov.u32 %v, 0x0000ffff;\nsetp.ge.u32 %p, %t, 16;\n@%p mov.u32 %v, 0xffff0000;\nbar.warp.sync %v;";
    let other_half = "xor.b32 %x, %t, 16;\nshl.b32 %x, %x, 2;\nadd.s32 %x, %x, %w;\nld.shared.u32 %v, [%x];";
    assert_eq!(findings(32, &[NEIGHBOR[0], masks, NEIGHBOR[2]].join("\n")), [], "neighbors are in one half");
    let found = findings(32, &[NEIGHBOR[0], masks, other_half].join("\n"));
    assert_eq!(kinds(&found), [race(Hazard::ReadAfterWrite, true)]);
}

#[test]
fn a_barrier_that_half_a_warp_comes_to_is_found_though_the_rest_exits() {
    let clean = "setp.ge.u32 %p, %t, 32;\n@%p exit;\nbar.sync 0;";
    assert_eq!(findings(64, clean), [], "whole warps may leave");
    let body = "setp.ge.u32 %p, %t, 16;\n@%p bra over;\nbar.sync 0;\nexit;\nover:\n";
    let found = findings(32, body);
    assert_eq!(kinds(&found), [FindingKind::DivergentBarrier]);
    assert!(found[0].to_string().starts_with("barrier with divergent threads in a warp in kernel `k`, 32 times"));
    assert_eq!(findings(32, &body.replace("bar.sync 0;", "barrier.sync 0;")), [], "this one may be reached in parts");
}

/// The race of the line before follows from the barrier, which must be corrected first.
#[test]
fn a_barrier_under_a_condition_comes_before_the_race_that_it_makes() {
    let barrier = "setp.ge.u32 %p, %t, 36;\n@%p bra over;\nbar.sync 0;\nover:";
    let found = findings(64, &[EXCHANGE[0], EXCHANGE[2], barrier].join("\n"));
    assert_eq!(kinds(&found), [FindingKind::DivergentBarrier, race(Hazard::ReadAfterWrite, false)]);
    assert!(found[0].access.line > found[1].access.line);
}

/// As on an H200, where such kernels run to their end.
#[test]
fn a_barrier_in_a_guard_is_found_and_waits_for_no_thread_that_exits() {
    let found = findings(64, "setp.ge.u32 %p, %t, 36;\n@%p bra over;\nbar.sync 0;\nover:\n");
    assert_eq!(kinds(&found), [FindingKind::DivergentBarrier]);
    assert_eq!(found[0].count, 2 * 4, "the 4 lanes of the second warp of two blocks");
}

#[test]
fn a_shuffle_from_a_lane_that_does_not_exist_is_found() {
    let shuffle = "shfl.sync.down.b32 %v, %t, 16, 31, 0xffffffff;";
    assert_eq!(findings(32, shuffle), []);
    let found = findings(48, shuffle);
    assert_eq!(kinds(&found), [FindingKind::ShuffleFromInactive]);
    assert_eq!(found[0].count, 2 * 16, "the 16 lanes of the second warp of two blocks");
}

#[test]
fn a_mask_without_its_caller_is_found() {
    assert_eq!(findings(32, "bar.warp.sync 0xffffffff;"), []);
    let found = findings(32, "bar.warp.sync 0x7fffffff;");
    assert_eq!(kinds(&found), [FindingKind::MaskWithoutCaller]);
    assert_eq!(found[0].access.lane, 31);
}
