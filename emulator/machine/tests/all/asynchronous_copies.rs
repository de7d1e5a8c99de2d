//! Asynchronous copies in flight: what shared memory contains before and after a thread waits for them.

use crate::support::machine::{Machine, Shape, counting};

const HEADER: &str = "
.version 8.6
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 tile[];
";

/// One thread clears `count` words of shared memory, starts a copy into each, and waits for all. Stores the first two words
/// before the wait, and the sum of all words after it.
const MANY: &str = "
.visible .entry many(.param .u64 input, .param .u64 output, .param .u32 count)
{
    .reg .pred %p;
    .reg .b32 %count, %n, %at, %tile, %sum, %r<2>;
    .reg .b64 %from, %input, %output;
    ld.param.u64 %input, [input];
    ld.param.u64 %output, [output];
    ld.param.u32 %count, [count];
    mov.u32 %tile, tile;
    mov.u32 %n, 0;
NEXT:
    shl.b32 %at, %n, 2;
    add.u32 %at, %at, %tile;
    mul.wide.u32 %from, %n, 4;
    add.u64 %from, %from, %input;
    st.shared.u32 [%at], 0;
    cp.async.ca.shared.global [%at], [%from], 4;
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, %count;
    @%p bra NEXT;
    ld.shared.v2.u32 {%r0, %r1}, [tile];
    st.global.u32 [%output], %r0;
    st.global.u32 [%output+4], %r1;
    cp.async.commit_group;
    cp.async.wait_group 0;
    mov.u32 %sum, 0;
ADD:
    sub.u32 %n, %n, 1;
    shl.b32 %at, %n, 2;
    add.u32 %at, %at, %tile;
    ld.shared.u32 %r0, [%at];
    add.u32 %sum, %sum, %r0;
    setp.ne.u32 %p, %n, 0;
    @%p bra ADD;
    st.global.u32 [%output+8], %sum;
    ret;
}
";

#[test]
fn the_oldest_copy_lands_when_a_warp_has_more_than_16384_in_flight() {
    let machine = Machine::new(&format!("{HEADER}{MANY}"));
    let input = machine.upload(&1_u32.to_le_bytes().repeat(16_385));
    for (count, first) in [(16_384_u32, 0), (16_385, 1)] {
        let output = machine.allocate(12);
        let shape = Shape { shared: 4 * count, ..Shape::threads(1) };
        machine.run("many", shape, &[&input.to_le_bytes(), &output.to_le_bytes(), &count.to_le_bytes()]);
        assert_eq!(machine.words(output, 3), [first, 0, count], "{count} copies");
    }
}

/// Two lanes start three copies each, and lane 0 closes a group after each of its own. `SHOW n` stands for the lane's three
/// words, stored as part `n` of its output.
const GROUPS: &str = "
.visible .entry groups(.param .u64 input, .param .u64 output)
{
    .reg .pred %first;
    .reg .b32 %at, %lane, %offset, %r<3>;
    .reg .b64 %wide, %input, %output;
    ld.param.u64 %input, [input];
    ld.param.u64 %output, [output];
    mov.u32 %lane, %tid.x;
    setp.eq.u32 %first, %lane, 0;
    mul.lo.u32 %offset, %lane, 12;
    mov.u32 %at, tile;
    add.u32 %at, %at, %offset;
    st.shared.u32 [%at], 0;
    st.shared.u32 [%at+4], 0;
    st.shared.u32 [%at+8], 0;
    mul.wide.u32 %wide, %lane, 36;
    add.u64 %output, %output, %wide;
    cp.async.ca.shared.global [%at], [%input], 4;
    @%first cp.async.commit_group;
    cp.async.ca.shared.global [%at+4], [%input], 4;
    @%first cp.async.commit_group;
    cp.async.ca.shared.global [%at+8], [%input], 4;
    @%first cp.async.commit_group;
    cp.async.wait_group 1;
    SHOW 0
    cp.async.wait_group 0;
    SHOW 1
    @!%first cp.async.commit_group;
    cp.async.wait_group 0;
    SHOW 2
    ret;
}
";

#[test]
fn a_lane_waits_for_its_own_groups_and_for_the_oldest_first() {
    let show = |part: usize| -> String {
        let word = |n: usize| {
            let to = 12 * part + 4 * n;
            format!("ld.shared.u32 %r{n}, [%at+{}];\n    st.global.u32 [%output+{to}], %r{n};\n    ", 4 * n)
        };
        (0..3).map(word).collect()
    };
    let body = (0..3).fold(GROUPS.to_owned(), |text, part| text.replace(&format!("SHOW {part}"), &show(part)));
    let machine = Machine::new(&format!("{HEADER}{body}"));
    let input = machine.upload(&1_u32.to_le_bytes());
    let output = machine.allocate(72);
    let shape = Shape { shared: 24, ..Shape::threads(2) };
    machine.run("groups", shape, &[&input.to_le_bytes(), &output.to_le_bytes()]);
    // The words after each of the three waits. Lane 1 has closed no group before the last one.
    let lane_0 = [[1, 1, 0], [1, 1, 1], [1, 1, 1]];
    let lane_1 = [[0, 0, 0], [0, 0, 0], [1, 1, 1]];
    assert_eq!(machine.words(output, 18), [lane_0, lane_1].concat().concat());
}

/// Five bulk copies of 224 KiB to the same place, at a barrier that expects none of their bytes.
const UNEXPECTED: &str = "
.visible .entry unexpected(.param .u64 input)
{
    .shared .align 8 .b64 barrier;
    .reg .pred %p;
    .reg .b32 %n;
    .reg .b64 %input;
    ld.param.u64 %input, [input];
    mbarrier.init.shared.b64 [barrier], 1;
    mov.u32 %n, 0;
NEXT:
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%input], 229376, [barrier];
    mbarrier.test_wait.parity.shared.b64 %p, [barrier], 0;
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 5;
    @%p bra NEXT;
    ret;
}
";

#[test]
fn a_barrier_counts_at_most_1048575_bytes_that_nobody_expected() {
    let machine = Machine::new(&format!("{HEADER}{UNEXPECTED}"));
    let input = machine.upload(&[0; 229_376]);
    let shape = Shape { shared: 229_376, ..Shape::threads(1) };
    let error = machine.try_run("unexpected", shape, &[&input.to_le_bytes()], &counting()).unwrap_err().to_string();
    assert!(error.contains("a barrier can track at most 1048575 bytes: shared memory at byte 0"), "{error}");
    let four = UNEXPECTED.replace("%n, 5;", "%n, 4;");
    let machine = Machine::new(&format!("{HEADER}{four}"));
    let input = machine.upload(&[0; 229_376]);
    machine.run("unexpected", shape, &[&input.to_le_bytes()]);
}
