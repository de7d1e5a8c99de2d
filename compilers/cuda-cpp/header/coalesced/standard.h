// What the headers of the standard library in this folder share. They have what nvcc takes in a kernel, for both compilers.
#pragma once

#ifdef __clang__
// Of no file and line, as in keywords.h.
#define COALESCED_STANDARD __host__ __device__ __attribute__((always_inline, nodebug)) constexpr
#else
#define COALESCED_STANDARD __host__ __device__ __forceinline__ constexpr
#endif

namespace std {
using ::size_t, ::ptrdiff_t;
using nullptr_t = decltype(nullptr);
}  // namespace std
