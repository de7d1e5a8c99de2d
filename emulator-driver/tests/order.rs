//! What orders the work of streams, and what is found where nothing does.

mod support;

use cudarc::driver::DevicePtr;
use cudarc::driver::sys::CUresult;
use support::{Range, context, last_error, read_memory, transfer, write_memory};

#[test]
fn libraries_reach_memory_past_all_streams_and_tell_of_their_transfers() {
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
