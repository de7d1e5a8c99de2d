// output = input after one step of the heat equation: u + rate (above + below + left + right - 4 u) for each cell u
// inside of the border, whose cells keep their values.
//
// shapes      input: (n, pitch), not modified; output: (n, pitch); n >= 1 cells of each row are in use, and pitch >= n
// launch      a two-dimensional grid of at least ceil(width / block.x) x ceil(height / block.y) blocks, where both
//             sides are n; block a multiple of 32, with block.x = 32. A thread has one cell. Indices are 32-bit: n *
//             pitch < 2^31.
// bottleneck  baseline. A cell is loaded five times: by its own thread and by those of its neighbors. Counter:
//             global_load_requests.
// idea        a thread for each cell, which needs no other thread.
// expected    per warp of inner cells: 5 load requests, of 4 sectors each, or 5 for those of the left and of the right
//             neighbors. 1 store request of 4 sectors. The L1 cache has most of what is loaded again.

extern "C" __global__ void heatDirect(const float* __restrict__ input, float* __restrict__ output, int n, int pitch,
                                      float rate) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;

    const int place = row * pitch + column;
    float cell = input[place];
    if (row > 0 && row < n - 1 && column > 0 && column < n - 1) {
        const float above = input[place - pitch], below = input[place + pitch];
        const float left = input[place - 1], right = input[place + 1];
        cell = fmaf(rate, fmaf(-4.0f, cell, (above + below) + (left + right)), cell);
    }
    output[place] = cell;
}
