//! Unsupported functions. They exist, because programs treat a missing function as a broken driver, and return
//! `CUDA_ERROR_NOT_SUPPORTED`.

use crate::boundary::api;
use crate::result::{CUresult, Outcome};

const EXTERNAL: &str = "memory of graphics APIs is not supported";
const CLUSTERS: &str = "the occupancy of clusters is not supported";
const TABLES: &str = "the driver's internal tables are not supported: the CUDA runtime (cudart) requests them and requires \
     a driver that proves to be NVIDIA's with a keyed digest; use the driver API";
const NODES: &str = "graphs are only created by capture: their nodes cannot be added, changed or listed";
const STREAM_MEMORY: &str = "stream memory operations are not supported: use events";
const RECTANGLES: &str = "fills of rectangles are not supported: fill the rows one by one";
const SURFACES: &str = "surfaces are not supported: kernels store to linear memory";
const PEERS: &str = "of the copies between contexts, only cuMemcpyPeerAsync is supported";
const PLACES: &str = "a device is only found by its number";
const ATTRIBUTES: &str = "attributes of addresses cannot be set: copies are always synchronous";

fn refuse(reason: &str) -> Outcome {
    Err(CUresult::NOT_SUPPORTED.because(reason))
}

/// Defines functions that only return their reason. They read none of the arguments that the caller passes.
macro_rules! refused {
    ($($reason:ident: $($name:ident)*;)*) => {
        api! {$($(
            /// Not supported.
            fn $name() {
                refuse($reason)
            }
        )*)*}
    };
}

refused! {
    EXTERNAL: cuDestroyExternalMemory cuExternalMemoryGetMappedBuffer cuImportExternalMemory;
    CLUSTERS: cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize;
    TABLES: cuGetExportTable;
    NODES: cuGraphAddChildGraphNode cuGraphAddDependencies cuGraphAddEmptyNode cuGraphAddHostNode cuGraphAddKernelNode
        cuGraphAddKernelNode_v2 cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphClone cuGraphCreate cuGraphDestroyNode
        cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
        cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams cuGraphGetEdges cuGraphGetNodes cuGraphGetRootNodes
        cuGraphHostNodeSetParams cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2 cuGraphMemcpyNodeSetParams
        cuGraphMemsetNodeSetParams cuGraphNodeGetDependencies cuGraphNodeGetDependentNodes cuGraphNodeGetType
        cuGraphRemoveDependencies;
    STREAM_MEMORY: cuStreamWaitValue32 cuStreamWaitValue32_v2 cuStreamWaitValue64 cuStreamWaitValue64_v2
        cuStreamWriteValue32 cuStreamWriteValue32_v2 cuStreamWriteValue64 cuStreamWriteValue64_v2;
    RECTANGLES: cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async cuMemsetD2D32_v2 cuMemsetD2D8Async cuMemsetD2D8_v2;
    SURFACES: cuSurfObjectCreate cuSurfObjectDestroy;
    PEERS: cuMemcpy3DPeer cuMemcpy3DPeerAsync cuMemcpyPeer;
    PLACES: cuDeviceGetByPCIBusId;
    ATTRIBUTES: cuPointerSetAttribute;
}
