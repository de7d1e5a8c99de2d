// Addresses of local memory: each thread finds its own there.
#define ARRAY                                                                                                        \
    int own[4];                                                                                                      \
    for (int i = 0; i < 4; i++) own[i] = threadIdx.x + i

// launch through_shared memcheck --grid 1 --block 64 --arg i32[1]=1 --arg i32[64]
extern "C" __global__ void through_shared(const int* in, int* out) {
    __shared__ int* first;
    ARRAY;
    if (threadIdx.x == 0) first = own + *in;
    __syncthreads();
    out[threadIdx.x] = *first + own[*in];
}

// launch through_global memcheck --grid 2 --block 1 --arg u64[2]=0 --arg i32[1]=1 --arg i32[2]
extern "C" __global__ void through_global(int** pointers, const int* in, int* out) {
    ARRAY;
    int** slot = pointers + blockIdx.x;
    *slot = own + *in;
    __threadfence();
    if (blockIdx.x == 0) {
        out[0] = 0;
    } else {
        int* other = *(int* volatile*)pointers;
        out[1] = other ? *other : 0;
    }
}

// launch own_address clean --grid 1 --block 64 --arg i32[1]=1 --arg i32[64]
extern "C" __global__ void own_address(const int* in, int* out) {
    __shared__ int* all[64];
    ARRAY;
    all[threadIdx.x] = own + *in;
    __syncthreads();
    out[threadIdx.x] = *all[threadIdx.x];
}

// launch value_instead clean --grid 1 --block 64 --arg i32[1]=1 --arg i32[64]
extern "C" __global__ void value_instead(const int* in, int* out) {
    __shared__ int first;
    ARRAY;
    if (threadIdx.x == 0) first = own[*in];
    __syncthreads();
    out[threadIdx.x] = first + own[*in];
}

// launch shared_address clean --grid 1 --block 64 --arg i32[1]=1 --arg i32[64]
extern "C" __global__ void shared_address(const int* in, int* out) {
    __shared__ int values[64];
    __shared__ int* first;
    ARRAY;
    values[threadIdx.x] = own[*in];
    if (threadIdx.x == 0) first = values + *in;
    __syncthreads();
    out[threadIdx.x] = *first;
}

// launch overwritten clean --grid 1 --block 64 --arg i32[1]=1 --arg i32[64]
extern "C" __global__ void overwritten(int* in, int* out) {
    __shared__ int* first;
    ARRAY;
    if (threadIdx.x == 0) first = own + *in;
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = *first;
        first = in;
    }
    __syncthreads();
    if (threadIdx.x > 0) out[threadIdx.x] = *first;
}
