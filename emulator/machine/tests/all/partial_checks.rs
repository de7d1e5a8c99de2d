//! Long launches, of whose blocks only a part is checked.

use crate::support::machine::Shape;
use emulator::{Counted, FaultKind, FindingKind, Memory, Module, Options, Verdict, check_counted};
use std::sync::Arc;

const BLOCKS: u32 = 2000;

/// Runs many blocks of 32 threads, whose body may use `%t` (thread), `%b` (block), `%g` (address of the thread's word of global
/// memory), `%v`, `%p`. Returns also the words.
fn run(body: &str, check_limit: Option<u64>) -> (Verdict, Counted, Vec<u32>) {
    let ptx = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 global) {{\n\
         .reg .b32 %t, %b, %i, %v; .reg .b64 %first, %g, %d; .reg .pred %p;\n.shared .b32 word;\n\
         mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 32, %t;\n\
         ld.param.u64 %first, [global]; mul.wide.u32 %d, %i, 4; add.s64 %g, %first, %d;\n{body}\nret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 24));
    memory.track_writes(true);
    let words = 32 * BLOCKS as usize;
    let global = memory.allocate(4 * words as u64).unwrap();
    memory.fill(global, &[0; 4], words as u64).unwrap();
    let module = Module::load(&ptx, &memory).unwrap();
    let parameters = global.to_le_bytes();
    let launch = Shape::threads(32).blocks(BLOCKS).launch(&parameters);
    let options = Options { check_limit, ..Options::default() };
    let (verdict, counted) = check_counted(&module.kernels()[0], &memory, &launch, &options).unwrap();
    let mut bytes = vec![0; 4 * words];
    memory.read(global, &mut bytes).unwrap();
    let (words, _) = bytes.as_chunks();
    (verdict, counted, words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

const LIMIT: Option<u64> = Some(1000);

#[test]
fn all_blocks_run_and_the_first_and_some_others_are_checked() {
    let body = "mad.lo.u32 %v, %b, 32, %t;\nst.global.u32 [%g], %v;";
    let (verdict, counted, words) = run(body, LIMIT);
    assert_eq!(verdict, Verdict::default());
    assert!(words.iter().enumerate().all(|(index, &word)| word == index as u32));
    assert!((16..1000).contains(&counted.blocks), "{}", counted.blocks);
    assert_eq!(counted.total.global_store_requests, counted.blocks);
    let (_, all, same) = run(body, None);
    assert_eq!((all.blocks, all.total.global_store_requests), (u64::from(BLOCKS), u64::from(BLOCKS)));
    assert_eq!(same, words);
}

#[test]
fn mistakes_of_many_blocks_are_found_and_so_is_one_of_the_last() {
    let of_all = "st.shared.u32 [word], %t;";
    let of_last = format!("setp.eq.u32 %p, %b, {};\n@%p {of_all}", BLOCKS - 1);
    for body in [of_all, &of_last] {
        let (verdict, counted, _) = run(body, LIMIT);
        assert!(matches!(verdict.findings[0].kind, FindingKind::Race { .. }), "{body}: {verdict:?}");
        assert!(counted.blocks < 1000, "{}", counted.blocks);
    }
}

#[test]
fn every_block_is_checked_for_accesses_out_of_bounds() {
    for block in [0, 777, 1234, BLOCKS - 1] {
        let body = format!("setp.eq.u32 %p, %b, {block};\n@%p ld.global.u32 %v, [%g+262144];");
        let fault = run(&body, LIMIT).0.fault.unwrap_or_else(|| panic!("no fault in block {block}"));
        assert_eq!((fault.kind, fault.place.block.x), (FaultKind::OutOfBounds, block));
    }
}

#[test]
fn blocks_that_depend_on_others_are_all_checked() {
    for body in [
        "atom.global.add.u32 %v, [%first], 1;\nst.global.u32 [%g+128], %v;",
        "ld.volatile.global.u32 %v, [%first];\nst.volatile.global.u32 [%first], %v;",
    ] {
        let body = format!("setp.lt.u32 %p, %b, {};\n@!%p ret;\n{body}", BLOCKS - 1);
        assert_eq!(run(&body, LIMIT).1.blocks, u64::from(BLOCKS), "{body}");
    }
    assert!(run("red.global.add.u32 [%first], 1;", LIMIT).1.blocks < 1000);
}
