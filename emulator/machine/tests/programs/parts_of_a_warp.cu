// Two parts of a warp execute warp-level instructions of one kind at different lines. PTX lets them synchronize: a thread
// waits for those that "have executed [it] with the same qualifiers and same membermask". The expected values are results
// of an NVIDIA H200, driver 580. parts_of_a_warp.ptx was compiled from this file by NVRTC 12.1 for compute_80.

// From the CUDA C++ Programming Guide, "Independent Thread Scheduling".
extern "C" __global__ void guide(int* out) {
    const int t = threadIdx.x, value = t * 10;
    if (t < 16) {
        out[t] = __shfl_xor_sync(~0u, value, 16) + 1;
    } else {
        out[t] = __shfl_xor_sync(~0u, value, 16) * 2;
    }
}

// Each part with its own source lane.
extern "C" __global__ void shuffleIndex(int* out) {
    const int t = threadIdx.x;
    int value = t * 10;
    if (t < 16) {
        value = __shfl_sync(~0u, value, 3, 16);
    } else {
        value = __shfl_sync(~0u, value + 1, 5, 16);
    }
    out[t] = value;
}

// The parts leave a loop after different numbers of rounds: the shuffle behind it meets the one inside.
extern "C" __global__ void shuffleUneven(int* out, int few, int many) {
    const int t = threadIdx.x, rounds = t < 16 ? few : many;
    int sum = t;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) sum += __shfl_sync(~0u, sum, 2, 16);
    out[t] = __shfl_sync(~0u, sum, 1, 16);
}

// As before with shuffles of two kinds, which do not meet: it does not end on hardware.
extern "C" __global__ void shuffleMixed(int* out, int few, int many) {
    const int t = threadIdx.x, rounds = t < 16 ? few : many;
    int sum = t;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
        const int below = __shfl_up_sync(~0u, sum, 1, 16);
        if ((t & 15) >= 1) sum += below;
    }
    out[t] = __shfl_sync(~0u, sum, 15, 16);
}

// The vote is one of both parts.
extern "C" __global__ void ballot(unsigned* out) {
    const int t = threadIdx.x;
    unsigned votes;
    if (t < 16) {
        votes = __ballot_sync(~0u, t & 1);
    } else {
        votes = __ballot_sync(~0u, t & 2);
    }
    out[t] = votes;
}

extern "C" __global__ void anyLane(int* out) {
    const int t = threadIdx.x;
    if (t < 16) {
        out[t] = __any_sync(~0u, t == 99);
    } else {
        out[t] = __any_sync(~0u, t == 20) + 2;
    }
}

extern "C" __global__ void reduce(unsigned* out) {
    const unsigned t = threadIdx.x;
    if (t < 16) {
        out[t] = __reduce_add_sync(~0u, t);
    } else {
        out[t] = __reduce_add_sync(~0u, t) * 2;
    }
}

extern "C" __global__ void matchAny(unsigned* out) {
    const int t = threadIdx.x;
    if (t < 16) {
        out[t] = __match_any_sync(~0u, t & 3);
    } else {
        out[t] = ~__match_any_sync(~0u, t & 3);
    }
}

extern "C" __global__ void warpBarrier(int* out) {
    __shared__ int values[32];
    const int t = threadIdx.x;
    if (t < 16) {
        values[t] = t;
        __syncwarp();
        out[t] = values[31 - t];
    } else {
        values[t] = t * 100;
        __syncwarp();
        out[t] = values[31 - t];
    }
}
