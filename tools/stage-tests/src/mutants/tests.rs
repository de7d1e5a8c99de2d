//! The tests of the mutations and of the list.

use super::judge::{Noticed, Tally};
use super::mutation::{module_of, mutations, representative};
use super::share::Share;
use super::{Change, Equivalent, Judged, Survivor, complaints};

#[test]
fn shares_have_each_mutant_once() {
    let owners = |index| (0..3).filter(|&number| Share { number, count: 3 }.has(index)).count();
    assert!((1..100).all(|index| owners(index) == 1));
}

#[test]
fn what_shares_found_is_added_up_kernel_by_kernel() {
    let judged = |code, mutants: usize| {
        let mut tally = Tally::default();
        (0..mutants).for_each(|_| tally.add(Noticed::new()));
        Judged { kernels: vec![("k".into(), tally)], survivors: vec![survivor(code)] }
    };
    let mut all = Judged::default();
    [judged("if", 2), judged("while", 3)].into_iter().for_each(|share| all.add(share));
    assert_eq!(all.kernels.len(), 1);
    assert!(all.kernels[0].1.to_string().starts_with("       5"), "{}", all.kernels[0].1);
    assert_eq!(all.survivors.iter().map(|it| it.code.as_str()).collect::<Vec<_>>(), ["if", "while"]);
}

/// A guard, a comparison and a barrier, all of one line of a kernel file.
const PTX: &str = ".visible .entry k(\n)\n{\n.loc 1 7 5\nsetp.lt.u32 %p1, %r1, 64;\n.loc 1 0 5\n@%p1 bra $L;\nbar.sync 0;\n$L:\nret;\n}\n";

#[test]
fn each_mutation_changes_one_instruction() {
    let changed = |from: &str, to: &str| PTX.replacen(from, to, 1);
    let expected = [
        (Change::Strictness, changed("setp.lt.u32 %p1, %r1, 64;", "setp.le.u32 %p1, %r1, 64;")),
        (Change::Guard, changed("@%p1 bra $L;", "")),
        (Change::Barrier, changed("bar.sync 0;", "")),
    ];
    let texts: Vec<_> = mutations(PTX).iter().map(|it| (it.change, it.cuda_line, it.apply(PTX))).collect();
    assert_eq!(texts, expected.map(|(change, text)| (change, 7, text)));
}

/// A guard of the kernel, a bounds check that branches to a trap, one that branches around it, and one with another condition.
const CHECKED: &str = ".visible .entry k(\n)\n{\n.loc 1 7 5\nsetp.lt.u32 %p1, %r1, 64;\n@%p1 bra $L;\n.loc 1 8 5\n\
    setp.ge.u64 %p2, %rd1, 4;\n@%p2 bra $T;\nsetp.lt.u64 %p3, %rd2, 4;\nsetp.lt.u64 %p4, %rd3, 4;\n\
    and.pred %p5, %p3, %p4;\n@%p5 bra $L;\n$T:\n.loc 1 8 9\ntrap; exit;\n$L:\nret;\n}\n";

#[test]
fn checks_of_bounds_are_left_as_they_are_and_guards_are_not() {
    let found = |ptx: &str| representative(ptx).iter().map(|it| (it.change, it.cuda_line)).collect::<Vec<_>>();
    assert_eq!(found(CHECKED), [(Change::Strictness, 7), (Change::Guard, 7)]);
    assert_eq!(found(&CHECKED.replace("trap;", "{ // panic_\n} // panic_\ntrap;")).len(), 2);
    let without_trap = CHECKED.replace("trap; exit;", "ret;");
    let of_line_8 = [(Change::Strictness, 8), (Change::Guard, 8), (Change::HalfCondition, 8)];
    assert_eq!(found(&without_trap)[2..], of_line_8);
}

#[test]
fn a_line_has_one_mutation_of_each_kind() {
    let unrolled = PTX.replace("bar.sync 0;", "bar.sync 0;\nbar.sync 0;\nbar.sync 0;");
    assert_eq!(mutations(&unrolled).len(), 5);
    assert_eq!(representative(&unrolled).len(), 3);
}

#[test]
fn an_instruction_in_a_block_of_inline_assembly_is_changed() {
    let block =
        "{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%r1], %r2; selp.u32 %r3, 1, 0, over; }";
    let ptx = PTX.replace("bar.sync 0;", block);
    let ignored = ptx.replace("over, [%r1], %r2;", "over, [%r1], 0;");
    assert!(mutations(&ptx).iter().any(|it| it.change == Change::Phase && it.apply(&ptx) == ignored));
}

#[test]
fn an_entry_point_is_cut_out_of_its_module() {
    let module = format!("head\n{}{PTX}\t.file 1\n", PTX.replace("k(", "k_64("));
    assert_eq!(module_of(&module, "k"), format!("head\n{PTX}\t.file 1\n"));
}

fn survivor(code: &'static str) -> Survivor {
    Survivor { kernel: "k".into(), code: code.into(), change: Change::Guard, instruction: "@%p bra -> nothing".into() }
}

const LISTED: Equivalent = Equivalent { kernels: &["k"], code: "if", changes: &[(Change::Guard, 2)], reason: "why" };

#[test]
fn the_list_is_what_nobody_notices() {
    assert_eq!(complaints(&[survivor("if"), survivor("if")], &[LISTED]), "");
}

#[test]
fn a_survivor_that_is_not_listed_is_a_complaint() {
    let complaints = complaints(&[survivor("while"), survivor("if"), survivor("if")], &[LISTED]);
    assert_eq!(complaints, "nobody notices in k: Guard, `while`\n    @%p bra -> nothing\n");
}

#[test]
fn an_entry_that_is_noticed_or_names_no_mutant_is_a_complaint() {
    let complaints = |survivors: &[Survivor]| complaints(survivors, &[LISTED]);
    assert_eq!(complaints(&[survivor("if")]), "the list has 2 of Guard in k, `if` (why), but 1 go unnoticed\n");
    assert!(complaints(&[]).ends_with("but 0 go unnoticed\n"));
}
