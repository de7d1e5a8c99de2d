//! Mistakes that make NCCL hang. Each is an error on every rank, with a message that explains it.

use crate::support::raw::{Buffers, F32, INVALID_ARGUMENT, Raw, SUCCESS, SUM, last_error};
use crate::support::{Rank, check_ran, failing, failing_late, one_second, start, start_with};
use cudarc::driver::DevicePtr;
use cudarc::nccl::{Comm, ReduceOp};
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

/// Fails if the call succeeded. Its message is on standard error.
fn must_fail<T, E>(outcome: Result<T, E>) {
    assert!(outcome.is_err(), "the call succeeded");
}

fn buffers(comm: &Comm, count: usize) -> (cudarc::driver::CudaSlice<f32>, cudarc::driver::CudaSlice<f32>) {
    let stream = comm.stream();
    (stream.alloc_zeros(count).unwrap(), stream.alloc_zeros(count * comm.world_size()).unwrap())
}

#[test]
fn different_operations_are_named() {
    let wanted = "rank 0 called ncclAllGather(count 1024, f32), its 2nd call; \
                  rank 1 called ncclAllReduce(count 1024, f32, sum), its 2nd call";
    failing("misuse::different_operations_are_named", 2, wanted, |own| {
        let comm = own.comm();
        let (one, mut all) = buffers(&comm, 1024);
        comm.all_reduce(&one, &mut all.slice_mut(..1024), &ReduceOp::Sum).unwrap();
        if own.rank == 0 {
            must_fail(comm.all_gather(&one, &mut all));
        } else {
            must_fail(comm.all_reduce(&one, &mut all.slice_mut(..1024), &ReduceOp::Sum));
        }
    });
}

#[test]
fn different_counts_are_named() {
    let wanted = "rank 0 called ncclAllGather(count 8, f32), its 1st call; rank 1 called ncclAllGather(count 7, f32)";
    failing("misuse::different_counts_are_named", 2, wanted, |own| {
        let comm = own.comm();
        let (one, mut all) = buffers(&comm, 8);
        must_fail(comm.all_gather(&one.slice(own.rank..), &mut all));
    });
}

#[test]
fn different_types_are_named() {
    let wanted = "rank 0 called ncclAllReduce(count 8, i32, sum), its 1st call; \
                  rank 1 called ncclAllReduce(count 8, u32, sum)";
    failing("misuse::different_types_are_named", 2, wanted, |own| {
        let comm = own.comm();
        if own.rank == 0 {
            must_fail(comm.all_reduce_in_place(&mut own.stream.alloc_zeros::<i32>(8).unwrap(), &ReduceOp::Sum));
        } else {
            must_fail(comm.all_reduce_in_place(&mut own.stream.alloc_zeros::<u32>(8).unwrap(), &ReduceOp::Sum));
        }
    });
}

#[test]
fn different_roots_and_reductions_are_named() {
    let name = "misuse::different_roots_and_reductions_are_named";
    let wanted =
        "ncclReduce(count 8, f32, max, root 1), its 1st call; rank 2 called ncclReduce(count 8, f32, sum, root 0)";
    failing(name, 3, wanted, |own| {
        let comm = own.comm();
        let (one, mut all) = buffers(&comm, 8);
        if own.rank == 2 {
            must_fail(comm.reduce(&one, Some(&mut all.slice_mut(..8)), &ReduceOp::Sum, 0));
        } else {
            must_fail(comm.reduce(&one, Some(&mut all.slice_mut(..8)), &ReduceOp::Max, 1));
        }
    });
}

#[test]
fn calls_are_numbered_in_messages() {
    let name = "misuse::calls_are_numbered_in_messages";
    crate::support::ranks(name, &[2], |own| {
        for (count, ordinal) in [(12, "12th"), (22, "22nd"), (111, "111th")] {
            let comm = Raw::new(own);
            let one = own.stream.clone_htod(&[0.0_f32]).unwrap();
            let address = one.device_ptr(&own.stream).0;
            for _ in 1..count {
                assert_eq!(comm.one("ncclBcast", address, 1, F32, 0), SUCCESS);
            }
            assert_ne!(comm.one("ncclBcast", address, 1, F32, own.rank as i32), SUCCESS);
            let wanted = format!("rank 0 called ncclBroadcast(count 1, f32, root 0), its {ordinal} call");
            assert!(last_error().contains(&wanted), "{}", last_error());
            assert_eq!(comm.end("ncclCommAbort"), SUCCESS);
        }
    });
}

#[test]
fn a_send_of_another_count_than_its_receive_is_named() {
    let wanted = "rank 0 called ncclSend(count 8, f32, to rank 1), its 1st call; \
                  rank 1 called ncclRecv(count 6, f32, from rank 0), its 1st call";
    failing("misuse::a_send_of_another_count_than_its_receive_is_named", 2, wanted, |own| {
        let comm = own.comm();
        let (mut one, _) = buffers(&comm, 8);
        if own.rank == 0 {
            must_fail(comm.send(&one, 1));
        } else {
            must_fail(comm.recv(&mut one.slice_mut(..6), 0));
        }
    });
}

#[test]
fn an_ungrouped_ring_is_a_deadlock_whatever_its_size() {
    let wanted = "deadlock: rank 0 in ncclSend(count 1, f32, to rank 1), its 1st call waits for rank 1; \
                  rank 1 in ncclSend(count 1, f32, to rank 2), its 1st call waits for rank 2; \
                  rank 2 in ncclSend(count 1, f32, to rank 0), its 1st call waits for rank 0: \
                  put a rank's sends and receives into one group (ncclGroupStart, ncclGroupEnd)";
    failing("misuse::an_ungrouped_ring_is_a_deadlock_whatever_its_size", 3, wanted, |own| {
        let comm = own.comm();
        let (one, _) = buffers(&comm, 1);
        must_fail(comm.send(&one, ((own.rank + 1) % 3) as i32));
    });
}

#[test]
fn receives_without_sends_are_a_deadlock() {
    let wanted = "rank 1 in ncclRecv(count 4, f32, from rank 0), its 1st call waits for rank 0: no rank sends";
    failing("misuse::receives_without_sends_are_a_deadlock", 2, wanted, |own| {
        let comm = own.comm();
        let (mut one, _) = buffers(&comm, 4);
        must_fail(comm.recv(&mut one, 1 - own.rank as i32));
    });
}

#[test]
fn a_send_against_a_collective_is_a_deadlock() {
    let wanted = "rank 0 in ncclAllReduce(count 4, f32, sum), its 1st call waits for rank 1; \
                  rank 1 in ncclSend(count 4, f32, to rank 0), its 1st call waits for rank 0";
    failing("misuse::a_send_against_a_collective_is_a_deadlock", 2, wanted, |own| {
        let comm = own.comm();
        let (mut one, _) = buffers(&comm, 4);
        if own.rank == 0 {
            must_fail(comm.all_reduce_in_place(&mut one, &ReduceOp::Sum));
        } else {
            must_fail(comm.send(&one, 0));
        }
    });
}

#[test]
fn a_send_without_a_receive_ends_with_the_activity_of_the_other_rank() {
    let name = "misuse::a_send_without_a_receive_ends_with_the_activity_of_the_other_rank";
    let wanted = "nothing has moved for 1 s (COALESCED_NCCL_TIMEOUT): rank 0 in ncclSend(count 4, f32, to rank 1), its 2nd \
                  call waits for rank 1, which is in no call; its last was ncclAllReduce(count 4, f32, sum), its 1st call";
    failing_late(name, 2, wanted, |own| {
        let comm = own.comm();
        let (mut one, _) = buffers(&comm, 4);
        comm.all_reduce_in_place(&mut one, &ReduceOp::Sum).unwrap();
        if own.rank == 0 {
            must_fail(comm.send(&one, 1));
        } else {
            // It does something else for longer than the time limit, and its next call fails.
            std::thread::sleep(Duration::from_millis(2500));
            must_fail(comm.recv(&mut one, 0));
        }
    });
}

#[test]
fn a_rank_that_computes_is_waited_for() {
    let name = "misuse::a_rank_that_computes_is_waited_for";
    let body = |own: &Rank| {
        let comm = own.comm();
        let (mut one, _) = buffers(&comm, 4);
        let begin = Instant::now();
        // Longer than the time limit of one second.
        while own.rank == 1 && begin.elapsed() < Duration::from_millis(2500) {
            std::hint::spin_loop();
        }
        comm.all_reduce_in_place(&mut one, &ReduceOp::Sum).unwrap();
    };
    for (rank, child) in start_with(name, 2, one_second, body).into_iter().enumerate() {
        check_ran(&child.wait_with_output().unwrap(), rank);
    }
}

#[test]
fn a_count_in_bytes_is_asked_about() {
    let wanted = "rank 1: ncclAllReduce(count 4096, f32, sum): it sends 16384 bytes, and the allocation has 4096: \
                  is the count in bytes?";
    failing("misuse::a_count_in_bytes_is_asked_about", 2, wanted, |own| {
        let comm = Raw::new(own);
        let bytes = 4096 * if own.rank == 1 { 1 } else { 4 };
        let send = own.stream.alloc_zeros::<u8>(bytes).unwrap();
        let receive = own.stream.alloc_zeros::<u8>(16384).unwrap();
        let send = send.device_ptr(&own.stream).0;
        let receive = receive.device_ptr(&own.stream).0;
        let buffers = Buffers { send, receive, count: 4096, datatype: F32 };
        assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), INVALID_ARGUMENT);
    });
}

#[test]
fn a_rank_that_dies_ends_the_others_at_once() {
    let name = "misuse::a_rank_that_dies_ends_the_others_at_once";
    let body = |own: &Rank| {
        let comm = own.comm();
        let (mut one, _) = buffers(&comm, 4);
        comm.all_reduce_in_place(&mut one, &ReduceOp::Sum).unwrap();
        println!("\nready");
        if own.rank == 1 {
            std::thread::sleep(Duration::from_secs(60));
        }
        must_fail(comm.all_reduce_in_place(&mut one, &ReduceOp::Max));
    };
    let mut children = start(name, 3, body);
    // Rank 1 can be done with the first call before the others are, and its death would end that one.
    let mut outputs: Vec<_> =
        children.iter_mut().map(|child| BufReader::new(child.stdout.take().unwrap()).lines()).collect();
    outputs.iter_mut().for_each(|lines| assert!(lines.any(|line| line.unwrap() == "ready")));
    children[1].kill().unwrap();
    let begin = Instant::now();
    for (rank, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        if rank != 1 {
            let text = crate::support::text(&output);
            assert!(text.contains("rank 1 has died"), "rank {rank}: {text}");
            assert!(text.contains("in ncclAllReduce(count 4, f32, max), its 2nd call"), "rank {rank}: {text}");
            assert!(output.status.success(), "rank {rank}: {text}");
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn a_rank_that_leaves_early_is_named() {
    let wanted = "rank 1 has left the communicator after 1 calls, and rank 0 waits for it in \
                  ncclAllReduce(count 4, f32, sum), its 2nd call";
    failing("misuse::a_rank_that_leaves_early_is_named", 2, wanted, |own| {
        let comm = own.comm();
        let (mut one, _) = buffers(&comm, 4);
        comm.all_reduce_in_place(&mut one, &ReduceOp::Sum).unwrap();
        if own.rank == 0 {
            must_fail(comm.all_reduce_in_place(&mut one, &ReduceOp::Sum));
        } else {
            // Rank 1 makes no call that could fail, so it prints the expected message itself.
            eprintln!(
                "rank 1 has left the communicator after 1 calls, and rank 0 waits for it in \
                       ncclAllReduce(count 4, f32, sum), its 2nd call"
            );
        }
    });
}

#[test]
fn a_send_to_itself_without_a_group_is_refused() {
    let wanted = "rank 0: ncclSend(count 4, f32, to rank 0): a transfer of a rank to itself needs a send and a receive in \
                  the same group";
    failing("misuse::a_send_to_itself_without_a_group_is_refused", 1, wanted, |own| {
        let comm = own.comm();
        must_fail(comm.send(&buffers(&comm, 4).0, 0));
    });
}

#[test]
fn a_rank_that_does_not_come_is_named() {
    let wanted = "of 3 ranks these have not called ncclCommInitRank within 1 s (COALESCED_NCCL_TIMEOUT): 1";
    failing_late("misuse::a_rank_that_does_not_come_is_named", 3, wanted, |own| {
        if own.rank == 1 {
            eprintln!("{wanted}");
        } else {
            must_fail(own.try_comm());
        }
    });
}
