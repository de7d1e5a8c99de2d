// Cooperative groups within a block: the block itself, and parts of its warps of a constant size.
#pragma once

namespace cooperative_groups {

class thread_block {
public:
    COALESCED_MEMBER static void sync() { ::__syncthreads(); }
    COALESCED_MEMBER static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    COALESCED_MEMBER static unsigned int num_threads() { return size(); }
    COALESCED_MEMBER static unsigned int thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    COALESCED_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    COALESCED_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    COALESCED_MEMBER static dim3 dim_threads() { return blockDim; }
    COALESCED_MEMBER static dim3 group_dim() { return blockDim; }
};
COALESCED_FUNCTION thread_block this_thread_block() { return {}; }

// SIZE neighboring threads of a warp, from a multiple of SIZE on.
template <unsigned int SIZE>
class thread_block_tile {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

    COALESCED_MEMBER static unsigned int lane() { return thread_block::thread_rank() & 31; }
    COALESCED_MEMBER static unsigned int mask() {
        return SIZE == 32 ? 0xffffffffu : ((1u << (SIZE & 31)) - 1) << (lane() & ~(SIZE - 1));
    }
    // The bits of the tile's own threads, the first at bit 0.
    COALESCED_MEMBER static unsigned int own(unsigned int lanes) { return (lanes & mask()) >> (lane() & ~(SIZE - 1)); }

public:
    COALESCED_MEMBER static void sync() { ::__syncwarp(mask()); }
    COALESCED_MEMBER static constexpr unsigned int size() { return SIZE; }
    COALESCED_MEMBER static constexpr unsigned int num_threads() { return SIZE; }
    COALESCED_MEMBER static unsigned int thread_rank() { return lane() & (SIZE - 1); }
    COALESCED_MEMBER static unsigned int meta_group_rank() { return thread_block::thread_rank() / SIZE; }
    COALESCED_MEMBER static unsigned int meta_group_size() { return (thread_block::size() + SIZE - 1) / SIZE; }
    template <class T>
    COALESCED_MEMBER static T shfl(T value, int rank) {
        return ::__shfl_sync(mask(), value, rank, SIZE);
    }
    template <class T>
    COALESCED_MEMBER static T shfl_up(T value, unsigned int distance) {
        return ::__shfl_up_sync(mask(), value, distance, SIZE);
    }
    template <class T>
    COALESCED_MEMBER static T shfl_down(T value, unsigned int distance) {
        return ::__shfl_down_sync(mask(), value, distance, SIZE);
    }
    template <class T>
    COALESCED_MEMBER static T shfl_xor(T value, int bits) {
        return ::__shfl_xor_sync(mask(), value, bits, SIZE);
    }
    COALESCED_MEMBER static int any(int predicate) { return ::__any_sync(mask(), predicate); }
    COALESCED_MEMBER static int all(int predicate) { return ::__all_sync(mask(), predicate); }
    COALESCED_MEMBER static unsigned int ballot(int predicate) { return own(::__ballot_sync(mask(), predicate)); }
    template <class T>
    COALESCED_MEMBER static unsigned int match_any(T value) {
        return own(::__match_any_sync(mask(), value));
    }
};
template <unsigned int SIZE>
COALESCED_FUNCTION thread_block_tile<SIZE> tiled_partition(const thread_block&) {
    return {};
}
template <unsigned int SIZE, unsigned int LARGER>
COALESCED_FUNCTION thread_block_tile<SIZE> tiled_partition(const thread_block_tile<LARGER>&) {
    static_assert(SIZE <= LARGER, "a part is not larger than the whole");
    return {};
}

template <class GROUP>
COALESCED_FUNCTION void sync(const GROUP& group) {
    group.sync();
}

}  // namespace cooperative_groups
