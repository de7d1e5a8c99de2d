//! Several devices in one process. With `COALESCED_TEST_DRIVER=cuda`, on a machine with at least two GPUs, hardware behaves the
//! same except for faults, which disable a real driver for the process.

use crate::support::process::own_process;
use crate::support::{KERNELS, function, install, last_error, on_hardware, set, shape, status, take_findings};
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DevicePtr, PushKernelArg};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;
use std::sync::Arc;

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// Returns a new context of a device, current on this thread.
fn context_of(device: usize) -> Arc<CudaContext> {
    install();
    CudaContext::new_non_primary(device, 0).unwrap()
}

/// Scales `count` elements from one address to another on the context's device.
fn scale(context: &Arc<CudaContext>, from: u64, to: u64, count: u32) -> Result<(), cudarc::driver::DriverError> {
    let kernel = function(context, KERNELS, "scale");
    let stream = context.default_stream();
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&to).arg(&from).arg(&2.0_f32).arg(&count);
    // SAFETY: both addresses are of that many elements, or the emulator detects the fault.
    unsafe { launch.launch(shape(2, 128, 0)) }?;
    stream.synchronize()
}

fn enable(context: &Arc<CudaContext>, peer: &Arc<CudaContext>) -> CUresult {
    context.bind_to_thread().unwrap();
    // SAFETY: both contexts are live.
    unsafe { sys::cuCtxEnablePeerAccess(peer.cu_ctx(), 0) }
}

#[test]
fn devices_have_different_ordinals_and_bus_ids() {
    own_process!("COALESCED_DEVICES" = "3");
    let contexts = [0, 1].map(context_of);
    if !on_hardware() {
        assert_eq!(CudaContext::device_count(), Ok(3));
        assert_eq!(status(CudaContext::new(3)), CUresult::CUDA_ERROR_INVALID_DEVICE);
    }
    assert_eq!(contexts[0].name().unwrap(), contexts[1].name().unwrap());
    assert_ne!(contexts[0].uuid().unwrap().bytes, contexts[1].uuid().unwrap().bytes);
    let bus_ids = [0, 1].map(|device| {
        let mut id = [0 as c_char; 16];
        // SAFETY: the output is valid for writes of the length that is passed.
        unsafe {
            sys::cuDeviceGetPCIBusId(id.as_mut_ptr(), 16, device).result().unwrap();
            CStr::from_ptr(id.as_ptr()).to_owned()
        }
    });
    assert_ne!(bus_ids[0], bus_ids[1]);
    for (ordinal, context) in contexts.iter().enumerate() {
        context.bind_to_thread().unwrap();
        assert_eq!(cudarc::driver::result::ctx::get_current(), Ok(Some(context.cu_ctx())));
        let mut device = -1;
        // SAFETY: the output is valid for a write.
        unsafe { sys::cuCtxGetDevice(&mut device) }.result().unwrap();
        assert_eq!(device, ordinal as i32);
    }
}

#[test]
fn each_device_has_a_primary_context() {
    own_process!("COALESCED_DEVICES" = "3");
    install();
    let [first, second] = [0, 1].map(|device| CudaContext::new(device).unwrap());
    assert_ne!(first.cu_ctx(), second.cu_ctx());
    drop(first);
    assert!(second.synchronize().is_ok());
}

/// The multi-GPU example of cudarc.
#[test]
fn slices_are_copied_from_device_to_device() {
    own_process!("COALESCED_DEVICES" = "3");
    let [first, second] = [0, 1].map(context_of);
    let stream = first.default_stream();
    let other = second.new_stream().unwrap();
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    let here = stream.clone_htod(&values).unwrap();
    let there = other.clone_dtod(&here).unwrap();
    assert_eq!((here.ordinal(), there.ordinal()), (0, 1));
    assert_eq!(other.clone_dtoh(&there).unwrap(), values);
    assert_eq!(stream.clone_dtoh(&here).unwrap(), values);
}

#[test]
fn each_device_runs_kernels_in_its_memory() {
    own_process!("COALESCED_DEVICES" = "3");
    std::thread::scope(|scope| {
        for device in 0..2 {
            scope.spawn(move || {
                let context = context_of(device);
                let (free, _) = context.mem_get_info().unwrap();
                let stream = context.default_stream();
                let input = stream.clone_htod(&[device as f32 + 1.0; 256]).unwrap();
                let output = stream.alloc_zeros::<f32>(256).unwrap();
                scale(&context, input.device_ptr(&stream).0, output.device_ptr(&stream).0, 256).unwrap();
                assert_eq!(stream.clone_dtoh(&output).unwrap(), [2.0 * (device as f32 + 1.0); 256]);
                assert!(on_hardware() || context.mem_get_info().unwrap().0 <= free);
            });
        }
    });
}

#[test]
fn a_kernel_accesses_another_device_only_with_peer_access() {
    own_process!("COALESCED_DEVICES" = "3");
    let [first, second] = [0, 1].map(context_of);
    let stream = first.default_stream();
    let other = second.default_stream();
    let input = other.clone_htod(&[1.0_f32; 256]).unwrap();
    let output = stream.alloc_zeros::<f32>(256).unwrap();
    let from = input.device_ptr(&other).0;
    let to = output.device_ptr(&stream).0;
    assert_eq!(enable(&first, &second), CUresult::CUDA_SUCCESS);
    scale(&first, from, to, 256).unwrap();
    assert_eq!(stream.clone_dtoh(&output).unwrap(), [2.0; 256]);
    // SAFETY: both contexts are live.
    unsafe { sys::cuCtxDisablePeerAccess(second.cu_ctx()) }.result().unwrap();
    if !on_hardware() {
        assert_eq!(status(scale(&first, from, to, 256)), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert!(
            last_error().contains("in memory of device 1: the kernel's context has no peer access"),
            "{}",
            last_error()
        );
        assert!(scale(&second, from, from, 256).is_ok(), "only the context of the first device has faulted");
    }
}

#[test]
fn peer_access_ends_with_the_peer() {
    own_process!("COALESCED_DEVICES" = "3");
    if on_hardware() {
        return; // A fault disables a real driver for the process.
    }
    let first = context_of(0);
    let second = context_of(1);
    let third = context_of(1);
    let stream = third.default_stream();
    let data = stream.clone_htod(&[1.0_f32; 256]).unwrap();
    let address = data.device_ptr(&stream).0;
    assert_eq!(enable(&first, &second), CUresult::CUDA_SUCCESS);
    scale(&first, address, address, 256).unwrap();
    drop(second);
    assert_eq!(status(scale(&first, address, address, 256)), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
}

#[test]
fn peer_access_is_enabled_once_and_between_devices() {
    own_process!("COALESCED_DEVICES" = "3");
    let [first, second, same_device] = [0, 1, 0].map(context_of);
    let peer = second.cu_ctx();
    assert_eq!(enable(&first, &second), CUresult::CUDA_SUCCESS);
    assert_eq!(enable(&first, &second), CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    assert_eq!(enable(&first, &first), CUresult::CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(enable(&first, &same_device), CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    first.bind_to_thread().unwrap();
    // SAFETY: the contexts are live, and invalid calls fail.
    unsafe {
        assert_eq!(sys::cuCtxEnablePeerAccess(peer, 1), INVALID);
        sys::cuCtxDisablePeerAccess(peer).result().unwrap();
        assert_eq!(sys::cuCtxDisablePeerAccess(peer), CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        let mut can = -1;
        sys::cuDeviceCanAccessPeer(&mut can, 0, 1).result().unwrap();
        assert_eq!(can, 1);
        use sys::CUdevice_P2PAttribute as Attribute;
        let supported = Attribute::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
        sys::cuDeviceGetP2PAttribute(&mut can, supported, 0, 1).result().unwrap();
        assert_eq!(can, 1);
        assert_eq!(sys::cuDeviceGetP2PAttribute(null_mut(), supported, 0, 1), INVALID);
        let same = sys::cuDeviceGetP2PAttribute(&mut can, supported, 1, 1);
        assert_eq!(same, CUresult::CUDA_ERROR_INVALID_DEVICE);
        let absent = sys::cuDeviceGetP2PAttribute(&mut can, supported, 0, 99);
        assert_eq!(absent, CUresult::CUDA_ERROR_INVALID_DEVICE);
    }
}

#[test]
fn an_address_has_a_device_and_a_context() {
    own_process!("COALESCED_DEVICES" = "3");
    let [first, second] = [0, 1].map(context_of);
    let stream = first.default_stream();
    let other = second.default_stream();
    let here = stream.alloc_zeros::<u8>(64).unwrap();
    let there = other.alloc_zeros::<u8>(64).unwrap();
    use sys::CUpointer_attribute as Attribute;
    for (address, ordinal, context) in
        [(here.device_ptr(&stream).0, 0, &first), (there.device_ptr(&other).0, 1, &second)]
    {
        let mut device = -1_i32;
        let mut owner = null_mut::<std::ffi::c_void>();
        let numbers = &mut [Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, Attribute::CU_POINTER_ATTRIBUTE_CONTEXT];
        let outputs = &mut [(&raw mut device).cast::<std::ffi::c_void>(), (&raw mut owner).cast()];
        // SAFETY: there are two attributes, and an output of the right type for each.
        let code = unsafe { sys::cuPointerGetAttributes(2, numbers.as_mut_ptr(), outputs.as_mut_ptr(), address + 5) };
        code.result().unwrap();
        assert_eq!((device, owner.cast()), (ordinal, context.cu_ctx()));
    }
}

#[test]
fn copies_between_devices_name_their_contexts() {
    own_process!("COALESCED_DEVICES" = "3");
    let [first, second] = [0, 1].map(context_of);
    let stream = first.default_stream();
    let other = second.default_stream();
    let source = stream.clone_htod(&[1_u8, 2, 3, 4]).unwrap();
    let target = other.alloc_zeros::<u8>(4).unwrap();
    let from = source.device_ptr(&stream).0;
    let to = target.device_ptr(&other).0;
    let own = first.cu_ctx();
    let peer = second.cu_ctx();
    // SAFETY: both ranges have four bytes, and invalid calls fail.
    unsafe {
        sys::cuMemcpyPeerAsync(to, peer, from, own, 4, other.cu_stream()).result().unwrap();
        other.synchronize().unwrap();
        assert_eq!(other.clone_dtoh(&target).unwrap(), [1, 2, 3, 4]);
        sys::cuMemcpyPeerAsync(from, own, to + 2, peer, 2, other.cu_stream()).result().unwrap();
        other.synchronize().unwrap();
        assert_eq!(stream.clone_dtoh(&source).unwrap(), [3, 4, 3, 4]);
        sys::cuMemcpy(to, from, 4).result().unwrap();
        other.synchronize().unwrap();
        stream.synchronize().unwrap();
        assert_eq!(other.clone_dtoh(&target).unwrap(), [3, 4, 3, 4]);
        if !on_hardware() {
            assert_eq!(sys::cuMemcpyPeerAsync(to, own, from, own, 4, other.cu_stream()), INVALID);
            assert!(last_error().contains("is in memory of device 1; its context is of device 0"), "{}", last_error());
        }
    }
}

#[test]
fn work_of_two_devices_is_ordered_by_events() {
    own_process!("COALESCED_DEVICES" = "3");
    if on_hardware() {
        return;
    }
    let [first, second] = [0, 1].map(context_of);
    // SAFETY: the emulator runs work when it is submitted.
    unsafe {
        first.disable_event_tracking();
        second.disable_event_tracking();
    }
    let stream = first.new_stream().unwrap();
    let other = second.new_stream().unwrap();
    let source = stream.clone_htod(&[1_u8; 64]).unwrap();
    let target = other.clone_htod(&[2_u8; 64]).unwrap();
    let from = source.device_ptr(&stream).0;
    let to = target.device_ptr(&other).0;
    first.synchronize().unwrap();
    second.synchronize().unwrap();
    set("coalesced_set_checks", 1_u32);
    let fill = |address| {
        first.bind_to_thread().unwrap();
        // SAFETY: the address is of 64 bytes.
        unsafe { sys::cuMemsetD8Async(address, 7, 64, stream.cu_stream()) }.result().unwrap();
    };
    // SAFETY: both ranges have 64 bytes.
    let copy = || unsafe {
        sys::cuMemcpyPeerAsync(to, second.cu_ctx(), from, first.cu_ctx(), 64, other.cu_stream()).result().unwrap();
    };
    fill(from);
    other.join(&stream).unwrap();
    copy();
    assert_eq!(take_findings(), "[]", "by an event across devices");
    fill(from);
    let found = take_findings();
    assert!(
        found.contains("memset number 2 on stream 1 of device 0 writes what copy between devices number 1"),
        "{found}"
    );
    assert!(found.contains("on stream 1 of device 1 may still be reading"), "{found}");
    set("coalesced_set_checks", 0_u32);
}

#[test]
fn libraries_have_variables_on_each_device() {
    const COUNTER: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 count = 5;\n\
        .visible .entry up() {\n.reg .b32 %v; ld.global.u32 %v, [count]; add.u32 %v, %v, 1; st.global.u32 [count], %v; ret;\n}\n\0";
    own_process!("COALESCED_DEVICES" = "3");
    let contexts = [0, 1].map(context_of);
    let mut library = null_mut();
    let mut kernel = null_mut();
    let nothing = null_mut::<std::ffi::c_void>();
    // SAFETY: the text is NUL-terminated, there are no options, the outputs are valid for writes, and the kernel has no
    // parameters.
    unsafe {
        let image = COUNTER.as_ptr().cast();
        sys::cuLibraryLoadData(&mut library, image, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0)
            .result()
            .unwrap();
        sys::cuLibraryGetKernel(&mut kernel, library, c"up".as_ptr()).result().unwrap();
        let mut addresses = [0, 0];
        for (context, address) in contexts.iter().zip(&mut addresses) {
            context.bind_to_thread().unwrap();
            let function = kernel.cast();
            sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), nothing.cast(), nothing.cast())
                .result()
                .unwrap();
            context.synchronize().unwrap();
            let mut bytes = 0;
            let mut value = 0_u32;
            sys::cuLibraryGetGlobal(address, &mut bytes, library, c"count".as_ptr()).result().unwrap();
            sys::cuMemcpyDtoH_v2((&raw mut value).cast(), *address, 4).result().unwrap();
            assert_eq!((bytes, value), (4, 6));
        }
        assert_ne!(addresses[0], addresses[1]);
        sys::cuLibraryUnload(library).result().unwrap();
    }
}

/// The part of the next test that runs in a process for each value of `COALESCED_DEVICES`.
#[test]
fn cu_init_in_a_new_process() {
    if std::env::var_os("COALESCED_TEST_CHILD").is_none() {
        return;
    }
    install();
    println!("{:?}: {}", status(cudarc::driver::result::init()), last_error());
}

#[test]
fn an_invalid_number_of_devices_is_an_error_that_explains_the_variable() {
    let init = |devices: &str| {
        let mut program = std::process::Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "several_devices::cu_init_in_a_new_process", "--nocapture"]);
        program.env("COALESCED_TEST_CHILD", "1").env("COALESCED_DEVICES", devices);
        String::from_utf8(program.output().unwrap().stdout).unwrap()
    };
    for wrong in ["0", "65", "-1", "two", "1.5"] {
        let expected = format!(
            "CUDA_ERROR_INVALID_VALUE: COALESCED_DEVICES is `{wrong}`: set it to a number of devices from 1 to 64"
        );
        let printed = init(wrong);
        assert!(on_hardware() || printed.contains(&expected), "{printed}");
    }
    for right in ["", "1", "64"] {
        assert!(init(right).contains("CUDA_SUCCESS"));
    }
}
