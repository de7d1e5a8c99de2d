//! Stream memory operations: the conditions of a wait.

use crate::support::{context, last_error, on_hardware, write_memory};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DevicePtr};
use std::sync::Arc;
use std::time::Duration;

/// The flags of a wait: greater than or equal in cyclic order, equal, and, nor.
const GEQ: u32 = 0;
const EQ: u32 = 1;
const AND: u32 = 2;
const NOR: u32 = 3;

/// Waits on the stream of a new thread until the word at `address` meets a condition.
fn wait(context: &Arc<CudaContext>, address: u64, bits: u32, flags: u32, value: u64) -> CUresult {
    context.bind_to_thread().unwrap();
    let stream = context.default_stream();
    // SAFETY: the address is of an aligned word of 8 bytes.
    unsafe {
        match bits {
            32 => sys::cuStreamWaitValue32_v2(stream.cu_stream(), address, value as u32, flags),
            _ => sys::cuStreamWaitValue64_v2(stream.cu_stream(), address, value, flags),
        }
    }
}

#[test]
fn a_wait_ends_when_its_condition_holds() {
    if on_hardware() {
        return; // A word is written past the streams, which no real driver offers.
    }
    let context = context();
    let stream = context.default_stream();
    let word = stream.alloc_zeros::<u64>(1).unwrap();
    let address = word.device_ptr(&stream).0;
    // A flag, bits, value, a word that ends the wait, and a word that does not.
    let cases: [(u32, u32, u64, u64, Option<u64>); 10] = [
        (GEQ, 32, 5, 5, Some(4)),
        (GEQ, 32, 5, 6, None),
        (GEQ, 32, 0xFFFF_FFFF, 1, None),
        (GEQ, 32, 1, 1, Some(0xFFFF_FFFF)),
        (GEQ, 64, u64::MAX, 1, None),
        (GEQ, 64, 0x8000_0000, 0x8000_0000, Some(0)),
        (EQ, 32, 7, 7, Some(6)),
        (AND, 32, 6, 4, Some(9)),
        (NOR, 32, 0xFFFF_0000, 0xFFFE, Some(0xFFFF)),
        (NOR, 64, 0xFFFF_0000, 0xFFFF, None),
    ];
    for (flags, bits, value, ends, waits) in cases {
        let case = format!("flags {flags}, {bits} bits, value {value:#x}");
        let first = waits.unwrap_or(ends);
        assert_eq!(write_memory(address, &first.to_le_bytes()), CUresult::CUDA_SUCCESS);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wait(&context, address, bits, flags, value));
            if waits.is_some() {
                std::thread::sleep(Duration::from_millis(5));
                assert!(!waiting.is_finished(), "{case}: ended with the word {first:#x}");
                assert_eq!(write_memory(address, &ends.to_le_bytes()), CUresult::CUDA_SUCCESS);
            }
            assert_eq!(waiting.join().unwrap(), CUresult::CUDA_SUCCESS, "{case}");
        });
    }
    assert_eq!(wait(&context, address, 32, 4, 0), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(wait(&context, address, 32, 1 << 30, 0), CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert!(last_error().contains("FLUSH"), "{}", last_error());
}
