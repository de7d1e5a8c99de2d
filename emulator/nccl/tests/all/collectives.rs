//! Collective operations through cudarc's safe layer.

use crate::support::{Rank, ranks};
use cudarc::nccl::{Comm, ReduceOp};

/// Returns a value that depends on rank and index, small enough for exact sums in f32.
fn value(rank: usize, index: usize) -> f32 {
    ((rank + 1) * (index % 7 + 1)) as f32
}

fn values(rank: usize, count: usize) -> Vec<f32> {
    (0..count).map(|index| value(rank, index)).collect()
}

#[test]
fn every_rank_gets_the_right_values() {
    ranks("collectives::every_rank_gets_the_right_values", &[1, 2, 3, 4], |own| {
        let comm = own.comm();
        for count in [0, 1, 5, 1000] {
            one_count(&comm, count);
        }
        // More than one chunk of the network.
        if own.world == 2 {
            one_count(&comm, 70_000);
        }
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_rank_gets_the_right_values_of_large_buffers() {
    ranks("collectives::every_rank_gets_the_right_values_of_large_buffers", &[1, 3, 4, 8], |own| {
        one_count(&own.comm(), 200_000);
    });
}

fn one_count(comm: &Comm, count: usize) {
    let rank = comm.rank();
    let world = comm.world_size();
    let stream = comm.stream();
    // cudarc rejects empty slices, so this is an empty view of a larger one.
    let send = stream.clone_htod(&values(rank, count.max(1))).unwrap();
    let send = send.slice(..count);
    let sums: Vec<f32> = (0..count).map(|index| (0..world).map(|rank| value(rank, index)).sum()).collect();
    let whole: Vec<f32> = (0..world).flat_map(|rank| values(rank, count)).collect();

    let mut all = stream.alloc_zeros::<f32>((world * count).max(1)).unwrap();
    comm.all_gather(&send, &mut all.slice_mut(..world * count)).unwrap();
    assert_eq!(stream.clone_dtoh(&all).unwrap()[..world * count], whole);

    let mut one = stream.alloc_zeros::<f32>(count.max(1)).unwrap();
    comm.all_reduce(&send, &mut one.slice_mut(..count), &ReduceOp::Sum).unwrap();
    assert_eq!(stream.clone_dtoh(&one).unwrap()[..count], sums);

    let mut one = stream.alloc_zeros::<f32>(count.max(1)).unwrap();
    comm.reduce_scatter(&all.slice(..world * count), &mut one.slice_mut(..count), &ReduceOp::Max).unwrap();
    assert_eq!(stream.clone_dtoh(&one).unwrap()[..count], values(rank, count));

    for root in 0..world {
        let mut one = stream.alloc_zeros::<f32>(count.max(1)).unwrap();
        comm.broadcast((rank == root).then_some(&send), &mut one.slice_mut(..count), root as i32).unwrap();
        assert_eq!(stream.clone_dtoh(&one).unwrap()[..count], values(root, count));
        let mut one = stream.alloc_zeros::<f32>(count.max(1)).unwrap();
        let mut view = one.slice_mut(..count);
        comm.reduce(&send, (rank == root).then_some(&mut view), &ReduceOp::Sum, root as i32).unwrap();
        let expected = if rank == root { sums.clone() } else { vec![0.0; count] };
        assert_eq!(stream.clone_dtoh(&one).unwrap()[..count], expected);
    }
}

#[test]
fn buffers_travel_around_a_ring() {
    ranks("collectives::buffers_travel_around_a_ring", &[1, 2, 3, 4], |own| {
        [1, 1000].into_iter().for_each(|count| ring(own, count));
        // More than the network's window.
        if own.world == 2 {
            ring(own, 300_000);
        }
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn large_buffers_travel_around_a_ring() {
    ranks("collectives::large_buffers_travel_around_a_ring", &[1, 3, 4, 8], |own| ring(own, 600_000));
}

/// Sends each rank's buffer around the ring of all ranks, one step at a time.
fn ring(own: &Rank, count: usize) {
    let comm = own.comm();
    let rank = own.rank;
    let world = own.world;
    let stream = &own.stream;
    let mut here = stream.clone_htod(&values(rank, count)).unwrap();
    let mut next = stream.alloc_zeros::<f32>(count).unwrap();
    for step in 0..world {
        let origin = (rank + world - step) % world;
        assert!(stream.clone_dtoh(&here).unwrap() == values(origin, count), "step {step}");
        let from = here.as_view();
        let to = next.as_view_mut();
        let mut group = comm.group();
        group.send(from, ((rank + 1) % world) as i32).unwrap();
        group.recv(to, ((rank + world - 1) % world) as i32).unwrap();
        drop(group);
        std::mem::swap(&mut here, &mut next);
    }
}
