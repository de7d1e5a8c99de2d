//! The accesses of copies, fills, atomics, stream memory operations and deallocation.

use super::streams::{Streams, titles};
use crate::support::process::own_process;
use crate::support::{KERNELS, Range, context, function, set, shape};
use cudarc::driver::PushKernelArg;
use cudarc::driver::sys;
use std::sync::Arc;

#[test]
fn copies_and_fills_are_work_as_kernels_are() {
    own_process!();
    let mut streams = Streams::new();
    let [first, second, _] = [0, 1, 2].map(|index| Arc::clone(&streams.all[index]));
    first.memset_zeros(&mut streams.buffers[0]).unwrap();
    let [source, target] = &mut streams.buffers;
    second.memcpy_dtod(source, target).unwrap();
    let found = titles();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("copy on the device number 1 on stream 2 reads what memset number 1 on stream 1"),
        "{found:?}"
    );
    second.join(&first).unwrap();
    first.join(&second).unwrap();
    first.memcpy_htod(&[1.0_f32; 256], &mut streams.buffers[0]).unwrap();
    assert_eq!(titles(), [""; 0]);
    let copied = second.clone_dtoh(&streams.buffers[0]).unwrap();
    assert_eq!((copied[0], titles().len()), (1.0, 1), "a copy to the host conflicts with one from it");
}

#[test]
fn a_copy_to_pageable_memory_orders_the_host_and_one_to_page_locked_memory_does_not() {
    own_process!();
    for locked in [false, true] {
        let streams = Streams::new();
        let [first, second, _] = &streams.all[..] else { panic!() };
        let mut pageable = [0.0_f32; 256];
        let mut pinned = std::ptr::null_mut();
        first.context().bind_to_thread().unwrap();
        // SAFETY: both targets have the bytes of a buffer.
        unsafe {
            sys::cuMemHostAlloc(&mut pinned, 1024, 0).result().unwrap();
            let target = if locked { pinned } else { pageable.as_mut_ptr().cast() };
            sys::cuMemcpyDtoHAsync_v2(target, streams.at(0, 0), 1024, first.cu_stream()).result().unwrap();
        }
        streams.receive(second, streams.range(0, 0..256));
        assert_eq!(titles().len(), usize::from(locked));
        // SAFETY: the memory was allocated above.
        unsafe { sys::cuMemFreeHost(pinned) }.result().unwrap();
    }
}

#[test]
fn cudarc_orders_the_uses_of_its_slices() {
    own_process!();
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    set("coalesced_set_checks", 1_u32);
    let first = context.new_stream().unwrap();
    let second = context.new_stream().unwrap();
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
fn plain_stores_conflict_and_atomics_do_not() {
    own_process!();
    for (kernel, expected) in [("add", 0), ("put", 1)] {
        let streams = Streams::new();
        streams.launch(&streams.all[0], kernel, streams.at(0, 0));
        streams.launch(&streams.all[1], kernel, streams.at(0, 0));
        assert_eq!(titles().len(), expected, "{kernel}");
        streams.receive(&streams.all[2], streams.range(0, 0..1));
        assert_eq!(titles().len(), 2 - expected, "a transfer conflicts with either");
    }
}

#[test]
fn a_published_word_orders_kernels() {
    own_process!();
    let streams = Streams::new();
    let [first, second, _] = &streams.all[..] else { panic!() };
    let word = streams.at(0, 0);
    streams.launch(first, "produce", word);
    streams.launch(second, "consume", word);
    assert_eq!(titles(), [""; 0], "the second kernel waits for the word");
    streams.receive(second, streams.range(0, 0..4));
    assert_eq!(titles(), [""; 0], "so does later work of its stream");
    streams.receive(first, streams.range(0, 2..4));
    assert_eq!(titles().len(), 1, "the first stream does not wait");
}

#[test]
fn memory_is_not_freed_on_a_stream_while_another_uses_it() {
    own_process!();
    for ordered in [true, false] {
        let streams = Streams::new();
        let [first, second, _] = &streams.all[..] else { panic!() };
        let mut address = 0;
        // SAFETY: the memory is used before it is freed, because the emulator runs work when it is submitted.
        unsafe {
            sys::cuMemAllocAsync(&mut address, 1024, first.cu_stream()).result().unwrap();
            streams.receive(first, Range { address, bytes: 1024 });
            if ordered {
                second.join(first).unwrap();
            }
            sys::cuMemFreeAsync(address, second.cu_stream()).result().unwrap();
        }
        assert_eq!(titles().len(), usize::from(!ordered));
    }
}
