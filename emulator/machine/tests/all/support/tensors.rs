//! Kernels of one thread that copy a box of a tensor.

use std::fmt::Write as _;

/// The bytes of shared memory for a box.
pub const BOX_BYTES: u32 = 16384;

/// The spellings of a load and of a store, by the number of dimensions.
const SPELLINGS: [(&str, &str, &str); 3] = [
    ("shared::cluster.global.mbarrier::complete_tx::bytes", "global.shared::cta.bulk_group", ""),
    ("shared::cta.global.tile.mbarrier::complete_tx::bytes", "global.shared::cta.tile.bulk_group", ""),
    (
        "shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint",
        "global.shared::cta.bulk_group.L2::cache_hint",
        ", %d5",
    ),
];

/// Returns the PTX of a module with the kernels `load1` to `load3` and `store1` to `store3`. The arguments are the tensor map, the
/// address of a box in global memory, its number of bytes, an offset in shared memory, and three coordinates.
pub fn module() -> String {
    let mut text = String::from(".version 8.6\n.target sm_90a\n.address_size 64\n");
    for (dimensions, (load, store, hint)) in (1..).zip(SPELLINGS) {
        let corner = ["%r5", "%r6", "%r7"][..dimensions].join(", ");
        let load = format!(
            "    mbarrier.arrive.expect_tx.shared.b64 _, [%r2], %r3;
    cp.async.bulk.tensor.{dimensions}d.{load} [%r1], [%d0, {{{corner}}}], [%r2]{hint};
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p0, [%r2], 0;
    @!%p0 bra WAIT;
"
        );
        let store = format!(
            "    fence.proxy.async.shared::cta;
    cp.async.bulk.tensor.{dimensions}d.{store} [%d0, {{{corner}}}], [%r1]{hint};
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    cp.async.bulk.wait_group 0;
"
        );
        write_kernel(
            &mut text,
            &format!("load{dimensions}"),
            &load,
            ["", "ld.shared.u32 %r8, [%r9]", "st.global.u32 [%d3], %r8"],
        );
        write_kernel(
            &mut text,
            &format!("store{dimensions}"),
            &store,
            ["ld.global.u32 %r8, [%d3]", "st.shared.u32 [%r9], %r8", ""],
        );
    }
    text
}

/// Returns the PTX of a module with the kernel `multicast`, for clusters of two blocks, each of which copies a box of two
/// dimensions to both, one after the other. The arguments are as above; a block writes its two boxes to the address.
pub fn multicast() -> String {
    let copies = "    mov.b32 %r11, %cluster_ctarank;
    mov.u64 %d4, 0;
    barrier.cluster.arrive.relaxed;
    barrier.cluster.wait;
    shl.b32 %r10, %r3, 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r2], %r10;
    mad.lo.u32 %r9, %r11, %r3, %r1;
    add.u32 %r6, %r6, %r11;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r9], [%d0, {%r5, %r6}], [%r2], 3;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p0, [%r2], 0;
    @!%p0 bra WAIT;
    mul.wide.u32 %d3, %r11, %r10;
    add.u64 %d1, %d1, %d3;
    shl.b32 %r3, %r3, 1;
";
    let mut text = String::from(".version 8.6\n.target sm_90a\n.address_size 64\n");
    write_kernel(&mut text, "multicast", copies, ["", "ld.shared.u32 %r8, [%r9]", "st.global.u32 [%d3], %r8"]);
    text.replace("\n{\n", "\n.reqnctapercluster 2, 1, 1\n{\n")
}

/// Adds a kernel. `moves` are the instructions of the loop over the words of a box: a load from global memory, an access to shared
/// memory, and a store to global memory. The loop follows the copy if it stores, and precedes it otherwise.
fn write_kernel(text: &mut String, name: &str, copy: &str, moves: [&str; 3]) {
    let [.., store] = moves;
    let moves: String = moves.iter().filter(|text| !text.is_empty()).map(|text| format!("    {text};\n")).collect();
    let words = format!(
        "    mov.u32 %r9, %r1;
    mov.u64 %d3, %d1;
    add.u32 %r10, %r1, %r3;
NEXT:
{moves}    add.u32 %r9, %r9, 4;
    add.u64 %d3, %d3, 4;
    setp.lt.u32 %p1, %r9, %r10;
    @%p1 bra NEXT;
"
    );
    let (before, after) = if store.is_empty() { (words.as_str(), "") } else { ("", words.as_str()) };
    let _ = write!(
        text,
        ".visible .entry {name}(.param .align 64 .b8 map[128], .param .u64 image, .param .u32 bytes, .param .u32 offset,
    .param .u32 x, .param .u32 y, .param .u32 z)
{{
    .shared .align 1024 .b8 tile[{BOX_BYTES}];
    .shared .align 8 .b8 barrier[8];
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %d<6>;
    mov.b64 %d0, map;
    cvta.param.u64 %d0, %d0;
    prefetch.tensormap [%d0];
    ld.param.u64 %d1, [image];
    ld.param.u32 %r3, [bytes];
    ld.param.u32 %r4, [offset];
    ld.param.u32 %r5, [x];
    ld.param.u32 %r6, [y];
    ld.param.u32 %r7, [z];
    mov.u64 %d5, 0;
    mov.u32 %r1, tile;
    add.u32 %r1, %r1, %r4;
    mov.u32 %r2, barrier;
    mbarrier.init.shared.b64 [%r2], 1;
    fence.mbarrier_init.release.cluster;
{before}{copy}{after}    ret;
}}
"
    );
}
