//! What libraries that move data are served, and the bytes that nothing could run beside.

use super::bench::{Bench, titles, turn};
use crate::support::{Range, context, host_call, last_error, read_memory, take_transfers, transfer, write_memory};
use cudarc::driver::DevicePtr;
use cudarc::driver::sys::CUresult;
use std::ffi::c_void;

#[test]
fn bytes_are_exposed_beside_which_no_kernel_could_run() {
    let exposed = |run: fn(&Bench)| {
        let bench = Bench::new();
        run(&bench);
        let taken: serde_json::Value = serde_json::from_str(&take_transfers()).unwrap();
        assert_eq!(taken[0]["device"], 0);
        assert_eq!(taken[0]["bytes"], 1024, "{taken}");
        let again: serde_json::Value = serde_json::from_str(&take_transfers()).unwrap();
        assert_eq!(again[0]["bytes"], 0, "{again}");
        taken[0]["exposed_bytes"].as_u64().unwrap()
    };
    assert_eq!(exposed(|bench| bench.receive(&bench.streams[0], bench.range(0, 0..256))), 1024, "no kernel at all");
    assert_eq!(
        exposed(|bench| {
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
        }),
        0,
        "a kernel that is given later"
    );
    assert_eq!(
        exposed(|bench| {
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
        }),
        0,
        "a kernel that was given before"
    );
    assert_eq!(
        exposed(|bench| {
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
            bench.streams[0].join(&bench.streams[1]).unwrap();
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
            bench.streams[1].join(&bench.streams[0]).unwrap();
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
        }),
        1024,
        "kernels before and behind it"
    );
    assert_eq!(
        exposed(|bench| {
            bench.receive(&bench.streams[0], bench.range(0, 0..256));
            bench.context.synchronize().unwrap();
            bench.scale(&bench.streams[1], bench.at(1, 0), bench.at(1, 128), 128);
        }),
        1024,
        "the host waits between"
    );
}

#[test]
fn libraries_reach_memory_past_all_streams_and_tell_of_their_transfers() {
    let _turn = turn();
    let context = context();
    let stream = context.default_stream();
    let slice = stream.clone_htod(&[1_u8; 64]).unwrap();
    let (address, _sync) = slice.device_ptr(&stream);
    let mut bytes = [0; 4];
    assert_eq!(write_memory(address + 2, &[7, 8]), CUresult::CUDA_SUCCESS);
    assert_eq!(read_memory(&mut bytes, address), CUresult::CUDA_SUCCESS);
    assert_eq!(bytes, [1, 1, 7, 8]);
    assert_eq!(read_memory(&mut bytes, address + 61), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(write_memory(address + 61, &bytes), CUresult::CUDA_ERROR_INVALID_VALUE);
    let whole = [Range { address, bytes: 64 }];
    assert_eq!(transfer(&stream, "ncclSend of rank 0", &whole, &[], 64, 0), CUresult::CUDA_SUCCESS);
    let past = [Range { address: address + 1, bytes: 64 }];
    assert_eq!(transfer(&stream, "ncclRecv of rank 0", &[], &past, 0, 64), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(last_error().contains("64 bytes"), "{}", last_error());
}

#[test]
fn a_function_of_a_library_does_not_tell_the_program_and_one_of_the_program_does() {
    unsafe extern "C" fn count(calls: *mut c_void) {
        // SAFETY: the test passes its counter, which outlives the call.
        unsafe { *calls.cast::<u32>() += 1 };
    }
    for own in [false, true] {
        let bench = Bench::new();
        let [first, second, _] = &bench.streams[..] else { panic!() };
        let mut calls = 0_u32;
        bench.receive(first, bench.range(0, 0..256));
        let place = (&raw mut calls).cast();
        if own {
            // SAFETY: the function may be called with the counter.
            unsafe { cudarc::driver::result::stream::launch_host_function(first.cu_stream(), count, place) }.unwrap();
        } else {
            assert_eq!(host_call(first, count, place), CUresult::CUDA_SUCCESS);
        }
        bench.scale(second, bench.at(0, 0), bench.at(1, 0), 256);
        assert_eq!((calls, titles().len()), (1, usize::from(!own)));
    }
}
