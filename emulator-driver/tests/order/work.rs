//! Copies, fills, atomics, words that hand over, and memory that is freed: what each counts as.

use super::bench::{Bench, titles, turn};
use crate::support::{KERNELS, Range, context, function, set, shape};
use cudarc::driver::PushKernelArg;
use cudarc::driver::sys;
use std::sync::Arc;

#[test]
fn copies_and_fills_are_work_as_kernels_are() {
    let mut bench = Bench::new();
    let [first, second, _] = [0, 1, 2].map(|index| Arc::clone(&bench.streams[index]));
    first.memset_zeros(&mut bench.buffers[0]).unwrap();
    let [source, target] = &mut bench.buffers;
    second.memcpy_dtod(source, target).unwrap();
    let found = titles();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("copy on the device number 1 on stream 2 reads what memset number 1 on stream 1"),
        "{found:?}"
    );
    second.join(&first).unwrap();
    first.join(&second).unwrap();
    first.memcpy_htod(&[1.0_f32; 256], &mut bench.buffers[0]).unwrap();
    assert_eq!(titles(), [""; 0]);
    let copied = second.clone_dtoh(&bench.buffers[0]).unwrap();
    assert_eq!((copied[0], titles().len()), (1.0, 1), "a copy to the host beside one from it");
}

#[test]
fn a_copy_to_pageable_memory_orders_the_host_and_one_to_page_locked_memory_does_not() {
    for locked in [false, true] {
        let bench = Bench::new();
        let [first, second, _] = &bench.streams[..] else { panic!() };
        let mut pageable = [0.0_f32; 256];
        let mut pinned = std::ptr::null_mut();
        first.context().bind_to_thread().unwrap();
        // SAFETY: both targets have the bytes of a buffer.
        unsafe {
            sys::cuMemHostAlloc(&mut pinned, 1024, 0).result().unwrap();
            let target = if locked { pinned } else { pageable.as_mut_ptr().cast() };
            sys::cuMemcpyDtoHAsync_v2(target, bench.at(0, 0), 1024, first.cu_stream()).result().unwrap();
        }
        bench.receive(second, bench.range(0, 0..256));
        assert_eq!(titles().len(), usize::from(locked));
        // SAFETY: the memory was allocated above.
        unsafe { sys::cuMemFreeHost(pinned) }.result().unwrap();
    }
}

#[test]
fn cudarc_orders_what_its_slices_are_used_for() {
    let _turn = turn();
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    set("coalesced_set_checks", 1_u32);
    let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let mut input = first.clone_htod(&[1.0_f32; 256]).unwrap();
    let mut output = second.alloc_zeros::<f32>(256).unwrap();
    for _ in 0..3 {
        for stream in [&first, &second] {
            let mut launch = stream.launch_builder(&scale);
            launch.arg(&mut output).arg(&input).arg(&3.0_f32).arg(&256_u32);
            // SAFETY: the kernel reads and writes the elements of both slices.
            unsafe { launch.launch(shape(2, 128, 0)) }.unwrap();
        }
        second.memcpy_dtod(&output, &mut input).unwrap();
    }
    assert_eq!(first.clone_dtoh(&input).unwrap(), [27.0; 256]);
    set("coalesced_set_checks", 0_u32);
    assert_eq!(titles(), [""; 0]);
}

#[test]
fn atomics_go_together_and_plain_stores_do_not() {
    for (kernel, expected) in [("add", 0), ("put", 1)] {
        let bench = Bench::new();
        bench.launch(&bench.streams[0], kernel, bench.at(0, 0));
        bench.launch(&bench.streams[1], kernel, bench.at(0, 0));
        assert_eq!(titles().len(), expected, "{kernel}");
        bench.receive(&bench.streams[2], bench.range(0, 0..1));
        assert_eq!(titles().len(), 2 - expected, "a transfer waits for all of them");
    }
}

#[test]
fn a_word_that_is_handed_over_orders_kernels_and_streams() {
    let bench = Bench::new();
    let [first, second, third] = &bench.streams[..] else { panic!() };
    let word = bench.at(0, 0);
    bench.launch(first, "produce", word);
    bench.launch(second, "consume", word);
    assert_eq!(titles(), [""; 0], "the second kernel waits for the word");
    // SAFETY: the words are inside the buffer.
    unsafe {
        sys::cuStreamWriteValue32_v2(second.cu_stream(), word + 40, 1, 0).result().unwrap();
        sys::cuStreamWaitValue32_v2(third.cu_stream(), word + 40, 1, 0).result().unwrap();
    }
    bench.receive(third, bench.range(0, 0..4));
    assert_eq!(titles(), [""; 0], "the third stream waits for a word of the second");
    bench.receive(first, bench.range(0, 2..4));
    assert_eq!(titles().len(), 1, "the first waits for nobody");
}

#[test]
fn memory_is_not_freed_on_a_stream_while_another_uses_it() {
    for ordered in [true, false] {
        let bench = Bench::new();
        let [first, second, _] = &bench.streams[..] else { panic!() };
        let mut address = 0;
        // SAFETY: the memory is used before it is freed, by work that runs when it is given.
        unsafe {
            sys::cuMemAllocAsync(&mut address, 1024, first.cu_stream()).result().unwrap();
            bench.receive(first, Range { address, bytes: 1024 });
            if ordered {
                second.join(first).unwrap();
            }
            sys::cuMemFreeAsync(address, second.cu_stream()).result().unwrap();
        }
        assert_eq!(titles().len(), usize::from(!ordered));
    }
}
