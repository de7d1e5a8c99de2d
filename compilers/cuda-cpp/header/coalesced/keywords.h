// The words of CUDA C++, as clang's attributes.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ __attribute__((always_inline)) inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(registers) __attribute__((maxnreg(registers)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__ __attribute__((grid_constant))
#define __restrict__ __restrict

// A variable in shared memory has no value before it is written. Clang removes every read of one that nobody writes, and with
// the read the mistake that a check should find. An annotation is a use that the optimizer does not understand.
#define __shared__ __attribute__((shared, annotate("read as it is written")))

// A function of this header: of no file and line, so that faults and line tables name the kernel's.
#define COALESCED_FUNCTION static __device__ __attribute__((always_inline, nodebug)) inline
#define COALESCED_MEMBER __device__ __attribute__((always_inline, nodebug)) inline

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

typedef long clock_t;
