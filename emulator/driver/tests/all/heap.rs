//! Memory that kernels allocate: the limit of the heap, and the error of a wrong `free`.

use crate::support::{context, function, last_error, on_hardware, shape, status};
use cudarc::driver::sys::{CUlimit, CUresult};
use cudarc::driver::{CudaContext, PushKernelArg};
use std::sync::Arc;

const HEAP: &str = include_str!("../../../machine/tests/programs/heap.ptx");
const FREED_TWICE: &str = include_str!("../../../machine/tests/faults/freed_twice.ptx");

/// Returns whether a kernel can allocate `bytes` bytes.
fn has_room(context: &Arc<CudaContext>, bytes: u64) -> bool {
    let stream = context.default_stream();
    let kernel = function(context, HEAP, "ofBlock");
    let mut values = stream.alloc_zeros::<i32>(8).unwrap();
    // SAFETY: the kernel writes one number per thread.
    unsafe { stream.launch_builder(&kernel).arg(&mut values).arg(&bytes).launch(shape(1, 8, 0)) }.unwrap();
    match stream.clone_dtoh(&values).unwrap().as_slice() {
        [22, 19, 16, 13, 10, 7, 4, 1] => true,
        [-1, -1, -1, -1, -1, -1, -1, -1] => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_heap_of_a_context_has_a_limit_that_programs_set_before_they_use_it() {
    let limit = CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE;
    let first = context();
    assert_eq!(first.get_limit(limit).unwrap(), 8 << 20, "the default that CUDA documents");
    assert!(has_room(&first, 4 << 20) && !has_room(&first, 9 << 20));
    let second = context();
    second.set_limit(limit, 16 << 20).unwrap();
    assert!(second.get_limit(limit).unwrap() >= 16 << 20);
    assert!(has_room(&second, 9 << 20));
    if !on_hardware() {
        assert_eq!(status(second.set_limit(limit, usize::MAX)), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn a_block_that_is_freed_twice_ends_the_context() {
    if on_hardware() {
        return; // CUDA leaves the behavior open.
    }
    let context = context();
    let stream = context.default_stream();
    let kernel = function(&context, FREED_TWICE, "free_twice");
    // SAFETY: the kernel faults and does not access memory of this process.
    unsafe { stream.launch_builder(&kernel).launch(shape(1, 1, 0)) }.unwrap();
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_LAUNCH_FAILED);
    assert!(last_error().contains("of a block of 24 bytes that was freed before"), "{}", last_error());
}
