// The mask of a vote contains all 32 lanes, of which 21 pass its branch by and store their results.
//
// launch    --grid 1 --block 32 --arg i32[32]=index --arg i32[32]
// fixed     all lanes vote

extern "C" __global__ void faulty(const int* in, int* out) {
    int votes = -1;
    if (in[threadIdx.x] % 3 == 0) votes = __popc(__ballot_sync(0xffffffff, in[threadIdx.x] > 5));
    out[threadIdx.x] = 2 * votes + in[threadIdx.x];
}

extern "C" __global__ void fixed(const int* in, int* out) {
    const bool is_third = in[threadIdx.x] % 3 == 0;
    const int votes = __popc(__ballot_sync(0xffffffff, is_third && in[threadIdx.x] > 5));
    out[threadIdx.x] = 2 * (is_third ? votes : -1) + in[threadIdx.x];
}

// compute-sanitizer: nothing: its synccheck does not look at the masks of votes.
//
// cargo x check:
//   synccheck: warp-level instruction whose mask names lanes that go on without it in kernel `faulty`, 21 times
//     executed by thread (1, 0, 0) (warp 0, lane 1) of block (0, 0, 0)
//       kernels/vote_of_all_in_branch.cu:9: out[threadIdx.x] = 2 * votes + in[threadIdx.x];
//       PTX line 48: st.global.u32 [%rd9], %r16;
//     executed by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/vote_of_all_in_branch.cu:8: if (in[threadIdx.x] % 3 == 0) votes = __popc(__ballot_sync(0xffffffff, in[threadIdx.x] > 5));
//       PTX line 36: vote.sync.ballot.b32 %r14, %p2, %r13;
