//! Streams and buffers that nothing orders but what a test does.

use crate::support::{KERNELS, Range, context, function, set, shape, take_findings, take_transfers, transfer};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, PushKernelArg};
use emulator::Diagnosis;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Checks are of the process: the tests take turns.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds one to a word, atomically or not, and waits for a word to be written.
const WORDS: &str = "
.version 8.1
.target sm_75
.address_size 64
.visible .entry add(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [word];
    atom.global.add.u32 %v, [%a], 1;
    ret;
}
.visible .entry put(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [word];
    mov.u32 %v, 1;
    st.global.u32 [%a], %v;
    ret;
}
.visible .entry produce(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [word];
    mov.u32 %v, 1;
    st.global.u32 [%a+4], %v;
    membar.gl;
    st.volatile.global.u32 [%a], %v;
    ret;
}
.visible .entry consume(.param .u64 word) {
    .reg .b64 %a; .reg .b32 %v; .reg .pred %p;
    ld.param.u64 %a, [word];
AGAIN:
    ld.volatile.global.u32 %v, [%a];
    setp.ne.u32 %p, %v, 1;
    @%p bra AGAIN;
    membar.gl;
    ld.global.u32 %v, [%a+4];
    st.global.u32 [%a+8], %v;
    ret;
}
";

/// Streams of one context without cudarc's own events, 256 floats each in two buffers, and checks that are on.
pub struct Bench {
    pub streams: Vec<Arc<CudaStream>>,
    scale: CudaFunction,
    pub context: Arc<CudaContext>,
    pub buffers: [CudaSlice<f32>; 2],
    _turn: MutexGuard<'static, ()>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        set("coalesced_set_checks", 0_u32);
        take_findings();
    }
}

impl Bench {
    pub fn new() -> Self {
        let (turn, context) = (turn(), context());
        // SAFETY: what the tests leave unordered is what they are about, and work runs when it is given here.
        unsafe { context.disable_event_tracking() };
        let streams: Vec<_> = (0..3).map(|_| context.new_stream().unwrap()).collect();
        let scale = function(&context, KERNELS, "scale");
        set("coalesced_set_checks", 1_u32);
        let buffers = [(); 2].map(|()| streams[0].clone_htod(&[1.0_f32; 256]).unwrap());
        context.synchronize().unwrap();
        take_findings();
        take_transfers();
        Self { streams, scale, context, buffers, _turn: turn }
    }

    /// The address of an element of a buffer.
    pub fn at(&self, buffer: usize, index: u64) -> u64 {
        let (address, _record) = self.buffers[buffer].device_ptr(&self.streams[0]);
        address + 4 * index
    }

    pub fn range(&self, buffer: usize, elements: std::ops::Range<u64>) -> Range {
        Range { address: self.at(buffer, elements.start), bytes: 4 * (elements.end - elements.start) }
    }

    /// Scales `count` elements from one address to another.
    pub fn scale(&self, stream: &Arc<CudaStream>, from: u64, to: u64, count: u32) {
        let mut launch = stream.launch_builder(&self.scale);
        launch.arg(&to).arg(&from).arg(&2.0_f32).arg(&count);
        // SAFETY: both addresses are of that many elements.
        unsafe { launch.launch(shape(2, 128, 0)) }.unwrap();
    }

    pub fn receive(&self, stream: &CudaStream, range: Range) {
        let what = "ncclRecv of rank 1 (communicator 0, call 7)";
        assert_eq!(transfer(stream, what, &[], &[range], 0, range.bytes), CUresult::CUDA_SUCCESS);
    }

    pub fn launch(&self, stream: &Arc<CudaStream>, name: &str, word: u64) {
        let kernel = function(&self.context, WORDS, name);
        // SAFETY: the address is of three words.
        unsafe { stream.launch_builder(&kernel).arg(&word).launch(shape(1, 1, 0)) }.unwrap();
    }
}

pub fn findings() -> Vec<Diagnosis> {
    serde_json::from_str(&take_findings()).unwrap()
}

pub fn titles() -> Vec<String> {
    findings().into_iter().map(|finding| finding.title).collect()
}
