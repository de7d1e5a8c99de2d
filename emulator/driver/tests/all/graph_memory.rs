//! Memory that graphs allocate and free.

use crate::support::process::own_process;
use crate::support::{context, last_error, on_hardware};
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUresult, CUstream};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

const OK: CUresult = CUresult::CUDA_SUCCESS;
const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
const AUTO_FREE: u64 = 1;

/// A kernel that adds the first word at `x` to that at `y`.
const ADD: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 y, .param .u64 x) {
    .reg .b64 %rd<3>; .reg .b32 %r<4>;
    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x];
    ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd1];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd1], %r3;
    ret;
}";

/// A stream of a context, and a kernel.
struct Place {
    context: Arc<CudaContext>,
    stream: CUstream,
    add: sys::CUfunction,
}

fn ok(code: CUresult) {
    assert_eq!(code, OK, "{}", last_error());
}

impl Place {
    fn new() -> Self {
        let context = context();
        let [mut stream, mut module, mut add] =
            [null_mut(), null_mut(), null_mut()].map(|pointer: *mut c_void| pointer);
        let image = CString::new(ADD).unwrap();
        // SAFETY: all outputs are valid for writes, and the text ends with a NUL.
        unsafe {
            ok(sys::cuStreamCreate((&raw mut stream).cast(), 1));
            ok(sys::cuModuleLoadData((&raw mut module).cast(), image.as_ptr().cast()));
            ok(sys::cuModuleGetFunction((&raw mut add).cast(), module.cast(), c"add".as_ptr()));
        }
        Self { context, stream: stream.cast(), add: add.cast() }
    }

    /// Returns the graph of the work that `work` submits.
    fn capture(&self, work: impl FnOnce()) -> CUgraph {
        let mut graph = null_mut();
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive, and the output is valid for a write.
        unsafe {
            ok(sys::cuStreamBeginCapture_v2(self.stream, mode));
            work();
            ok(sys::cuStreamEndCapture(self.stream, &mut graph));
        }
        graph
    }

    fn instantiate(graph: CUgraph, flags: u64) -> Result<CUgraphExec, CUresult> {
        let mut executable = null_mut();
        // SAFETY: the graph is alive, and the output is valid for a write.
        let code = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph, flags) };
        if code == OK { Ok(executable) } else { Err(code) }
    }

    fn allocate(&self, bytes: usize) -> u64 {
        let mut address = 0;
        // SAFETY: the output is valid for a write.
        ok(unsafe { sys::cuMemAllocAsync(&mut address, bytes, self.stream) });
        address
    }

    fn free(&self, address: u64) -> CUresult {
        // SAFETY: an address that is not allocated is an error.
        unsafe { sys::cuMemFreeAsync(address, self.stream) }
    }

    fn fill(&self, address: u64, value: u32) {
        // SAFETY: the address is of a word.
        ok(unsafe { sys::cuMemsetD32Async(address, value, 1, self.stream) });
    }

    fn add(&self, y: u64, x: u64) {
        let mut arguments = [(&raw const y).cast_mut().cast::<c_void>(), (&raw const x).cast_mut().cast()];
        // SAFETY: the kernel takes the addresses of two words.
        ok(unsafe {
            sys::cuLaunchKernel(self.add, 1, 1, 1, 1, 1, 1, 0, self.stream, arguments.as_mut_ptr(), null_mut())
        });
    }

    fn launch(&self, graph: CUgraphExec) -> CUresult {
        // SAFETY: both handles are alive.
        unsafe { sys::cuGraphLaunch(graph, self.stream) }
    }

    fn word(&self, address: u64) -> u32 {
        let mut word = 0_u32;
        // SAFETY: both addresses are of a word.
        unsafe {
            ok(sys::cuMemcpyDtoHAsync_v2((&raw mut word).cast(), address, 4, self.stream));
            ok(sys::cuStreamSynchronize(self.stream));
        }
        word
    }
}

#[test]
fn memory_that_a_graph_leaves_is_freed_before_its_next_launch() {
    let place = Place::new();
    let mut address = 0;
    let graph = place.capture(|| {
        address = place.allocate(1024);
        place.fill(address + 1020, 7);
    });
    assert!(address != 0 && address.is_multiple_of(256));
    assert!(on_hardware() || place.free(address) == INVALID, "nothing is allocated yet");
    let executable = Place::instantiate(graph, 0).unwrap();
    ok(place.launch(executable));
    assert_eq!(place.word(address + 1020), 7);
    assert_eq!(place.launch(executable), INVALID);
    assert!(on_hardware() || last_error().contains("has not been freed since its last launch"), "{}", last_error());
    ok(place.free(address));
    ok(place.launch(executable));
    // SAFETY: the memory is allocated, and freed once; the graph is destroyed once.
    unsafe {
        ok(sys::cuMemFree_v2(address));
        ok(sys::cuGraphExecDestroy(executable));
    }
    let executable = Place::instantiate(graph, AUTO_FREE).unwrap();
    (0..3).for_each(|_| ok(place.launch(executable)));
    assert_eq!(place.word(address + 1020), 7);
    drop(place.context);
}

#[test]
fn a_graph_allocates_computes_and_frees_in_each_launch() {
    let place = Place::new();
    let sum = place.allocate(4);
    place.fill(sum, 0);
    let mut address = 0;
    let graph = place.capture(|| {
        address = place.allocate(4);
        place.fill(address, 5);
        place.add(sum, address);
        ok(place.free(address));
    });
    let executable = Place::instantiate(graph, 0).unwrap();
    (0..3).for_each(|_| ok(place.launch(executable)));
    assert_eq!(place.word(sum), 15);
    assert!(on_hardware() || place.free(address) == INVALID, "the graph has freed it");
    let again = Place::instantiate(graph, 0).unwrap_err();
    assert!(on_hardware() || again == CUresult::CUDA_ERROR_NOT_SUPPORTED, "one at a time: {again:?}");
    // SAFETY: the graph is destroyed once.
    ok(unsafe { sys::cuGraphExecDestroy(executable) });
    Place::instantiate(graph, 0).unwrap();
}

#[test]
fn another_graph_frees_what_a_graph_leaves() {
    let place = Place::new();
    let mut address = 0;
    let first = place.capture(|| {
        address = place.allocate(4);
        place.fill(address, 5);
    });
    let sum = place.allocate(4);
    place.fill(sum, 1);
    let second = place.capture(|| {
        place.add(sum, address);
        ok(place.free(address));
    });
    let [first, second] = [first, second].map(|graph| Place::instantiate(graph, 0).unwrap());
    for _ in 0..2 {
        ok(place.launch(first));
        ok(place.launch(second));
    }
    assert_eq!(place.word(sum), 11);
}

#[test]
fn a_capture_frees_only_memory_of_graphs_and_once() {
    let place = Place::new();
    let outside = place.allocate(64);
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    for twice in [false, true] {
        let mut graph = null_mut();
        // SAFETY: the stream is alive, and the output is valid for a write.
        unsafe {
            ok(sys::cuStreamBeginCapture_v2(place.stream, mode));
            if twice {
                let address = place.allocate(64);
                ok(place.free(address));
                assert_eq!(place.free(address), INVALID);
            } else {
                assert_eq!(place.free(outside), INVALID);
            }
            let ended = sys::cuStreamEndCapture(place.stream, &mut graph);
            assert!(on_hardware() || ended == CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
    }
    ok(place.free(outside));
}

#[test]
fn the_memory_of_graphs_is_counted() {
    use sys::CUgraphMem_attribute as A;
    own_process!();
    let place = Place::new();
    let used = |attribute| {
        let mut bytes = 0_u64;
        // SAFETY: the output is valid for a write.
        ok(unsafe { sys::cuDeviceGetGraphMemAttribute(0, attribute, (&raw mut bytes).cast()) });
        bytes
    };
    let graph = place.capture(|| assert_ne!(place.allocate(1 << 20), 0));
    let executable = Place::instantiate(graph, AUTO_FREE).unwrap();
    assert_eq!(used(A::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
    (0..2).for_each(|_| ok(place.launch(executable)));
    assert_eq!(used(A::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 1 << 20);
    assert_eq!(used(A::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 1 << 20);
}

#[test]
fn a_branch_that_does_not_wait_for_the_allocation_is_a_race() {
    own_process!();
    let place = Place::new();
    crate::support::set("coalesced_set_checks", 1_u32);
    let mut second = null_mut();
    let mut events = [null_mut(); 2];
    // SAFETY: all outputs are valid for writes.
    unsafe {
        ok(sys::cuStreamCreate(&mut second, 1));
        events.iter_mut().for_each(|event| ok(sys::cuEventCreate(event, 2)));
    }
    for ordered in [true, false] {
        let graph = place.capture(|| {
            // SAFETY: all handles are alive.
            let fork = || unsafe {
                ok(sys::cuEventRecord(events[0], place.stream));
                ok(sys::cuStreamWaitEvent(second, events[0], 0));
            };
            if !ordered {
                fork();
            }
            let address = place.allocate(4);
            if ordered {
                fork();
            }
            // SAFETY: all handles are alive, and the address is of a word of the graph.
            unsafe {
                ok(sys::cuMemsetD32Async(address, 1, 1, second));
                ok(sys::cuEventRecord(events[1], second));
                ok(sys::cuStreamWaitEvent(place.stream, events[1], 0));
            }
            ok(place.free(address));
        });
        let executable = Place::instantiate(graph, 0).unwrap();
        ok(place.launch(executable));
        let found = crate::support::take_findings();
        assert_eq!(found.contains("what cuMemAllocAsync number"), !ordered, "{found}");
    }
}
