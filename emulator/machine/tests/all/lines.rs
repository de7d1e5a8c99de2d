//! Counters of each line of a launch under checks.

use emulator::{Counted, Counters, Dim3, InstructionCounters, Launch, Memory, Module, Options, check_counted, launch};
use std::sync::Arc;

/// Runs a kernel of one warp whose body may use `%t` (the thread), `%g` (the address of its word), `%s` (that of its word in shared
/// memory), `%p` and `%v`. Its first line is [`FIRST_LINE`].
fn counted(body: &str) -> Counted {
    let ptx = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 global) {{\n\
         .reg .b32 %t, %v, %s, %i; .reg .b64 %g, %d, %b; .reg .pred %p; .shared .align 4 .b8 room[4096];\n\
         mov.u32 %t, %tid.x; mov.u32 %s, room; mov.u32 %v, 0;\n\
         ld.param.u64 %b, [global];\nmul.wide.u32 %d, %t, 4;\nadd.s64 %g, %b, %d;\n{body}\nret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 20));
    let module = Module::load(&ptx, &memory).unwrap();
    let kernel = &module.kernels()[0];
    let one = Dim3 { x: 1, y: 1, z: 1 };
    let run = |counts: &dyn Fn(&Launch<'_>) -> (Counters, Option<Counted>)| {
        let global = memory.allocate(1 << 12).unwrap();
        memory.write(global, &[0; 1 << 12]).unwrap();
        let parameters = global.to_le_bytes();
        let block = Dim3 { x: 32, ..one };
        let (dynamic_shared_bytes, cooperative, cluster) = (0, false, None);
        counts(&Launch { grid: one, block, dynamic_shared_bytes, parameters: &parameters, cooperative, cluster })
    };
    let options = Options { counters: true, ..Options::default() };
    let (alone, _) = run(&|shape| (launch(kernel, &memory, shape, &options).unwrap(), None));
    let (total, counted) = run(&|shape| {
        let (verdict, counted) = check_counted(kernel, &memory, shape, &Options::default()).unwrap();
        assert_eq!(verdict.fault, None);
        (counted.total, Some(counted))
    });
    assert_eq!(total, alone, "counts under checks are those without");
    counted.unwrap()
}

const FIRST_LINE: u32 = 10;

fn at(counted: &Counted, line: u32) -> &InstructionCounters {
    counted.instructions.iter().find(|instruction| instruction.line == line).expect("a line that is executed")
}

#[test]
fn a_strided_store_has_its_sectors_and_the_least_possible_ones() {
    let counted =
        counted("st.global.u32 [%g], %v;\nmul.wide.u32 %d, %t, 64;\nadd.s64 %g, %b, %d;\nst.global.u32 [%g], %v;");
    let of = |line| {
        let found = at(&counted, line);
        (found.counters.global_store_sectors, found.shape.stored.least_sectors, found.counters.warp_instructions)
    };
    assert_eq!([of(FIRST_LINE), of(FIRST_LINE + 3)], [(4, 4, 1), (32, 4, 1)]);
}

#[test]
fn a_broadcast_needs_no_more_than_its_sector() {
    let counted = counted("ld.global.u32 %v, [%b];");
    let found = at(&counted, FIRST_LINE);
    assert_eq!((found.counters.global_load_sectors, found.shape.loaded.least_sectors), (1, 1));
}

#[test]
fn conflicts_are_at_their_line() {
    let counted = counted("mad.lo.u32 %s, %t, 128, %s;\nst.shared.u32 [%s], %v;\nld.shared.u32 %v, [%s];");
    let found = |line| at(&counted, line).counters;
    assert_eq!((found(FIRST_LINE + 1).shared_store_wavefronts, found(FIRST_LINE + 1).shared_store_conflicts), (32, 31));
    assert_eq!((found(FIRST_LINE + 2).shared_load_wavefronts, found(FIRST_LINE + 2).shared_load_conflicts), (32, 31));
    assert_eq!(found(FIRST_LINE).shared_store_conflicts, 0);
}

#[test]
fn a_divergent_branch_and_its_lanes_are_at_their_lines() {
    let counted = counted(
        "and.b32 %i, %t, 3;\nsetp.ne.u32 %p, %i, 0;\n@%p bra over;\nadd.u32 %v, %v, 1;\nover: st.global.u32 [%g], %v;",
    );
    let found = |line| at(&counted, line).counters;
    assert_eq!((found(FIRST_LINE + 2).branches, found(FIRST_LINE + 2).divergent_branches), (1, 1));
    assert_eq!((found(FIRST_LINE + 3).warp_instructions, found(FIRST_LINE + 3).thread_instructions), (1, 8));
    assert_eq!((found(FIRST_LINE + 4).warp_instructions, found(FIRST_LINE + 4).thread_instructions), (1, 32));
}

#[test]
fn atomics_on_one_address_have_one_distinct_address() {
    let counted = counted("red.global.add.u32 [%b], 1;\nred.global.add.u32 [%g], 1;\nbar.sync 0;");
    let of = |line| {
        let shape = at(&counted, line).shape;
        (shape.atomic_lanes, shape.atomic_addresses)
    };
    assert_eq!([of(FIRST_LINE), of(FIRST_LINE + 1)], [(32, 1), (32, 32)]);
    assert_eq!(counted.total.barriers, 1);
}

#[test]
fn local_memory_is_counted_at_its_line() {
    let counted = counted(
        "{ .local .align 4 .b8 array[64]; .reg .b32 %l; mov.u32 %l, array;\nst.local.u32 [%l], %v;\nld.local.u32 %v, [%l]; }",
    );
    let found = |line| at(&counted, line).counters;
    assert_eq!((found(FIRST_LINE + 1).local_store_sectors, found(FIRST_LINE + 2).local_load_sectors), (4, 4));
}
