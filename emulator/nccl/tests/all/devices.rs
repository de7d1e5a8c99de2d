//! Several devices in one process, and the order of their streams.

use crate::support::raw::{Buffers, F32, INVALID_ARGUMENT, Raw, SUCCESS, SUM, call, group, last_error};
use crate::support::{Rank, check_ran, driver_symbol, driver_text, one_second, start_with};
use cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaStream, DevicePtr};
use cudarc::nccl::{Comm, ReduceOp, group_end, group_start};
use std::ffi::c_int;
use std::sync::Arc;

/// Runs a body in a process with three devices.
fn with_three(name: &str, body: impl FnOnce(&Rank)) {
    let variables = |rank| [one_second(rank), vec![("COALESCED_DEVICES", "3".into())]].concat();
    for child in start_with(name, 1, variables, body) {
        check_ran(&child.wait_with_output().unwrap(), 0);
    }
}

fn streams() -> Vec<Arc<CudaStream>> {
    (0..3).map(|device| CudaContext::new(device).unwrap().default_stream()).collect()
}

#[test]
fn one_thread_calls_for_all_of_its_ranks_in_a_group() {
    with_three("devices::one_thread_calls_for_all_of_its_ranks_in_a_group", |_| {
        let comms = Comm::from_devices(streams()).unwrap();
        let mut values: Vec<_> =
            comms.iter().map(|comm| comm.stream().clone_htod(&[comm.rank() as f32 + 1.0]).unwrap()).collect();
        group_start().unwrap();
        for (comm, value) in comms.iter().zip(&mut values) {
            assert_eq!((comm.rank(), comm.ordinal()), (comm.rank(), comm.rank()));
            comm.all_reduce_in_place(value, &ReduceOp::Sum).unwrap();
        }
        group_end().unwrap();
        for (comm, value) in comms.iter().zip(&values) {
            assert_eq!(comm.stream().clone_dtoh(value).unwrap(), [6.0]);
        }
    });
}

#[test]
fn each_thread_calls_for_its_rank() {
    with_three("devices::each_thread_calls_for_its_rank", |_| {
        let comms = Comm::from_devices(streams()).unwrap();
        std::thread::scope(|scope| {
            for comm in &comms {
                // SAFETY: a communicator is a number here, and each thread uses another one.
                let comm = Shared(comm);
                scope.spawn(move || {
                    let comm = comm.get();
                    comm.context().bind_to_thread().unwrap();
                    let stream = comm.stream();
                    let mut all = stream.alloc_zeros::<f32>(3).unwrap();
                    comm.all_gather(&stream.clone_htod(&[comm.rank() as f32]).unwrap(), &mut all).unwrap();
                    assert_eq!(stream.clone_dtoh(&all).unwrap(), [0.0, 1.0, 2.0]);
                });
            }
        });
    });
}

/// A reference that can be sent to a thread.
struct Shared<'a>(&'a Comm);

impl<'a> Shared<'a> {
    fn get(&self) -> &'a Comm {
        self.0
    }
}

// SAFETY: cudarc's communicator is a handle, which in the emulator's NCCL is a number that any thread may use.
unsafe impl Send for Shared<'_> {}

#[test]
fn calls_of_one_thread_without_a_group_end_with_advice() {
    with_three("devices::calls_of_one_thread_without_a_group_end_with_advice", |_| {
        let comms = Comm::from_devices(streams()).unwrap();
        let mut value = comms[0].stream().clone_htod(&[1.0_f32]).unwrap();
        assert!(comms[0].all_reduce_in_place(&mut value, &ReduceOp::Sum).is_err());
        let wanted = "waits for rank 1, which has called nothing on this communicator, and for rank 2, which has called \
                      nothing on this communicator: put the calls of ranks of one thread into one group";
        assert!(last_error().ends_with(wanted), "{}", last_error());
    });
}

#[test]
fn memory_of_another_device_is_refused() {
    with_three("devices::memory_of_another_device_is_refused", |own| {
        let comm = Raw::new(own);
        let elsewhere = CudaContext::new(2).unwrap().default_stream().clone_htod(&[1.0_f32]).unwrap();
        let address = elsewhere.device_ptr(elsewhere.stream()).0;
        let buffers = Buffers { send: address, receive: address, count: 1, datatype: F32 };
        assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), INVALID_ARGUMENT);
        let wanted = "it sends memory of device 2, and the communicator's rank is on device 0";
        assert!(last_error().ends_with(wanted), "{}", last_error());
    });
}

#[test]
fn ranks_of_a_thread_are_made_in_a_group() {
    with_three("devices::ranks_of_a_thread_are_made_in_a_group", |_| {
        type Init = unsafe extern "C" fn(*mut usize, c_int, crate::support::raw::IdByValue, c_int) -> c_int;
        let streams = streams();
        let id = crate::support::raw::IdByValue(crate::support::raw::id());
        let mut handles = [0; 3];
        let made = group(|| {
            for (rank, handle) in handles.iter_mut().enumerate() {
                streams[rank].context().bind_to_thread().unwrap();
                assert_eq!(call!("ncclCommInitRank", Init, handle, 3, id, rank as c_int), SUCCESS);
            }
        });
        assert_eq!(made, SUCCESS);
        let raw = |rank: usize| Raw { handle: handles[rank], stream: streams[rank].clone() };
        let sizes: Vec<_> =
            (0..3).map(|rank| (raw(rank).ask("ncclCommCount"), raw(rank).ask("ncclCommCuDevice"))).collect();
        assert_eq!(sizes, [(3, 0), (3, 1), (3, 2)]);
    });
}

#[test]
fn a_copy_on_another_stream_of_what_is_received_is_found_by_the_order_of_streams() {
    let name = "devices::a_copy_on_another_stream_of_what_is_received_is_found_by_the_order_of_streams";
    for (rank, child) in start_with(name, 2, |_| Vec::new(), hazard).into_iter().enumerate() {
        check_ran(&child.wait_with_output().unwrap(), rank);
    }
}

fn hazard(own: &Rank) {
    driver_symbol::<extern "C" fn(u32)>("coalesced_set_checks")(1);
    let context = own.stream.context();
    let transfers = context.new_stream().unwrap();
    let compute = context.new_stream().unwrap();
    let comm = Raw { stream: transfers.clone(), ..Raw::new(own) };
    let source = own.stream.clone_htod(&[1.0_f32; 4]).unwrap();
    let target = own.stream.clone_htod(&[0.0_f32; 4]).unwrap();
    let source = source.device_ptr(&own.stream).0;
    let target = target.device_ptr(&own.stream).0;
    // SAFETY: both ranges are of 16 bytes.
    let copy =
        || unsafe { cudarc::driver::result::memcpy_dtod_async(target, source, 16, compute.cu_stream()) }.unwrap();
    for ordered in [true, false] {
        context.synchronize().unwrap();
        assert_eq!(comm.one("ncclBcast", source, 4, F32, 0), SUCCESS);
        if ordered {
            compute.wait(&transfers.record_event(None).unwrap()).unwrap();
        }
        copy();
        let findings = driver_text("coalesced_take_findings");
        // The root's broadcast only reads, as the copy does.
        let expected = !ordered && own.rank == 1;
        assert_eq!(findings.contains("ncclBroadcast(count 4, f32, root 0) of rank 1"), expected, "{findings}");
        assert_eq!(findings == "[]", !expected, "{findings}");
    }
}

/// A captured call moves its data in a host function, which the program cannot observe.
#[test]
fn a_captured_call_does_not_order_the_host_after_its_stream() {
    let name = "devices::a_captured_call_does_not_order_the_host_after_its_stream";
    for (rank, child) in start_with(name, 2, |_| Vec::new(), captured_call).into_iter().enumerate() {
        check_ran(&child.wait_with_output().unwrap(), rank);
    }
}

fn captured_call(own: &Rank) {
    driver_symbol::<extern "C" fn(u32)>("coalesced_set_checks")(1);
    let context = own.stream.context();
    let transfers = context.new_stream().unwrap();
    let compute = context.new_stream().unwrap();
    let comm = Raw { stream: transfers.clone(), ..Raw::new(own) };
    let [filled, sent, target] = [(); 3].map(|()| own.stream.clone_htod(&[1.0_f32; 4]).unwrap());
    let [filled, sent, target] = [&filled, &sent, &target].map(|slice| slice.device_ptr(&own.stream).0);
    context.synchronize().unwrap();
    transfers.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    // SAFETY: the range has 16 bytes.
    unsafe { sys::cuMemsetD8Async(filled, 7, 16, transfers.cu_stream()) }.result().unwrap();
    assert_eq!(comm.one("ncclBcast", sent, 4, F32, 0), SUCCESS);
    let graph = transfers.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
    graph.launch().unwrap();
    // SAFETY: both ranges are of 16 bytes.
    unsafe { cudarc::driver::result::memcpy_dtod_async(target, filled, 16, compute.cu_stream()) }.unwrap();
    let findings = driver_text("coalesced_take_findings");
    assert!(findings.contains("reads what memset number 1"), "{findings}");
}

#[test]
fn the_own_part_of_a_gather_in_place_may_be_read_meanwhile() {
    let name = "devices::the_own_part_of_a_gather_in_place_may_be_read_meanwhile";
    for (rank, child) in start_with(name, 3, |_| Vec::new(), own_part).into_iter().enumerate() {
        check_ran(&child.wait_with_output().unwrap(), rank);
    }
}

fn own_part(own: &Rank) {
    driver_symbol::<extern "C" fn(u32)>("coalesced_set_checks")(1);
    let context = own.stream.context();
    let transfers = context.new_stream().unwrap();
    let compute = context.new_stream().unwrap();
    let comm = Raw { stream: transfers, ..Raw::new(own) };
    let all = own.stream.clone_htod(&[1.0_f32; 12]).unwrap();
    let all = all.device_ptr(&own.stream).0;
    let target = own.stream.clone_htod(&[0.0_f32; 4]).unwrap();
    let target = target.device_ptr(&own.stream).0;
    for part in [own.rank, (own.rank + 1) % 3] {
        context.synchronize().unwrap();
        let buffers = Buffers { send: all + 16 * own.rank as u64, receive: all, count: 4, datatype: F32 };
        assert_eq!(comm.plain("ncclAllGather", buffers), SUCCESS);
        let source = all + 16 * part as u64;
        // SAFETY: both ranges are of 16 bytes.
        unsafe { cudarc::driver::result::memcpy_dtod_async(target, source, 16, compute.cu_stream()) }.unwrap();
        let findings = driver_text("coalesced_take_findings");
        assert_eq!(findings == "[]", part == own.rank, "part {part} on rank {}: {findings}", own.rank);
    }
}
