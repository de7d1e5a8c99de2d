//! Barriers and warp-level instructions that not all threads execute together: faulty kernels, each beside its correct twins.

use crate::checks::{findings, kinds};
use emulator::FindingKind::{
    self, AbsentLanes, DifferentBarriers, DifferentMasks, DifferentRounds, DivergentBarrier, PartOfWarp,
};

/// Warp 0 and the other warps take branches of their own.
fn branches(first: &str, others: &str) -> Vec<FindingKind> {
    let body = format!(
        ".file 1 \"a.cu\"\n.file 2 \"a.h\"\nsetp.lt.u32 %p, %t, 32;\n@%p bra FIRST;\n{others}\nbra.uni END;\nFIRST:\n{first}\nEND:"
    );
    kinds(&findings(64, &body))
}

#[test]
fn barriers_of_two_branches_are_found() {
    let body = "setp.lt.u32 %p, %t, 32;\n@%p bra FIRST;\nbar.sync 0;\nbra.uni END;\nFIRST:\nbar.sync 0;\nEND:";
    let found = findings(96, body);
    assert_eq!(kinds(&found), [DifferentBarriers]);
    assert_eq!((found[0].count, found[0].access.thread.x), (2 * 32, 0), "warp 0 of two blocks");
    assert_eq!(found[0].access.line - found[0].earlier.as_ref().unwrap().line, 3);
    for (first, others) in [
        ("bar.sync 0;", "bar.red.popc.u32 %v, 0, %p;"),
        ("barrier.sync 0;", "barrier.sync 0;"),
        ("bar.red.or.pred %p, 0, %p;", "bar.sync 0;"),
        ("bar.sync 0;\nbar.sync 0;", "bar.sync 0;\nst.shared.u32 [%s], %t;\nbar.sync 0;"),
    ] {
        assert_eq!(branches(first, others)[0], DifferentBarriers, "{first}\n{others}");
    }
}

/// Roles of warps, which meet at a barrier with a number or a count of their own.
#[test]
fn barriers_of_roles_are_not() {
    for (first, others) in [
        ("bar.sync 1, 64;", "bar.sync 1, 64;"),
        ("bar.sync 0, 64;", "bar.sync 0, 64;"),
        ("bar.sync 1;", "bar.sync 1;"),
        ("bar.sync 1, 64;\nbar.arrive 2, 64;", "bar.arrive 1, 64;\nbar.sync 2, 64;"),
        ("barrier.sync.aligned 3, 32;", "barrier.sync 4, 32;"),
    ] {
        assert_eq!(branches(first, others), [], "{first}\n{others}");
    }
    assert_eq!(branches("exit;", "bar.sync 0;"), [], "warp 0 has exited");
}

#[test]
fn what_a_compiler_writes_twice_is_one_barrier() {
    let places = |first: &str, others: &str| {
        let at = |location: &str| format!(".loc 1 7 3\n.loc 1 8 3\n{location}\nbar.sync 0;");
        branches(&at(first), &at(others))
    };
    let inlined = |line: u32| format!(".loc 1 {line} 3\n.loc 2 4 5, function_name $L, inlined_at 1 {line} 3");
    assert_eq!(places(".loc 1 5 3", ".loc 1 5 3"), []);
    assert_eq!(places(&inlined(7), &inlined(7)), []);
    assert_eq!(places(".loc 1 5 3", ".loc 1 6 3"), [DifferentBarriers]);
    assert_eq!(places(".loc 1 5 3", ".loc 1 5 30"), [DifferentBarriers], "two in one line");
    assert_eq!(places(&inlined(7), &inlined(8)), [DifferentBarriers], "two calls of one function");
    assert_eq!(places(".loc 1 0 0", ".loc 1 0 0"), [DifferentBarriers], "no line is no place");
}

/// Warps go through a loop with a barrier `few` or `many` times, and then reach a second one.
#[test]
fn warps_that_leave_a_loop_earlier_meet_at_another_barrier() {
    let rounds = |few: u32, many: u32| {
        let text = format!(
            "setp.lt.u32 %p, %t, 32;\nselp.u32 %x, {few}, {many}, %p;\nmov.u32 %v, 0;\nLOOP:\nbar.sync 0;\n\
             add.u32 %v, %v, 1;\nsetp.lt.u32 %p, %v, %x;\n@%p bra LOOP;\nbar.sync 0;"
        );
        kinds(&findings(64, &text))
    };
    assert_eq!(rounds(3, 3), []);
    assert_eq!(rounds(1, 2), [DifferentBarriers]);
}

#[test]
fn a_barrier_for_a_part_of_a_warp_says_so() {
    let found = findings(64, "setp.ge.u32 %p, %t, 48;\n@%p bra OVER;\nbar.sync 1, 48;\nOVER:");
    assert_eq!(kinds(&found), [PartOfWarp { threads: 48 }]);
    let text =
        "barrier for 48 threads (the number must be a multiple of 32, the size of a warp) in kernel `k`, 96 times";
    assert_eq!(found[0].to_string().lines().next(), Some(text));
    assert_eq!(kinds(&findings(32, "mov.u32 %v, 33;\nbar.arrive 1, %v;")), [PartOfWarp { threads: 33 }]);
    assert_eq!(kinds(&findings(64, "bar.sync 1, 64;")), []);
    let body = "setp.ge.u32 %p, %t, 48;\n@%p bra OVER;\nbar.sync 1, 64;\nOVER:";
    assert_eq!(kinds(&findings(64, body)), [DivergentBarrier], "the number is right");
}

#[test]
fn line_0_is_no_line() {
    let body =
        "bar.sync 0;\n.file 1 \"a.cu\"\n.loc 1 0 3\nst.shared.u32 [tile], 1;\n.loc 1 9 3\nld.shared.u32 %v, [tile];";
    let found = findings(64, body);
    assert_eq!(found[0].earlier.as_ref().unwrap().location, None);
    assert_eq!(found[0].access.location, Some(("a.cu".to_owned(), 9)));
}

const COLLECTIVES: [&str; 6] = [
    "vote.sync.ballot.b32 %v, %p, -1;",
    "shfl.sync.idx.b32 %v, %t, 0, 31, -1;",
    "match.any.sync.b32 %v, %t, -1;",
    "match.all.sync.b32 %v|%p, %t, -1;",
    "vote.sync.any.pred %p, %p, -1;",
    "bar.warp.sync -1;",
];

/// Lanes below 16 execute `inside`; all go on with `after`.
fn half(inside: &str, after: &str) -> Vec<FindingKind> {
    kinds(&findings(32, &format!("setp.ge.u32 %p, %t, 16;\n@%p bra OVER;\n{inside}\nOVER:\n{after}")))
}

#[test]
fn lanes_that_are_named_and_go_on_are_found() {
    let effects = [
        "st.shared.u32 [%s], %t;",
        "red.shared.add.u32 [%s], 1;",
        "vote.sync.any.pred %p, %p, 0xffff0000;",
        "setp.lt.u32 %p, %t, 16;\n@!%p st.shared.u32 [%s], %t;",
    ];
    for inside in COLLECTIVES {
        let store = "setp.ge.u32 %p, %t, 16;\n@%p st.shared.u32 [%s], %t;";
        assert_eq!(half(inside, store), [AbsentLanes], "{inside}");
    }
    for effect in &effects[..2] {
        let clean = format!("st.shared.u32 [%s], 0;\n{}", COLLECTIVES[0]);
        assert_eq!(kinds(&findings(32, &format!("{clean}\n{effect}"))), [], "{effect}");
    }
    assert_eq!(half(COLLECTIVES[0], effects[0]), [AbsentLanes]);
    assert_eq!(half(COLLECTIVES[0], effects[3]), [AbsentLanes]);
    let found = half(COLLECTIVES[0], &format!("setp.lt.u32 %p, %t, 16;\n@%p exit;\n{}", effects[2]));
    assert_eq!(found, [AbsentLanes], "another warp-level instruction");
    // They may store in the other branch, too, which is before the vote or behind it.
    let other = |first: &str, second: &str| {
        half(&format!("{first}\nbra.uni END;"), &format!("{second}\nEND:")).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(other(COLLECTIVES[0], effects[0]), [AbsentLanes]);
    assert_eq!(other(effects[0], COLLECTIVES[0]), [AbsentLanes]);
}

#[test]
fn lanes_that_only_return_are_not() {
    let all_store = "st.shared.u32 [%s], %t;";
    let read = "ld.global.u32 %v, [%g];\nadd.u32 %v, %v, 1;";
    for collective in COLLECTIVES.map(|collective| collective.replace("idx.b32 %v, %t, 0", "bfly.b32 %v, %t, 1")) {
        for guard in ["@%p exit;", "@%p bra END;", "@%p bra RETURN;"] {
            let body = format!(
                "{all_store}\nsetp.ge.u32 %p, %t, 16;\n{guard}\n{collective}\nst.shared.u32 [%s], %v;\n{collective}\n\
                 bra.uni END;\nRETURN:\n{read}\nret;\nEND:"
            );
            assert_eq!(kinds(&findings(32, &body)), [], "{collective} {guard}");
            assert_eq!(kinds(&findings(24, &body)), [], "{collective} {guard}: a part of a warp");
        }
        assert_eq!(half(&collective, ""), [], "{collective}");
        assert_eq!(half(&collective, read), [], "{collective}");
    }
}

/// Lanes store in a branch, meet again, and only then leave.
#[test]
fn what_lanes_do_before_they_part_from_the_others_does_not_count() {
    let body = "setp.ge.u32 %p, %t, 20;\n@!%p bra OVER;\nst.shared.u32 [%s], %t;\nOVER:\nsetp.ge.u32 %p, %t, 16;\n\
                @%p bra END;\nvote.sync.ballot.b32 %v, %p, -1;\nst.shared.u32 [%s], %v;\nEND:";
    assert_eq!(kinds(&findings(32, body)), []);
}

#[test]
fn masks_of_the_lanes_that_come_are_right() {
    let own = "activemask.b32 %x;\nvote.sync.ballot.b32 %v, %p, %x;\nst.shared.u32 [%s], %v;";
    assert_eq!(half(own, "st.shared.u32 [%s], %t;"), []);
    let stale = "activemask.b32 %x;\nsetp.ge.u32 %p, %t, 16;\n@%p bra OVER;\nvote.sync.ballot.b32 %v, %p, %x;\nOVER:\n";
    assert_eq!(kinds(&findings(32, &format!("{stale}st.shared.u32 [%s], %t;"))), [AbsentLanes]);
    assert_eq!(kinds(&findings(32, stale)), []);
    // Tiles of 16 lanes, of which the second parts again before its vote.
    let tiles = "and.b32 %x, %t, 16;\nshl.b32 %x, 0xffff, %x;\nsetp.lt.u32 %p, %t, 24;\n@%p bra VOTE;\nadd.u32 %v, %t, 1;\n\
                 st.shared.u32 [%s], %v;\nVOTE:\nvote.sync.ballot.b32 %v, %p, %x;\nst.shared.u32 [%s], %v;";
    assert_eq!(kinds(&findings(32, tiles)), []);
}

#[test]
fn different_masks_are_found_unless_they_are_apart() {
    let masks = |low: u32, high: u32| {
        let body =
            format!("setp.lt.u32 %p, %t, 16;\nselp.b32 %x, {low}, {high}, %p;\nvote.sync.ballot.b32 %v, %p, %x;");
        kinds(&findings(32, &body))
    };
    assert_eq!(masks(0xFFFF, 0xFFFF_0000), []);
    assert_eq!(masks(u32::MAX, u32::MAX), []);
    assert_eq!(masks(u32::MAX, 0xFFFF_0000), [DifferentMasks]);
    assert_eq!(masks(0x1_FFFF, 0xFFFF_0000), [DifferentMasks]);
}

/// Lanes 0 to 15 are complete at their barrier. The others wait at theirs until lanes 24 to 31, which wait for lane 0, have stored.
#[test]
fn barriers_of_parts_of_a_warp_wait_for_their_own_lanes() {
    let body = "st.shared.u32 [%s], 0;\nbar.warp.sync -1;\nsetp.ge.u32 %p, %t, 24;\n@%p bra LAST;\nsetp.ge.u32 %p, %t, 16;\n\
                @%p bra THIRD;\nsetp.ge.u32 %p, %t, 8;\n@%p bra SECOND;\nbar.warp.sync 0xffff;\n\
                atom.shared.exch.b32 %v, [tile], 1;\nbra.uni END;\nSECOND:\nbar.warp.sync 0xffff;\nbra.uni END;\nTHIRD:\n\
                bar.warp.sync 0xffff0000;\nld.shared.u32 %v, [tile+124];\nsetp.ne.u32 %p, %v, 7;\n@%p trap;\nbra.uni END;\n\
                LAST:\natom.shared.add.u32 %v, [tile], 0;\nsetp.eq.u32 %p, %v, 0;\n@%p bra LAST;\nst.shared.u32 [%s], 7;\n\
                bar.warp.sync 0xffff0000;\nEND:";
    assert_eq!(kinds(&findings(32, body)), []);
}

/// Lanes of even numbers execute the vote in the first round, the others in the second.
#[test]
fn lanes_of_different_rounds_are_found() {
    let votes = |mask: &str| {
        let body = format!(
            "mov.u32 %x, 0;\nLOOP:\nadd.u32 %v, %x, %t;\nand.b32 %v, %v, 1;\nsetp.ne.u32 %p, %v, 0;\n@%p bra OVER;\n\
             vote.sync.ballot.b32 %v, %p, {mask};\nOVER:\nadd.u32 %x, %x, 1;\nsetp.lt.u32 %p, %x, 2;\n@%p bra LOOP;"
        );
        findings(32, &body)
    };
    let found = votes("-1");
    assert_eq!(kinds(&found), [DifferentRounds]);
    assert_eq!(found[0].count, 2 * 16);
    let own = "and.b32 %w, %t, 1;\nshl.b32 %w, 0x55555555, %w;\n";
    let body = format!(
        "{own}mov.u32 %x, 0;\nLOOP:\nadd.u32 %v, %x, %t;\nand.b32 %v, %v, 1;\nsetp.ne.u32 %p, %v, 0;\n@%p bra OVER;\n\
         vote.sync.ballot.b32 %v, %p, %w;\nOVER:\nadd.u32 %x, %x, 1;\nsetp.lt.u32 %p, %x, 2;\n@%p bra LOOP;"
    );
    assert_eq!(kinds(&findings(32, &body)), []);
}

/// Each lane leaves the loop in a round of its own, by way of the vote, which it executes once.
#[test]
fn a_vote_on_the_way_out_of_a_loop_is_not_in_it() {
    let body = "mov.u32 %x, 0;\nLOOP:\nsetp.ne.u32 %p, %x, %t;\n@%p bra NEXT;\nvote.sync.ballot.b32 %v, %p, -1;\nbra.uni END;\n\
                NEXT:\nadd.u32 %x, %x, 1;\nbra.uni LOOP;\nEND:";
    assert_eq!(kinds(&findings(32, body)), []);
}

/// Lanes go through a loop with a vote of all a different number of times.
#[test]
fn lanes_that_leave_a_loop_of_votes_may_return_but_not_store() {
    let rounds = |after: &str| {
        let body = format!(
            "mov.u32 %x, %t;\nLOOP:\nvote.sync.ballot.b32 %v, %p, -1;\nst.shared.u32 [%s], %v;\nadd.u32 %x, %x, 32;\n\
             setp.lt.u32 %p, %x, 40;\n@%p bra LOOP;\n{after}"
        );
        kinds(&findings(32, &body))
    };
    assert_eq!(rounds(""), []);
    assert_eq!(rounds("st.shared.u32 [%s], %x;"), [AbsentLanes]);
}
