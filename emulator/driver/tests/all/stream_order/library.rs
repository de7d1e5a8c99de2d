//! The functions for libraries that move data.

use super::streams::{Streams, titles};
use crate::support::process::own_process;
use crate::support::{Range, context, host_call, last_error, read_memory, transfer, write_memory};
use cudarc::driver::DevicePtr;
use cudarc::driver::sys::CUresult;
use std::ffi::c_void;

#[test]
fn libraries_access_memory_outside_all_streams_and_record_their_transfers() {
    own_process!();
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
    assert_eq!(transfer(&stream, "ncclSend of rank 0", &whole, &[]), CUresult::CUDA_SUCCESS);
    let past = [Range { address: address + 1, bytes: 64 }];
    assert_eq!(transfer(&stream, "ncclRecv of rank 0", &[], &past), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(last_error().contains("64 bytes"), "{}", last_error());
}

#[test]
fn a_host_function_of_the_program_orders_the_host_and_one_of_a_library_does_not() {
    own_process!();
    unsafe extern "C" fn count(calls: *mut c_void) {
        // SAFETY: the test passes its counter, which outlives the call.
        unsafe { *calls.cast::<u32>() += 1 };
    }
    for own in [false, true] {
        let streams = Streams::new();
        let [first, second, _] = &streams.all[..] else { panic!() };
        let mut calls = 0_u32;
        streams.receive(first, streams.range(0, 0..256));
        let place = (&raw mut calls).cast();
        if own {
            // SAFETY: the function may be called with the counter.
            unsafe { cudarc::driver::result::stream::launch_host_function(first.cu_stream(), count, place) }.unwrap();
        } else {
            assert_eq!(host_call(first, count, place), CUresult::CUDA_SUCCESS);
        }
        streams.scale(second, streams.at(0, 0), streams.at(1, 0), 256);
        assert_eq!((calls, titles().len()), (1, usize::from(!own)));
    }
}
