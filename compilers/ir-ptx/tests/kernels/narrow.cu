// Integers of 8, 16 and 64 bits, numbers of 16 bits, structures, a function apart.
#include <cuda_fp16.h>

struct Record { unsigned char kind; short level; long long key; };

__device__ __noinline__ long long mixed(long long key, bool odd, unsigned char kind) { return odd ? key * 31 + kind : key / 7 - kind; }

extern "C" __global__ void fuzz(const int* in, const float* reals, unsigned int* out) {
    __shared__ Record records[64];
    __shared__ bool flags[64];
    const int t = threadIdx.x;
    records[t] = Record{(unsigned char)in[t], (short)(in[t] >> 5), (long long)in[t] * 1000003};
    flags[t] = in[t] & 1;
    __syncthreads();
    const Record other = records[t ^ 9];
    long long key = mixed(other.key, flags[t ^ 3], other.kind);
    key += key % 10 + (key >> (other.kind & 31));
    unsigned int sum = 0;
    for (int i = 0; i < (in[t] & 63); ++i) sum += i * i;
    const __half2 pair = __hmul2(__floats2half2_rn(reals[t], 0.5f), __floats2half2_rn(1.5f, reals[t]));
    const __half h = __hfma(__float2half(reals[t]), __low2half(pair), __high2half(pair));
    out[8 * t] = (unsigned int)key ^ (unsigned int)(key >> 32);
    out[8 * t + 1] = (unsigned int)(other.level / 3) + (unsigned char)(other.kind * 3) + sum;
    out[8 * t + 2] = __float_as_uint(__half2float(h));
    out[8 * t + 3] = other.kind > 100 && other.level < 0 ? 1u : (unsigned int)__popcll(key);
    out[8 * t + 4] = (unsigned int)__mul64hi(key, other.key) + __umulhi(sum, 77777u);
}
