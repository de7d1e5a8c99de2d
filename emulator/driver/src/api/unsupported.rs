//! Unsupported functions. They exist, because programs treat a missing function as a broken driver (cudarc up to 0.17 looks all of
//! them up at its start), and return `CUDA_ERROR_NOT_SUPPORTED`.

use crate::boundary::api;
use crate::result::{CUresult, Outcome};

const EXTERNAL: &str = "memory of graphics APIs is not supported";
const CLUSTERS: &str = "the occupancy of clusters is not supported";
const TABLES: &str = "the driver's internal tables are not supported: the CUDA runtime (cudart) requests them and requires \
     a driver that proves to be NVIDIA's with a keyed digest; use the driver API";
const NODES: &str = "graphs are only created by capture: their nodes cannot be added, changed or listed";
const USER_OBJECTS: &str = "graphs own no objects of the program: keep them until the graph is destroyed";
const STREAM_MEMORY: &str = "stream memory operations are not supported: use events";
const STREAM_ATTRIBUTES: &str = "attributes of streams are not supported: a launch has its own";
const RECTANGLES: &str = "fills of rectangles are not supported: fill the rows one by one";
const SURFACES: &str = "surfaces are not supported: kernels store to linear memory";
const REFERENCES: &str = "textures by reference are not supported: create texture objects";
const TEXTURES: &str = "the description of a texture object is not kept";
const ARRAYS: &str = "of arrays, only those without mipmaps, planes and sparse memory are supported, and copies in rows from and to them";
const TENSORS: &str = "of tensor maps, only cuTensorMapEncodeTiled is supported";
const PEERS: &str = "of the copies between contexts, only cuMemcpyPeerAsync is supported";
const PLACES: &str = "a device is only found by its number";
const LINKS: &str = "the links between devices and to the host are not described";
const ATTRIBUTES: &str = "attributes of addresses cannot be set: copies are always synchronous";
const RANGES: &str = "the attributes of managed memory are not kept: advice has no effect";
const VIRTUAL: &str = "virtual memory management is not supported: allocate with cuMemAlloc or cuMemAllocAsync";
const MULTICAST: &str = "multicast memory is not supported";
const PROCESSES: &str = "processes do not share memory and events";
const BATCHES: &str = "batches of copies and copies with attributes are not supported: copy one by one";
const HOST_POOLS: &str = "memory pools are only of devices";
const PARTS: &str = "a device is not divided into green contexts";
const REPORTS: &str = "the driver writes no dumps, checkpoints and logs: set COALESCED_EMULATOR_LOG";
const LIBRARIES: &str = "libraries have no managed variables and no unified functions";
const OUTDATED: &str =
    "CUDA has replaced the function: launch with cuLaunchKernel, and create contexts with cuCtxCreate";

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
    EXTERNAL: cuDestroyExternalMemory cuDestroyExternalSemaphore cuDeviceGetNvSciSyncAttributes
        cuExternalMemoryGetMappedBuffer cuExternalMemoryGetMappedMipmappedArray cuGraphicsMapResources
        cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceSetMapFlags_v2
        cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources cuGraphicsUnregisterResource cuImportExternalMemory
        cuImportExternalSemaphore cuSignalExternalSemaphoresAsync cuStreamBeginCaptureToCig cuStreamEndCaptureToCig
        cuWaitExternalSemaphoresAsync;
    CLUSTERS: cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize;
    TABLES: cuGetExportTable;
    NODES: cuGraphAddBatchMemOpNode cuGraphAddChildGraphNode cuGraphAddDependencies cuGraphAddDependencies_v2
        cuGraphAddEmptyNode cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphAddExternalSemaphoresSignalNode
        cuGraphAddExternalSemaphoresWaitNode cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddKernelNode_v2
        cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphAddNode
        cuGraphAddNode_v2 cuGraphAddNode_v3 cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams
        cuGraphChildGraphNodeGetGraph cuGraphClone cuGraphConditionalHandleCreate cuGraphCreate cuGraphDebugDotPrint
        cuGraphDestroyNode cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent
        cuGraphEventWaitNodeSetEvent cuGraphExecBatchMemOpNodeSetParams cuGraphExecChildGraphNodeSetParams
        cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent cuGraphExecExternalSemaphoresSignalNodeSetParams
        cuGraphExecExternalSemaphoresWaitNodeSetParams cuGraphExecGetId cuGraphExecHostNodeSetParams
        cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2 cuGraphExecMemcpyNodeSetParams
        cuGraphExecMemsetNodeSetParams cuGraphExecNodeSetParams cuGraphExecUpdate cuGraphExecUpdate_v2
        cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams
        cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetEdges
        cuGraphGetEdges_v2 cuGraphGetId cuGraphGetNodes cuGraphGetRootNodes cuGraphHostNodeGetParams
        cuGraphHostNodeSetParams cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeGetParams
        cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetAttribute cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
        cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams
        cuGraphMemsetNodeGetParams cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetContainingGraph
        cuGraphNodeGetDependencies cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes
        cuGraphNodeGetDependentNodes_v2 cuGraphNodeGetEnabled cuGraphNodeGetLocalId cuGraphNodeGetParams
        cuGraphNodeGetToolsId cuGraphNodeGetType cuGraphNodeSetEnabled cuGraphNodeSetParams cuGraphNodeSetParams_v2
        cuGraphRemoveDependencies cuGraphRemoveDependencies_v2 cuStreamBeginCaptureToGraph cuStreamBeginRecaptureToGraph
        cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_v2;
    USER_OBJECTS: cuGraphReleaseUserObject cuGraphRetainUserObject cuUserObjectCreate cuUserObjectRelease
        cuUserObjectRetain;
    STREAM_MEMORY: cuStreamBatchMemOp cuStreamBatchMemOp_v2 cuStreamWaitValue32 cuStreamWaitValue32_v2 cuStreamWaitValue64
        cuStreamWaitValue64_v2 cuStreamWriteValue32 cuStreamWriteValue32_v2 cuStreamWriteValue64 cuStreamWriteValue64_v2;
    STREAM_ATTRIBUTES: cuStreamCopyAttributes cuStreamGetAttribute cuStreamSetAttribute;
    RECTANGLES: cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async cuMemsetD2D32_v2 cuMemsetD2D8Async cuMemsetD2D8_v2;
    SURFACES: cuModuleGetSurfRef cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc cuSurfRefGetArray
        cuSurfRefSetArray;
    REFERENCES: cuModuleGetTexRef cuParamSetTexRef cuTexRefCreate cuTexRefDestroy cuTexRefGetAddressMode
        cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags
        cuTexRefGetFormat cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias
        cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode
        cuTexRefSetAddress_v2 cuTexRefSetArray cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags
        cuTexRefSetFormat cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias
        cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray;
    TEXTURES: cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc cuTexObjectGetTextureDesc;
    ARRAYS: cuArrayGetMemoryRequirements cuArrayGetPlane cuArrayGetSparseProperties cuDeviceGetTexture1DLinearMaxWidth
        cuMemMapArrayAsync cuMemcpyAtoA_v2 cuMemcpyAtoD_v2 cuMemcpyAtoHAsync_v2 cuMemcpyDtoA_v2 cuMemcpyHtoAAsync_v2
        cuMipmappedArrayCreate cuMipmappedArrayDestroy cuMipmappedArrayGetLevel cuMipmappedArrayGetMemoryRequirements
        cuMipmappedArrayGetSparseProperties;
    TENSORS: cuTensorMapEncodeIm2col cuTensorMapEncodeIm2colWide cuTensorMapReplaceAddress;
    PEERS: cuMemcpy3DPeer cuMemcpy3DPeerAsync cuMemcpyPeer;
    PLACES: cuDeviceGetByPCIBusId;
    LINKS: cuDeviceGetCliqueCount cuDeviceGetCliqueInfo cuDeviceGetFabricClusterUuid cuDeviceGetHostAtomicCapabilities
        cuDeviceGetLuid cuDeviceGetP2PAtomicCapabilities cuFlushGPUDirectRDMAWrites;
    ATTRIBUTES: cuPointerSetAttribute;
    RANGES: cuMemGetLocationInfo cuMemRangeGetAttribute cuMemRangeGetAttributes;
    VIRTUAL: cuMemAddressFree cuMemAddressReserve cuMemCreate cuMemExportToShareableHandle cuMemGetAccess
        cuMemGetAllocationGranularity cuMemGetAllocationPropertiesFromHandle cuMemGetHandleForAddressRange
        cuMemImportFromShareableHandle cuMemMap cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess cuMemUnmap;
    MULTICAST: cuLogicalEndpointAddDevice cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate
        cuLogicalEndpointDestroy cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease
        cuLogicalEndpointIdReserve cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind
        cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindAddr_v2 cuMulticastBindMem cuMulticastBindMem_v2
        cuMulticastCreate cuMulticastGetGranularity cuMulticastUnbind;
    PROCESSES: cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle cuIpcOpenMemHandle_v2
        cuMemPoolExportPointer cuMemPoolExportToShareableHandle cuMemPoolImportFromShareableHandle cuMemPoolImportPointer;
    BATCHES: cuMemBatchDecompressAsync cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync cuMemPrefetchBatchAsync
        cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2 cuMemcpy3DWithAttributesAsync cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
        cuMemcpyWithAttributesAsync;
    HOST_POOLS: cuMemGetDefaultMemPool cuMemGetMemPool cuMemSetMemPool;
    PARTS: cuCtxFromGreenCtx cuCtxGetDevResource cuCtxGetExecAffinity cuCtxRecordEvent cuCtxWaitEvent
        cuDevResourceGenerateDesc cuDevSmResourceSplit cuDevSmResourceSplitByCount cuDeviceGetDevResource cuGreenCtxCreate
        cuGreenCtxDestroy cuGreenCtxGetDevResource cuGreenCtxGetId cuGreenCtxRecordEvent cuGreenCtxStreamCreate
        cuGreenCtxWaitEvent cuStreamGetDevResource cuStreamGetGreenCtx;
    REPORTS: cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId cuCheckpointProcessGetState
        cuCheckpointProcessLock cuCheckpointProcessRestore cuCheckpointProcessUnlock cuCoredumpDeregisterCompleteCallback
        cuCoredumpDeregisterStartCallback cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal
        cuCoredumpRegisterCompleteCallback cuCoredumpRegisterStartCallback cuCoredumpSetAttribute
        cuCoredumpSetAttributeGlobal cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification cuLogsCurrent
        cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback cuLogsUnregisterCallback;
    LIBRARIES: cuLibraryGetManaged cuLibraryGetUnifiedFunction;
    OUTDATED: cuCtxAttach cuCtxDetach cuDeviceGetProperties cuFuncSetBlockShape cuFuncSetSharedSize cuLaunch
        cuLaunchCooperativeKernelMultiDevice cuLaunchGrid cuLaunchGridAsync cuParamSetSize cuParamSetf cuParamSeti
        cuParamSetv cuProfilerInitialize;
}
