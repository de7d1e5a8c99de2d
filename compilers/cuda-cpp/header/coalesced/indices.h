// The place of a thread: `threadIdx`, `blockIdx`, and the extents `blockDim` and `gridDim`. Each component is read from its
// register where it is used.
#pragma once

#define COALESCED_INDEX(type, name, whole, registers)                                                                  \
    struct type {                                                                                                      \
        __declspec(property(get = get_x)) unsigned int x;                                                              \
        __declspec(property(get = get_y)) unsigned int y;                                                              \
        __declspec(property(get = get_z)) unsigned int z;                                                              \
        COALESCED_MEMBER unsigned int get_x() const { return __nvvm_read_ptx_sreg_##registers##_x(); }                 \
        COALESCED_MEMBER unsigned int get_y() const { return __nvvm_read_ptx_sreg_##registers##_y(); }                 \
        COALESCED_MEMBER unsigned int get_z() const { return __nvvm_read_ptx_sreg_##registers##_z(); }                 \
        COALESCED_MEMBER operator whole() const { return {get_x(), get_y(), get_z()}; }                                \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) type name;

COALESCED_INDEX(CoalescedThread, threadIdx, uint3, tid)
COALESCED_INDEX(CoalescedBlock, blockIdx, uint3, ctaid)
COALESCED_INDEX(CoalescedThreads, blockDim, dim3, ntid)
COALESCED_INDEX(CoalescedBlocks, gridDim, dim3, nctaid)
#undef COALESCED_INDEX

// The number of threads in a warp.
static constexpr __device__ int warpSize = 32;
