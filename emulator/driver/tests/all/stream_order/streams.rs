//! Streams and buffers without any order except that of the test.

use crate::support::{KERNELS, Range, context, function, set, shape, take_findings, transfer};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, PushKernelArg};
use emulator::Diagnosis;
use std::sync::Arc;

/// Kernels that add to a word atomically, store a word, publish a word, and wait for a published word.
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

/// Three streams of a context without cudarc's automatic events, and two buffers of 256 floats. Checks are on while it lives.
pub struct Streams {
    pub all: Vec<Arc<CudaStream>>,
    scale: CudaFunction,
    pub context: Arc<CudaContext>,
    pub buffers: [CudaSlice<f32>; 2],
}

impl Drop for Streams {
    fn drop(&mut self) {
        set("coalesced_set_checks", 0_u32);
        take_findings();
    }
}

impl Streams {
    pub fn new() -> Self {
        let context = context();
        // SAFETY: the emulator runs work when it is submitted.
        unsafe { context.disable_event_tracking() };
        let all: Vec<_> = (0..3).map(|_| context.new_stream().unwrap()).collect();
        let scale = function(&context, KERNELS, "scale");
        set("coalesced_set_checks", 1_u32);
        let buffers = [(); 2].map(|()| all[0].clone_htod(&[1.0_f32; 256]).unwrap());
        context.synchronize().unwrap();
        take_findings();
        Self { all, scale, context, buffers }
    }

    /// Returns the address of an element of a buffer.
    pub fn at(&self, buffer: usize, index: u64) -> u64 {
        let (address, _record) = self.buffers[buffer].device_ptr(&self.all[0]);
        address + 4 * index
    }

    /// Returns a range of elements of a buffer.
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

    /// Records a transfer by a library that writes a range.
    pub fn receive(&self, stream: &CudaStream, range: Range) {
        let what = "ncclRecv of rank 1 (communicator 0, call 7)";
        assert_eq!(transfer(stream, what, &[], &[range]), CUresult::CUDA_SUCCESS);
    }

    /// Launches a kernel of [`WORDS`].
    pub fn launch(&self, stream: &Arc<CudaStream>, name: &str, word: u64) {
        let kernel = function(&self.context, WORDS, name);
        // SAFETY: the address is of three words.
        unsafe { stream.launch_builder(&kernel).arg(&word).launch(shape(1, 1, 0)) }.unwrap();
    }
}

/// Takes the findings.
pub fn findings() -> Vec<Diagnosis> {
    serde_json::from_str(&take_findings()).unwrap()
}

/// Takes the titles of the findings.
pub fn titles() -> Vec<String> {
    findings().into_iter().map(|finding| finding.title).collect()
}
