//! Lifetimes: contexts with all kinds of objects leave no memory behind, even if a thread destroys one while others use it.
//!
//! These tests call the crate that is linked into this program, so that the allocator below counts its memory.

use crate::support::process::own_process;
use emulator_driver as _;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// An allocator that counts the allocated bytes.
struct Counting;

static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A handle of any kind.
type Handle = *mut c_void;

unsafe extern "C" {
    safe fn cuInit(flags: u32) -> u32;
    fn cuCtxCreate_v2(context: *mut Handle, flags: u32, device: i32) -> u32;
    fn cuCtxDestroy_v2(context: Handle) -> u32;
    fn cuCtxSetCurrent(context: Handle) -> u32;
    fn cuCtxSynchronize() -> u32;
    fn cuModuleLoadData(module: *mut Handle, image: *const c_char) -> u32;
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> u32;
    fn cuModuleUnload(module: Handle) -> u32;
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> u32;
    fn cuMemFree_v2(address: u64) -> u32;
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32;
    fn cuMemHostAlloc(pointer: *mut Handle, bytes: usize, flags: u32) -> u32;
    fn cuMemFreeHost(pointer: Handle) -> u32;
    fn cuMemcpyDtoH_v2(target: *mut u32, source: u64, bytes: usize) -> u32;
    fn cuStreamCreate(stream: *mut Handle, flags: u32) -> u32;
    fn cuStreamDestroy_v2(stream: Handle) -> u32;
    fn cuEventCreate(event: *mut Handle, flags: u32) -> u32;
    fn cuEventRecord(event: Handle, stream: Handle) -> u32;
    fn cuEventDestroy_v2(event: Handle) -> u32;
    #[rustfmt::skip]
    fn cuLaunchKernel(
        function: Handle,
        gx: u32,
        gy: u32,
        gz: u32,
        bx: u32,
        by: u32,
        bz: u32,
        shared: u32,
        stream: Handle,
        values: *mut Handle,
        extra: *mut Handle,
    ) -> u32;
}

const SUCCESS: u32 = 0;
const CONTEXT_IS_DESTROYED: u32 = 709;

/// The statuses of calls whose context and objects may have been destroyed: `INVALID_VALUE` (for an address),
/// `INVALID_CONTEXT`, `INVALID_HANDLE` and `CONTEXT_IS_DESTROYED`.
const ENDED: [u32; 4] = [1, 201, 400, CONTEXT_IS_DESTROYED];

const IMAGE: &std::ffi::CStr = c"
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .b8 word[4096];
.visible .entry store(.param .u64 pointer) {
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [pointer];
    st.global.u32 [%d1], 7;
    ret;
}
";

fn context() -> Handle {
    let mut context = null_mut();
    // SAFETY: the output is valid for a write.
    unsafe {
        assert_eq!(cuInit(0), SUCCESS);
        assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), SUCCESS);
    }
    context
}

/// Creates and uses one object of every kind in the current context. Destroys them if `destroy` is set. Returns the first
/// failure.
fn use_everything(destroy: bool) -> Result<(), u32> {
    let ok = |code| if code == SUCCESS { Ok(()) } else { Err(code) };
    let mut module = null_mut();
    let mut kernel = null_mut();
    let mut stream = null_mut();
    let mut event = null_mut();
    let mut address = 0_u64;
    let mut word = 0_u32;
    // SAFETY: the outputs are valid for writes, the image and the name are NUL-terminated, the kernel has one parameter, and
    // the driver does not dereference handles.
    unsafe {
        ok(cuModuleLoadData(&mut module, IMAGE.as_ptr()))?;
        ok(cuModuleGetFunction(&mut kernel, module, c"store".as_ptr()))?;
        ok(cuStreamCreate(&mut stream, 0))?;
        ok(cuEventCreate(&mut event, 0))?;
        ok(cuMemAlloc_v2(&mut address, 1000))?;
        let mut values: [Handle; 1] = [(&raw mut address).cast()];
        ok(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, values.as_mut_ptr(), null_mut()))?;
        ok(cuEventRecord(event, stream))?;
        ok(cuMemcpyDtoH_v2(&mut word, address, 4))?;
        assert_eq!(word, 7);
        if destroy {
            ok(cuMemFree_v2(address))?;
            ok(cuEventDestroy_v2(event))?;
            ok(cuStreamDestroy_v2(stream))?;
            ok(cuModuleUnload(module))?;
        }
    }
    Ok(())
}

/// Creates and destroys a context with one object of every kind.
fn cycle(number: usize) {
    let context = context();
    assert_eq!(use_everything(number.is_multiple_of(2)), Ok(()));
    let mut host = null_mut();
    // SAFETY: the output is valid for a write, and the pointer is freed once.
    unsafe {
        assert_eq!(cuMemHostAlloc(&mut host, 100, 0), SUCCESS);
        assert_eq!(cuMemFreeHost(host), SUCCESS);
        assert_eq!(cuCtxDestroy_v2(context), SUCCESS);
    }
}

/// Returns the free device memory in bytes.
fn free_bytes() -> usize {
    let mut free = 0;
    let mut total = 0;
    // SAFETY: the outputs are valid for writes.
    assert_eq!(unsafe { cuMemGetInfo_v2(&mut free, &mut total) }, SUCCESS);
    free
}

/// Returns the bytes that `count` cycles leave behind, after a few cycles for permanent allocations.
fn growth(count: usize, cycle: impl Fn(usize)) -> usize {
    (0..20).for_each(&cycle);
    let before = LIVE_BYTES.load(Relaxed);
    (0..count).for_each(&cycle);
    LIVE_BYTES.load(Relaxed).saturating_sub(before)
}

/// The bytes per cycle that do not count as a leak. One object has more.
const SLACK_BYTES: usize = 4;

fn contexts_leave_nothing_behind(count: usize) {
    let left = growth(count, cycle);
    assert!(left < SLACK_BYTES * count, "{left} bytes");
}

#[test]
fn a_hundred_contexts_leave_nothing_behind() {
    own_process!();
    contexts_leave_nothing_behind(100);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_thousand_contexts_leave_nothing_behind() {
    own_process!();
    contexts_leave_nothing_behind(1000);
}

/// The driver records the order of streams beyond their destruction, but only as long as it matters.
#[test]
fn streams_that_the_host_has_waited_for_leave_nothing_behind() {
    own_process!();
    let context = context();
    let left = growth(300, |_| {
        let mut stream = null_mut();
        let mut event = null_mut();
        // SAFETY: the outputs are valid for writes, and the driver does not dereference handles.
        unsafe {
            assert_eq!(cuStreamCreate(&mut stream, 1), SUCCESS);
            assert_eq!(cuEventCreate(&mut event, 0), SUCCESS);
            assert_eq!(cuEventRecord(event, stream), SUCCESS);
            assert_eq!(cuCtxSynchronize(), SUCCESS);
            assert_eq!(cuEventDestroy_v2(event), SUCCESS);
            assert_eq!(cuStreamDestroy_v2(stream), SUCCESS);
        }
    });
    // Queues of the order are removed from 64 on.
    assert!(left < 64 * 300, "{left} bytes");
    // SAFETY: the driver does not dereference handles.
    assert_eq!(unsafe { cuCtxDestroy_v2(context) }, SUCCESS);
}

#[test]
fn a_leak_is_detected() {
    own_process!();
    const COUNT: usize = 100;
    let context = context();
    let left = growth(COUNT, |_| {
        let mut event = null_mut();
        // SAFETY: the output is valid for a write.
        assert_eq!(unsafe { cuEventCreate(&mut event, 0) }, SUCCESS);
    });
    assert!(left > SLACK_BYTES * COUNT, "{left} bytes");
    // SAFETY: the driver does not dereference handles.
    assert_eq!(unsafe { cuCtxDestroy_v2(context) }, SUCCESS);
}

/// Lets threads create, use and destroy objects in one context until another thread destroys it, `rounds` times.
fn threads_lose_their_context(rounds: u64) {
    let keeper = context();
    let before = free_bytes();
    for round in 0..rounds {
        let shared = context() as usize;
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..6_u32 {
                let ended = &ended;
                scope.spawn(move || work_until_ended(shared as Handle, ended, thread.is_multiple_of(2)));
            }
            std::thread::sleep(std::time::Duration::from_micros(6000 / rounds * round));
            // SAFETY: the driver does not dereference handles.
            assert_eq!(unsafe { cuCtxDestroy_v2(shared as Handle) }, SUCCESS);
            ended.store(true, Relaxed);
        });
    }
    assert_eq!(free_bytes(), before, "free device memory after the contexts were destroyed");
    // SAFETY: the driver does not dereference handles.
    assert_eq!(unsafe { cuCtxDestroy_v2(keeper) }, SUCCESS);
}

#[test]
fn threads_that_lose_their_context_get_an_error() {
    own_process!();
    threads_lose_their_context(3);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn threads_that_lose_their_context_get_an_error_in_many_rounds() {
    own_process!();
    threads_lose_their_context(30);
}

/// Lets threads load modules in one context until another thread destroys it, `rounds` times. The functions of a module are
/// inserted into their table before the module; if there are many, the destruction may happen in between.
fn modules_lose_their_context(rounds: u64) {
    let keeper = context();
    let before = free_bytes();
    let kernels: String = (0..200).map(|number| format!(".visible .entry k{number}() {{ ret; }}\n")).collect();
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .b8 word[4096];";
    let image = std::ffi::CString::new(format!("{head}\n{kernels}")).unwrap();
    for round in 0..rounds {
        let shared = context() as usize;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut module = null_mut();
                    // SAFETY: the driver does not dereference handles, the output is valid for writes, and the image is
                    // NUL-terminated.
                    unsafe {
                        if cuCtxSetCurrent(shared as Handle) == SUCCESS {
                            while cuModuleLoadData(&mut module, image.as_ptr()) == SUCCESS {}
                        }
                    }
                });
            }
            std::thread::sleep(std::time::Duration::from_micros(37 * round % 4000));
            // SAFETY: the driver does not dereference handles.
            assert_eq!(unsafe { cuCtxDestroy_v2(shared as Handle) }, SUCCESS);
        });
    }
    assert_eq!(free_bytes(), before, "free device memory after the contexts were destroyed");
    // SAFETY: the driver does not dereference handles.
    assert_eq!(unsafe { cuCtxDestroy_v2(keeper) }, SUCCESS);
}

#[test]
fn a_module_that_is_loaded_while_its_context_is_destroyed_leaves_nothing_behind() {
    own_process!();
    modules_lose_their_context(20);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn modules_that_are_loaded_while_their_context_is_destroyed_leave_nothing_behind() {
    own_process!();
    modules_lose_their_context(200);
}

fn work_until_ended(context: Handle, ended: &AtomicBool, destroy: bool) {
    // SAFETY: the driver does not dereference handles.
    if unsafe { cuCtxSetCurrent(context) } != SUCCESS {
        return;
    }
    loop {
        let was_ended = ended.load(Relaxed);
        match use_everything(destroy) {
            Ok(()) => assert!(!was_ended, "work succeeded in a destroyed context"),
            Err(code) => assert!(ENDED.contains(&code), "status {code}"),
        }
        if was_ended {
            // SAFETY: the call has no arguments.
            assert_eq!(unsafe { cuCtxSynchronize() }, CONTEXT_IS_DESTROYED);
            return;
        }
    }
}
