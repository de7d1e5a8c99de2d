//! Launches in clusters of blocks (Hopper and later).

use super::setup::{Launch, LaunchResult};
use cudarc::driver::DeviceRepr;
use cudarc::driver::sys;
use std::ffi::c_void;

/// An argument of a kernel. Of a buffer it is the address.
pub trait Argument {
    /// Returns where the argument is.
    fn place(&self) -> *mut c_void;
}

impl<T: DeviceRepr> Argument for T {
    fn place(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

impl Launch<'_> {
    /// Launches the kernel with so many neighbors along x in a cluster. cudarc's launches have no attributes.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CLUSTER_SIZE`, if `blocks` does not divide the grid or is more than the device's 8.
    ///
    /// # Safety
    /// As for [`cudarc::driver::LaunchArgs::launch`]; the arguments are the kernel's parameters in number, order and type.
    pub unsafe fn in_clusters(&self, blocks: u32, arguments: &[&dyn Argument]) -> LaunchResult {
        self.stream.context().bind_to_thread()?;
        let shape = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x: blocks, y: 1, z: 1 };
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { clusterDim: shape },
        };
        let grid = self.config.grid_dim;
        let block = self.config.block_dim;
        let config = sys::CUlaunchConfig {
            gridDimX: grid.0,
            gridDimY: grid.1,
            gridDimZ: grid.2,
            blockDimX: block.0,
            blockDimY: block.1,
            blockDimZ: block.2,
            sharedMemBytes: self.config.shared_mem_bytes,
            hStream: self.stream.cu_stream(),
            attrs: &raw mut attribute,
            numAttrs: 1,
        };
        let mut places: Vec<_> = arguments.iter().map(|argument| argument.place()).collect();
        let kernel = self.kernel.cu_function();
        let extra = std::ptr::null_mut();
        // SAFETY: the configuration has one attribute, which lives until the call returns, and the caller promises the rest.
        unsafe { sys::cuLaunchKernelEx(&raw const config, kernel, places.as_mut_ptr(), extra) }.result()
    }
}
