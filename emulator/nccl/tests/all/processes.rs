//! Ranks in one process and in graphs, and the resources that they use.

use crate::support::raw::{
    Buffers, F32, Handle, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR, Raw, SUCCESS, SUM, call, id, last_error,
};
use crate::support::{Rank, check_ran, one_second, ranks, start_with};
use cudarc::driver::sys::{CUgraphInstantiate_flags_enum, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, DevicePtr};
use std::ffi::c_int;
use std::time::{Duration, Instant};

type InitAll = unsafe extern "C" fn(*mut Handle, c_int, *const c_int) -> c_int;

/// All-reduces one number.
fn sum(own: &Rank, comm: &Raw, value: f32) -> f32 {
    let slice = own.stream.clone_htod(&[value]).unwrap();
    let address = slice.device_ptr(&own.stream).0;
    let buffers = Buffers { send: address, receive: address, count: 1, datatype: F32 };
    assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
    own.stream.clone_dtoh(&slice).unwrap()[0]
}

#[test]
fn a_captured_call_is_done_at_each_launch_of_its_graph() {
    ranks("processes::a_captured_call_is_done_at_each_launch_of_its_graph", &[1, 3], |own| {
        let context = CudaContext::new(0).unwrap();
        let own = Rank { stream: context.new_stream().unwrap(), ..*own };
        let comm = Raw::new(&own);
        let slice = own.stream.clone_htod(&[1.0_f32]).unwrap();
        let address = slice.device_ptr(&own.stream).0;
        own.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let buffers = Buffers { send: address, receive: address, count: 1, datatype: F32 };
        assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
        let flags = CUgraphInstantiate_flags_enum::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = own.stream.end_capture(flags).unwrap().unwrap();
        assert_eq!(own.stream.clone_dtoh(&slice).unwrap(), [1.0], "nothing moves while it is captured");
        for launch in 1..=3 {
            graph.launch().unwrap();
            assert_eq!(own.stream.clone_dtoh(&slice).unwrap(), [(own.world as f32).powi(launch)]);
        }
        assert_eq!(comm.ask("ncclCommGetAsyncError"), SUCCESS);
    });
}

#[test]
fn an_abort_ends_a_call_of_another_thread_and_the_other_ranks() {
    ranks("processes::an_abort_ends_a_call_of_another_thread_and_the_other_ranks", &[2], |own| {
        let comm = Raw::new(own);
        let slice = own.stream.clone_htod(&[0.0_f32]).unwrap();
        let address = slice.device_ptr(&own.stream).0;
        let begin = Instant::now();
        if own.rank == 1 {
            // It does not take part in the broadcast.
            while comm.ask("ncclCommGetAsyncError") == SUCCESS {
                std::thread::sleep(Duration::from_millis(10));
            }
            return;
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                assert_eq!(comm.end("ncclCommAbort"), SUCCESS);
            });
            assert_eq!(comm.one("ncclBcast", address, 1, F32, 1), REMOTE_ERROR);
        });
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        let wanted = "rank 0 has aborted the communicator in ncclBroadcast(count 1, f32, root 1), its 1st call";
        assert_eq!(last_error(), wanted);
    });
}

#[test]
fn one_process_has_a_rank_for_each_of_its_devices() {
    ranks("processes::one_process_has_a_rank_for_each_of_its_devices", &[1], |own| {
        let mut handles = [0; 2];
        assert_eq!(call!("ncclCommInitAll", InitAll, handles.as_mut_ptr(), 1, std::ptr::null()), SUCCESS);
        assert_eq!(sum(own, &Raw { handle: handles[0], stream: own.stream.clone() }, 5.0), 5.0);
        let twice = [0; 2];
        assert_eq!(call!("ncclCommInitAll", InitAll, handles.as_mut_ptr(), 2, twice.as_ptr()), INVALID_USAGE);
        assert!(last_error().contains("ranks 0 and 1 are both on device 0 of one process"), "{}", last_error());
        let many = [0, 64];
        assert_eq!(call!("ncclCommInitAll", InitAll, handles.as_mut_ptr(), 2, many.as_ptr()), INVALID_ARGUMENT);
        assert!(last_error().contains("there is no device 64"), "{}", last_error());
    });
}

#[test]
fn ranks_that_do_not_fit_are_refused() {
    ranks("processes::ranks_that_do_not_fit_are_refused", &[2], |own| {
        let other = Rank { world: 2 + own.rank, stream: own.stream.clone(), ..*own };
        assert!(Raw::of(&other, id()).is_err());
        let wanted = "and rank 1 as one of 3";
        let swapped = "and rank 0 as one of 2";
        assert!(last_error().contains(wanted) || last_error().contains(swapped), "{}", last_error());
    });
}

#[cfg(unix)]
#[test]
fn a_rank_that_is_stopped_does_not_answer() {
    let name = "processes::a_rank_that_is_stopped_does_not_answer";
    let body = |own: &Rank| {
        let comm = Raw::new(own);
        if own.rank == 1 {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP).unwrap();
            // The signal may reach another thread first, so this one must not return in the meantime.
            return std::thread::sleep(Duration::from_secs(60));
        }
        let slice = own.stream.clone_htod(&[0.0_f32]).unwrap();
        assert_eq!(comm.one("ncclBcast", slice.device_ptr(&own.stream).0, 1, F32, 1), REMOTE_ERROR);
        assert!(last_error().ends_with("waits for rank 1, which does not answer"), "{}", last_error());
    };
    let mut children = start_with(name, 2, one_second, body);
    if let Some(mut stopped) = children.pop() {
        check_ran(&children.remove(0).wait_with_output().unwrap(), 0);
        stopped.kill().unwrap();
        stopped.wait().unwrap();
    }
}

/// Returns the number of listening sockets of this process.
fn listening() -> usize {
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    // State 0A means listening. Field 9 is the number of the socket.
    let numbers = table.lines().map(fields).filter(|line| line[3] == "0A").map(|line| format!("socket:[{}]", line[9]));
    let numbers: Vec<_> = numbers.collect();
    let files =
        std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    files.filter(|file| numbers.iter().any(|number| file.as_os_str() == number.as_str())).count()
}

/// Returns the number of sockets of this process.
fn sockets() -> usize {
    let files =
        std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    files.filter(|file| file.to_string_lossy().starts_with("socket:")).count()
}

#[test]
fn no_port_is_open_and_no_connection_left() {
    ranks("processes::no_port_is_open_and_no_connection_left", &[4], |own| {
        let before = sockets();
        let began = Instant::now();
        let probe = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert_eq!(listening(), 1, "an open port is found");
        drop(probe);
        let comm = Raw::new(own);
        assert_eq!(sum(own, &comm, 1.0), 4.0);
        assert_eq!((listening(), sockets()), (0, before + 3));
        assert_eq!(comm.end("ncclCommDestroy"), SUCCESS);
        // The readers end when the other ranks have closed the connections.
        while sockets() > before && began.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(sockets(), before);
    });
}

#[test]
fn a_large_buffer_is_never_held_whole() {
    ranks("processes::a_large_buffer_is_never_held_whole", &[2], |own| {
        let comm = Raw::new(own);
        let count = 24 << 20;
        let slice = own.stream.alloc_zeros::<u8>(count).unwrap();
        let address = slice.device_ptr(&own.stream).0;
        let before = peak();
        assert_eq!(comm.one("ncclBcast", address, count, 0, 0), SUCCESS);
        let buffers = Buffers { send: address, receive: address, count: count / 4, datatype: F32 };
        assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
        assert!(peak() < before + (8 << 10), "{} KiB before, {} after", before, peak());
    });
}

/// Returns the peak memory of this process in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

#[test]
fn a_rank_without_a_root_names_its_address() {
    let name = "processes::a_rank_without_a_root_names_its_address";
    let body = |own: &Rank| {
        assert!(Raw::of(own, id()).is_err());
        assert!(last_error().contains("rank 0 has not opened 127.0.0.1:1 within 1 s"), "{}", last_error());
    };
    let nowhere = |rank: usize| match rank {
        0 => Vec::new(),
        _ => [one_second(rank), vec![("NCCL_COMM_ID", "127.0.0.1:1".to_owned())]].concat(),
    };
    let mut children = start_with(name, 2, nowhere, body);
    if let Some(mut other) = (!children.is_empty()).then(|| children.remove(0)) {
        check_ran(&children.remove(0).wait_with_output().unwrap(), 1);
        // Rank 0 waits for a rank that never joins.
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
