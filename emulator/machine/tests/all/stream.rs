//! Streams of blocks and listings of kernels, compared with what a reader of the PTX expects.

use crate::support::machine::Shape;
use emulator::{
    AccessedSpace, BlockStream, Direction, Memory, Module, PhaseStep, RegisterFile, StreamError, StreamedAccess,
    StreamedEvent, StreamedPhase, stream,
};
use std::sync::Arc;

/// Each thread loads its element and stores it to shared memory, then half of them update one word.
const PTX: &str = "
.version 8.1
.target sm_75
.address_size 64
.shared .align 4 .b8 tile[8192];
.visible .entry k(.param .u64 data) {
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3+128];
    shl.b32 %r3, %r1, 7;
    mov.u32 %r4, tile;
    add.u32 %r3, %r3, %r4;
    st.shared.u32 [%r3], %r2;
    setp.gt.u32 %p1, %r1, 15;
    @%p1 bra OUT;
    red.global.add.u32 [%rd1], %r2;
OUT:
    ret;
}";

/// Waits for another block to set the first word.
const WAITS: &str = "
.version 8.1
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data) {
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [data];
AGAIN:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra AGAIN;
    ret;
}";

fn streamed(ptx: &str, blocks: &[u64], most_events: usize) -> Result<Vec<BlockStream>, StreamError> {
    let memory = Arc::new(Memory::new(1 << 20));
    let data = memory.allocate(1024).unwrap();
    memory.write(data, &[0; 1024]).unwrap();
    let parameters = data.to_le_bytes();
    let module = Module::load(ptx, &memory).unwrap();
    let launch = Shape::threads(32).blocks(4).launch(&parameters);
    stream(module.kernel("k").unwrap(), &memory, &launch, blocks, most_events)
}

fn accesses(stream: &BlockStream) -> Vec<StreamedAccess> {
    stream.warps[0].iter().filter_map(StreamedEvent::access).copied().collect()
}

#[test]
fn a_stream_has_the_entered_blocks_and_the_costs_of_accesses() {
    let streams = streamed(PTX, &[2], 100).unwrap();
    let stream = &streams[0];
    let entered: Vec<(u32, u32)> = stream.warps[0]
        .iter()
        .filter_map(|event| match event {
            StreamedEvent::Enter { block, active } => Some((*block, *active)),
            StreamedEvent::Access(_) | StreamedEvent::Phase(_) => None,
        })
        .collect();
    assert_eq!(entered, [(0, u32::MAX), (1, 0xFFFF), (2, u32::MAX)]);
    let [load, store, update] = accesses(stream)[..] else { panic!("{stream:?}") };
    assert_eq!((load.space, load.direction, load.sectors), (AccessedSpace::Global, Direction::Load, 4));
    assert_eq!((store.space, store.direction, store.wavefronts), (AccessedSpace::Shared, Direction::Store, 32));
    assert_eq!((update.direction, update.addresses, update.active), (Direction::Atomic, 1, 0xFFFF));
    let first = load.first_sector as usize;
    assert!(stream.sectors[first..first + 4].windows(2).all(|pair| pair[1] == pair[0] + 1), "{:?}", stream.sectors);
    // No path reaches the end of the text, which is a block too.
    assert_eq!((stream.block, &stream.entries[..], stream.is_cut()), (2, &[1, 1, 1, 0][..], false));
}

/// A bulk copy and its thread arrive at an mbarrier for which all lanes wait, and then half a block at a barrier of its own.
const PHASES: &str = "
.version 8.1
.target sm_90
.address_size 64
.shared .align 128 .b8 tile[2048];
.shared .align 8 .b64 barrier;
.visible .entry k(.param .u64 data) {
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, barrier;
    mov.u32 %r3, tile;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra WAIT;
    mbarrier.init.shared.b64 [%r2], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 1024, [%r2];
WAIT:
    bar.warp.sync 0xffffffff;
    mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;
    @!%p2 bra WAIT;
    bar.sync 3, 32;
    bar.sync 3, 32;
    ret;
}";

#[test]
fn a_stream_has_the_phases_of_barriers_and_the_sectors_of_bulk_copies() {
    let streams = streamed(PHASES, &[0], 100).unwrap();
    let events = || streams[0].warps[0].iter();
    let phases: Vec<(bool, u32, PhaseStep)> = events()
        .filter_map(StreamedEvent::phase)
        .map(|phase| (phase.barrier & StreamedPhase::PART != 0, phase.phase, phase.step))
        .collect();
    let (arrives, waits) = (PhaseStep::Arrive { count: 1 }, PhaseStep::Wait);
    let of_mbarrier = [(false, 0, arrives), (false, 0, PhaseStep::Copy), (false, 0, waits)];
    assert_eq!(phases[..3], of_mbarrier);
    assert_eq!(phases[3..], [(true, 0, arrives), (true, 0, waits), (true, 1, arrives), (true, 1, waits)]);
    let [copy] = accesses(&streams[0])[..] else { panic!("{:?}", accesses(&streams[0])) };
    assert_eq!((copy.space, copy.direction, copy.sectors), (AccessedSpace::Global, Direction::Load, 32));
}

#[test]
fn a_cut_stream_still_counts_every_entry() {
    let streams = streamed(PTX, &[0, 3], 2).unwrap();
    assert_eq!(streams.len(), 2);
    for stream in streams {
        assert_eq!((stream.warps[0].len(), stream.is_cut()), (2, true));
        assert_eq!(stream.entries, [1, 1, 1, 0]);
    }
}

#[test]
fn a_block_that_waits_for_another_and_one_outside_of_the_grid_have_no_stream() {
    assert_eq!(streamed(WAITS, &[1], 100), Err(StreamError::Waits(1)));
    let outside = streamed(PTX, &[4], 100).unwrap_err();
    assert_eq!(outside.to_string(), "there is no block 4 in a grid of 4");
}

#[test]
fn a_listing_has_opcodes_registers_and_addresses() {
    let memory = Arc::new(Memory::new(1 << 20));
    let module = Module::load(PTX, &memory).unwrap();
    let listing = module.kernel("k").unwrap().listing();
    let opcodes = |block: usize| listing.blocks[block].iter().map(|one| one.opcode.as_str()).collect::<Vec<_>>();
    assert_eq!(opcodes(0)[..3], ["ld.param.u64", "mov.u32", "mul.wide.u32"]);
    assert_eq!(opcodes(1), ["red.global.add.u32"]);
    let [_, index, offset, sum, load, ..] = &listing.blocks[0][..] else { panic!("{listing:?}") };
    assert!(index.reads_special && index.reads.is_empty());
    assert!(offset.literal.is_some() && offset.reads == index.writes);
    assert_eq!(load.address, Some((Some(sum.writes[0]), 128)));
    assert_eq!(listing.registers[sum.writes[0] as usize], RegisterFile::Wide);
    let branch = listing.blocks[0].last().expect("a branch");
    let is_predicate = |guard: u32| listing.registers[guard as usize] == RegisterFile::Predicate;
    assert!(branch.opcode == "bra" && branch.guard.is_some_and(is_predicate));
    let numbers: Vec<u32> = listing.blocks[..3].iter().flatten().map(|one| one.number).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}
