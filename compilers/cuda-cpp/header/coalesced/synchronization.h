// Barriers of a block, fences, clocks, and the end of a kernel in an error.
#pragma once

// Clang itself knows __syncthreads.
COALESCED_FUNCTION int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
COALESCED_FUNCTION int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
COALESCED_FUNCTION int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
COALESCED_FUNCTION void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

COALESCED_FUNCTION void __threadfence_block() { __nvvm_membar_cta(); }
COALESCED_FUNCTION void __threadfence() { __nvvm_membar_gl(); }
COALESCED_FUNCTION void __threadfence_system() { __nvvm_membar_sys(); }

COALESCED_FUNCTION clock_t clock() {
    unsigned int cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return (int)cycles;
}
COALESCED_FUNCTION long long clock64() {
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}
COALESCED_FUNCTION unsigned long long __globaltimer() {
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
    return nanoseconds;
}
COALESCED_FUNCTION void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }
COALESCED_FUNCTION void __trap() { asm volatile("trap;"); }
COALESCED_FUNCTION void __brkpt() { asm volatile("brkpt;"); }

// The driver's functions: text to the host, and the end of a kernel whose assertion does not hold.
extern "C" __device__ int printf(const char* format, ...);
extern "C" __device__ __attribute__((noreturn)) void
__assertfail(const char* condition, const char* file, unsigned int line, const char* function, size_t bytes_of_char);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                                                                                              \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#endif
