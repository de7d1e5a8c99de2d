//! The functions of the library, called as from C.

use crate::support::raw::{Buffers, F32, INVALID_ARGUMENT, INVALID_USAGE, MAX, Raw, SUCCESS, SUM, call, last_error};
use crate::support::values::{Values, value, values};
use crate::support::{Rank, ranks};
use std::ffi::{CStr, c_char, c_int};

/// The functions that cudarc's `nccl` module and C programs look up.
const SYMBOLS: [&str; 23] = [
    "ncclAllGather",
    "ncclAllReduce",
    "ncclBcast",
    "ncclBroadcast",
    "ncclCommAbort",
    "ncclCommCount",
    "ncclCommCuDevice",
    "ncclCommDestroy",
    "ncclCommFinalize",
    "ncclCommGetAsyncError",
    "ncclCommInitAll",
    "ncclCommInitRank",
    "ncclCommUserRank",
    "ncclGetErrorString",
    "ncclGetLastError",
    "ncclGetUniqueId",
    "ncclGetVersion",
    "ncclGroupEnd",
    "ncclGroupStart",
    "ncclRecv",
    "ncclReduce",
    "ncclReduceScatter",
    "ncclSend",
];

#[test]
fn the_library_exports_all_functions() {
    for name in SYMBOLS {
        crate::support::symbol::<usize>(name);
    }
}

#[test]
fn version_and_texts() {
    let mut version = 0;
    assert_eq!(call!("ncclGetVersion", unsafe extern "C" fn(*mut c_int) -> c_int, &mut version), SUCCESS);
    assert_eq!(version, 23007);
    let text = |code: c_int| {
        let text = call!("ncclGetErrorString", unsafe extern "C" fn(c_int) -> *const c_char, code);
        // SAFETY: the library never frees the text.
        unsafe { CStr::from_ptr(text) }.to_str().unwrap()
    };
    assert_eq!((text(0), text(6)), ("no error", "remote process exited or there was a network error"));
    assert!(text(5).starts_with("invalid usage") && text(12345) == "unknown result code");
}

#[test]
fn a_communicator_knows_its_rank_and_ends_in_each_way() {
    ranks("symbols::a_communicator_knows_its_rank_and_ends_in_each_way", &[2], |own| {
        for end in ["ncclCommAbort", "ncclCommDestroy"] {
            let comm = Raw::new(own);
            let rank = own.rank as c_int;
            assert_eq!(
                (comm.ask("ncclCommCount"), comm.ask("ncclCommUserRank"), comm.ask("ncclCommCuDevice")),
                (2, rank, 0)
            );
            assert_eq!(comm.ask("ncclCommGetAsyncError"), SUCCESS);
            let one = Values::new(own, &[1.0]);
            let buffers = Buffers { send: one.1, receive: one.1, count: 1, datatype: F32 };
            assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
            if end == "ncclCommDestroy" {
                assert_eq!(comm.end("ncclCommFinalize"), SUCCESS);
                assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), INVALID_USAGE);
                assert!(last_error().ends_with("was finalized, destroyed or aborted"), "{}", last_error());
            }
            assert_eq!(comm.end(end), SUCCESS);
            assert_eq!(comm.end(end), INVALID_ARGUMENT);
        }
    });
}

#[test]
fn rooted_operations() {
    ranks("symbols::rooted_operations", &[1, 2, 3], |own| {
        let comm = Raw::new(own);
        let rank = own.rank;
        let world = own.world;
        let one = Values::new(own, &values(rank, 2));
        for root in 0..world {
            let part = Values::new(own, &values(rank, 2));
            assert_eq!(comm.one("ncclBcast", part.1, 2, F32, root as c_int), SUCCESS);
            assert_eq!(part.read(own), values(root, 2));
            let reduce = Buffers { send: one.1, receive: part.1, count: 2, datatype: F32 };
            assert_eq!(comm.reduce(reduce, MAX, root as c_int), SUCCESS);
            assert_eq!(part.read(own), values(if rank == root { world - 1 } else { root }, 2));
        }
    });
}

#[test]
fn in_place_forms() {
    ranks("symbols::in_place_forms", &[1, 2, 3, 4], |own| {
        let comm = Raw::new(own);
        in_place(&comm, own, 3);
        // More than a chunk and the window of the network.
        if own.world == 2 {
            in_place(&comm, own, 300_000);
        }
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn in_place_forms_of_large_buffers() {
    ranks("symbols::in_place_forms_of_large_buffers", &[1, 3, 4], |own| in_place(&Raw::new(own), own, 400_000));
}

fn in_place(comm: &Raw, own: &Rank, count: usize) {
    let rank = own.rank;
    let world = own.world;
    let part = (4 * count * rank) as u64;
    let whole: Vec<f32> = (0..world).flat_map(|rank| values(rank, count)).collect();
    let sums: Vec<f32> = (0..count).map(|index| (0..world).map(|rank| value(rank, index)).sum()).collect();

    let mut own_part = vec![0.0; count * world];
    own_part[count * rank..][..count].copy_from_slice(&values(rank, count));
    let many = Values::new(own, &own_part);
    let buffers = Buffers { send: many.1 + part, receive: many.1, count, datatype: F32 };
    assert_eq!(comm.plain("ncclAllGather", buffers), SUCCESS);
    assert!(many.read(own) == whole);

    let many = Values::new(own, &values(rank, count).repeat(world));
    let buffers = Buffers { send: many.1, receive: many.1 + part, count, datatype: F32 };
    assert_eq!(comm.numbered("ncclReduceScatter", buffers, SUM), SUCCESS);
    assert!(many.read(own)[count * rank..][..count] == sums);

    let one = Values::new(own, &values(rank, count));
    let buffers = Buffers { send: one.1, receive: one.1, count, datatype: F32 };
    assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
    assert!(one.read(own) == sums);
}

#[test]
fn other_overlapping_buffers_are_errors() {
    ranks("symbols::other_overlapping_buffers_are_errors", &[1], |own| {
        let comm = Raw::new(own);
        let many = Values::new(own, &[0.0; 8]);
        let buffers = Buffers { send: many.1, receive: many.1 + 4, count: 4, datatype: F32 };
        assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), INVALID_ARGUMENT);
        assert!(last_error().contains("its buffers overlap and are not in place"), "{}", last_error());
    });
}

#[test]
fn invalid_numbers_are_errors_with_a_message() {
    let cases = [(12, SUM, "data type 12"), (F32, 99, "reduction 99"), (F32, -1, "reduction -1")];
    ranks("symbols::invalid_numbers_are_errors_with_a_message", &[1], |own| {
        for (datatype, reduction, wanted) in cases {
            let comm = Raw::new(own);
            let one = Values::new(own, &[1.0]);
            let buffers = Buffers { send: one.1, receive: one.1, count: 1, datatype };
            assert_eq!(comm.numbered("ncclAllReduce", buffers, reduction), INVALID_ARGUMENT);
            assert!(last_error().contains(wanted), "{}", last_error());
            assert_eq!(comm.ask("ncclCommGetAsyncError"), INVALID_ARGUMENT);
            assert_eq!(comm.end("ncclCommAbort"), SUCCESS);
        }
        let comm = Raw::new(own);
        let outside = Buffers { send: 64, receive: 64, count: 1, datatype: F32 };
        assert_eq!(comm.plain("ncclAllGather", outside), INVALID_ARGUMENT);
        assert!(last_error().contains("at 0x40, which is not device memory"), "{}", last_error());
        let root = Raw::new(own);
        assert_eq!(root.one("ncclBcast", 64, 1, F32, 1), INVALID_ARGUMENT);
        assert!(last_error().contains("there is no rank 1: must be 0 to 0"), "{}", last_error());
        assert_eq!(call!("ncclGroupEnd", unsafe extern "C" fn() -> c_int,), INVALID_USAGE);
        assert!(Raw::of(own, [7; 128]).is_err() && last_error().contains("the id is not from the emulated"));
    });
}
