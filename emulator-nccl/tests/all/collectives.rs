//! Operations of all ranks, through cudarc's safe layer.

use crate::support::ranks;
use cudarc::nccl::{Comm, ReduceOp};

/// A value that differs by rank and place; small, so that sums are exact in f32.
fn value(rank: usize, index: usize) -> f32 {
    ((rank + 1) * (index % 7 + 1)) as f32
}

fn values(rank: usize, count: usize) -> Vec<f32> {
    (0..count).map(|index| value(rank, index)).collect()
}

#[test]
fn every_rank_gets_what_it_should() {
    ranks("collectives::every_rank_gets_what_it_should", &[1, 2, 3, 4, 8], |own| {
        let comm = own.comm();
        for count in [0, 1, 5, 1000, 200_000] {
            one_count(&comm, count);
        }
    });
}

fn one_count(comm: &Comm, count: usize) {
    let (rank, world, stream) = (comm.rank(), comm.world_size(), comm.stream());
    // cudarc refuses empty slices: an empty view of a larger one.
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
fn shares_go_round_a_ring() {
    ranks("collectives::shares_go_round_a_ring", &[1, 2, 3, 4, 8], |own| {
        let comm = own.comm();
        let (rank, world, stream) = (own.rank, own.world, &own.stream);
        for count in [1, 1000, 600_000] {
            let mut here = stream.clone_htod(&values(rank, count)).unwrap();
            let mut coming = stream.alloc_zeros::<f32>(count).unwrap();
            for step in 0..world {
                let origin = (rank + world - step) % world;
                assert!(stream.clone_dtoh(&here).unwrap() == values(origin, count), "step {step}");
                let (out, into) = (here.as_view(), coming.as_view_mut());
                let mut group = comm.group();
                group.send(out, ((rank + 1) % world) as i32).unwrap();
                group.recv(into, ((rank + world - 1) % world) as i32).unwrap();
                drop(group);
                std::mem::swap(&mut here, &mut coming);
            }
        }
    });
}
