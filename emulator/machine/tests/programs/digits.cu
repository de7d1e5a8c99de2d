// Ranks the keys of a warp by a digit, like the radix sorts of CUDA's libraries and with their inline PTX: votes with
// `.sync` after the kind, bmsk, atomics with qualifiers in a different order. digits.ptx was compiled from this file by
// NVRTC 12.1 for compute_80.

// Returns the mask of the lanes with the same digit as this one.
__device__ unsigned peersOf(unsigned digit) {
    unsigned peers = ~0u;
    for (int bit = 1; bit < 16; bit <<= 1) {
        unsigned alike;
        asm("{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0; vote.ballot.sync.b32 %0, p, 0xffffffff; "
            "@!p not.b32 %0, %0; }" : "=r"(alike) : "r"(digit), "r"(bit));
        peers &= alike;
    }
    return peers;
}

extern "C" __global__ void rankDigits(const unsigned* keys, unsigned* counts, unsigned* ranks, unsigned* seen) {
    const unsigned lane = threadIdx.x, digit = keys[lane] & 15, peers = peersOf(digit);
    unsigned below, base = 0;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(below) : "r"(0), "r"(lane));
    const int leader = __ffs(peers) - 1;
    if (lane == leader) {
        asm volatile("atom.global.sys.add.u32 %0, [%1], %2;" : "=r"(base) : "l"(counts + digit), "r"(__popc(peers)) : "memory");
        asm volatile("red.or.release.gpu.b32 [%0], %1;" :: "l"(seen), "r"(1 << digit) : "memory");
    }
    ranks[lane] = __shfl_sync(~0u, base, leader) + __popc(peers & below);
}
