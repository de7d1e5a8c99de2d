// Exchanges between the lanes of a warp: shuffles, votes, matches and reductions.
#pragma once

COALESCED_FUNCTION unsigned int __activemask() {
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
COALESCED_FUNCTION unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
COALESCED_FUNCTION int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate != 0); }
COALESCED_FUNCTION int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate != 0); }
COALESCED_FUNCTION int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate != 0); }

// The third operand of a shuffle: the lanes whose number differs in these bits are of other segments, and the last or, for
// `up`, the first lane of a segment.
#define COALESCED_SEGMENT(width, bound) (((warpSize - (width)) << 8) | (bound))

// A shuffle of 32 bits in one instruction and of 64 in two, for each type of CUDA's.
#define COALESCED_SHUFFLE(name, mode, parameter, bound)                                                                \
    COALESCED_FUNCTION int name(unsigned int mask, int value, parameter lane, int width = warpSize) {                  \
        return __nvvm_shfl_sync_##mode##_i32(mask, value, lane, COALESCED_SEGMENT(width, bound));                      \
    }                                                                                                                  \
    COALESCED_FUNCTION unsigned int name(unsigned int mask, unsigned int value, parameter lane, int width = warpSize) { \
        return __nvvm_shfl_sync_##mode##_i32(mask, value, lane, COALESCED_SEGMENT(width, bound));                      \
    }                                                                                                                  \
    COALESCED_FUNCTION float name(unsigned int mask, float value, parameter lane, int width = warpSize) {              \
        return __nvvm_shfl_sync_##mode##_f32(mask, value, lane, COALESCED_SEGMENT(width, bound));                      \
    }                                                                                                                  \
    COALESCED_FUNCTION unsigned long long name(                                                                        \
        unsigned int mask, unsigned long long value, parameter lane, int width = warpSize) {                           \
        const unsigned int low = name(mask, (unsigned int)value, lane, width);                                         \
        const unsigned int high = name(mask, (unsigned int)(value >> 32), lane, width);                                \
        return (unsigned long long)high << 32 | low;                                                                   \
    }                                                                                                                  \
    COALESCED_FUNCTION long long name(unsigned int mask, long long value, parameter lane, int width = warpSize) {      \
        return (long long)name(mask, (unsigned long long)value, lane, width);                                          \
    }                                                                                                                  \
    COALESCED_FUNCTION unsigned long name(unsigned int mask, unsigned long value, parameter lane, int width = warpSize) { \
        return (unsigned long)name(mask, (unsigned long long)value, lane, width);                                      \
    }                                                                                                                  \
    COALESCED_FUNCTION long name(unsigned int mask, long value, parameter lane, int width = warpSize) {                \
        return (long)name(mask, (unsigned long long)value, lane, width);                                               \
    }                                                                                                                  \
    COALESCED_FUNCTION double name(unsigned int mask, double value, parameter lane, int width = warpSize) {            \
        return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(unsigned long long, value), lane, width));     \
    }
COALESCED_SHUFFLE(__shfl_sync, idx, int, 31)
COALESCED_SHUFFLE(__shfl_up_sync, up, unsigned int, 0)
COALESCED_SHUFFLE(__shfl_down_sync, down, unsigned int, 31)
COALESCED_SHUFFLE(__shfl_xor_sync, bfly, int, 31)
#undef COALESCED_SHUFFLE

// The lanes with the same value, and whether all lanes have it.
#define COALESCED_MATCH(type, bits, word)                                                                              \
    COALESCED_FUNCTION unsigned int __match_any_sync(unsigned int mask, type value) {                                  \
        return __nvvm_match_any_sync_##bits(mask, __builtin_bit_cast(word, value));                                    \
    }                                                                                                                  \
    COALESCED_FUNCTION unsigned int __match_all_sync(unsigned int mask, type value, int* are_equal) {                  \
        return __nvvm_match_all_sync_##bits##p(mask, __builtin_bit_cast(word, value), are_equal);                      \
    }
COALESCED_MATCH(int, i32, unsigned int)
COALESCED_MATCH(unsigned int, i32, unsigned int)
COALESCED_MATCH(float, i32, unsigned int)
COALESCED_MATCH(long, i64, unsigned long long)
COALESCED_MATCH(unsigned long, i64, unsigned long long)
COALESCED_MATCH(long long, i64, unsigned long long)
COALESCED_MATCH(unsigned long long, i64, unsigned long long)
COALESCED_MATCH(double, i64, unsigned long long)
#undef COALESCED_MATCH

#if __CUDA_ARCH__ >= 800
#define COALESCED_REDUCE(name, type, instruction)                                                                      \
    COALESCED_FUNCTION type name(unsigned int mask, type value) {                                                      \
        type result;                                                                                                   \
        asm volatile("redux.sync." instruction " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));                 \
        return result;                                                                                                 \
    }
COALESCED_REDUCE(__reduce_add_sync, unsigned int, "add.u32")
COALESCED_REDUCE(__reduce_add_sync, int, "add.s32")
COALESCED_REDUCE(__reduce_min_sync, unsigned int, "min.u32")
COALESCED_REDUCE(__reduce_min_sync, int, "min.s32")
COALESCED_REDUCE(__reduce_max_sync, unsigned int, "max.u32")
COALESCED_REDUCE(__reduce_max_sync, int, "max.s32")
COALESCED_REDUCE(__reduce_and_sync, unsigned int, "and.b32")
COALESCED_REDUCE(__reduce_or_sync, unsigned int, "or.b32")
COALESCED_REDUCE(__reduce_xor_sync, unsigned int, "xor.b32")
#undef COALESCED_REDUCE
#endif
