//! Groups.

use crate::support::ranks;
use crate::support::raw::{
    Buffers, F32, INVALID_ARGUMENT, INVALID_USAGE, IdByValue, Raw, SUCCESS, SUM, call, group, id, last_error,
};
use crate::support::values::{Values, value};
use cudarc::driver::DevicePtr;
use std::ffi::c_int;

#[test]
fn a_group_has_sends_and_receives_of_any_order_and_collectives_beside_them() {
    let name = "groups::a_group_has_sends_and_receives_of_any_order_and_collectives_beside_them";
    ranks(name, &[1, 2, 3], |own| {
        let first = Raw::new(own);
        let second = Raw::new(own);
        let rank = own.rank;
        let world = own.world;
        let from: Vec<Values> = (0..world).map(|to| Values::new(own, &[value(rank, to)])).collect();
        let to: Vec<Values> = (0..world).map(|_| Values::new(own, &[0.0])).collect();
        let sums: Vec<Values> = (0..3).map(|index| Values::new(own, &[value(rank, index)])).collect();
        let all_reduce = |comm: &Raw, index: usize| {
            let buffers = Buffers { send: sums[index].1, receive: sums[index].1, count: 1, datatype: F32 };
            assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
        };
        let done = group(|| {
            // Nested, and in another order on each rank.
            let inner = group(|| {
                for step in 0..world {
                    let peer = (rank + step) % world;
                    assert_eq!(first.one("ncclSend", from[peer].1, 1, F32, peer as c_int), SUCCESS);
                }
            });
            assert_eq!(inner, SUCCESS);
            all_reduce(&first, 0);
            all_reduce(&second, 1);
            for (peer, to) in to.iter().enumerate() {
                assert_eq!(first.one("ncclRecv", to.1, 1, F32, peer as c_int), SUCCESS);
            }
            all_reduce(&first, 2);
            assert_eq!(to[0].read(own), [0.0], "nothing moves before the group's end");
        });
        assert_eq!(done, SUCCESS);
        for (peer, to) in to.iter().enumerate() {
            assert_eq!(to.read(own), [value(peer, rank)]);
        }
        for (index, sum) in sums.iter().enumerate() {
            assert_eq!(sum.read(own), [(0..world).map(|rank| value(rank, index)).sum::<f32>()]);
        }
    });
}

#[test]
fn ids_without_the_variable_meet_at_a_port_of_their_own() {
    ranks("groups::ids_without_the_variable_meet_at_a_port_of_their_own", &[2], |own| {
        let comm = Raw::new(own);
        // SAFETY: no other thread of this process accesses the environment concurrently.
        unsafe { std::env::remove_var("NCCL_COMM_ID") };
        let mut bytes = if own.rank == 0 { id() } else { [0; 128] };
        let buffer = own.stream.clone_htod(&bytes).unwrap();
        assert_eq!(comm.one("ncclBcast", buffer.device_ptr(&own.stream).0, 128, 0, 0), SUCCESS);
        own.stream.memcpy_dtoh(&buffer, &mut bytes).unwrap();
        let other = Raw::of(own, bytes).unwrap();
        assert_eq!(other.ask("ncclCommUserRank"), own.rank as c_int);
        assert_eq!(other.one("ncclBcast", buffer.device_ptr(&own.stream).0, 128, 0, 1), SUCCESS);
        // SAFETY: as above.
        unsafe { std::env::set_var("NCCL_COMM_ID", format!("{}:1", "a".repeat(120))) };
        let created = call!("ncclGetUniqueId", unsafe extern "C" fn(*mut IdByValue) -> c_int, &mut IdByValue([0; 128]));
        assert_eq!(created, INVALID_USAGE);
        assert!(last_error().ends_with("too long for an id of 128 bytes"), "{}", last_error());
    });
}

#[test]
fn a_receive_into_what_its_group_sends_is_refused() {
    ranks("groups::a_receive_into_what_its_group_sends_is_refused", &[1], |own| {
        let comm = Raw::new(own);
        let many = Values::new(own, &[0.0; 8]);
        let exchange = |to: u64| {
            group(|| {
                assert_eq!(comm.one("ncclSend", many.1, 4, F32, 0), SUCCESS);
                assert_eq!(comm.one("ncclRecv", to, 4, F32, 0), SUCCESS);
            })
        };
        assert_eq!(exchange(many.1 + 16), SUCCESS);
        assert_eq!(exchange(many.1 + 12), INVALID_ARGUMENT);
        let wanted = "rank 0: ncclRecv(count 4, f32, from rank 0): it writes memory that ncclSend(count 4, f32, to rank 0) \
                      of the same group accesses concurrently";
        assert_eq!(last_error(), wanted);
    });
}
