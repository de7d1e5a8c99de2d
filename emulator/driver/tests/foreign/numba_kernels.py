"""numba-cuda: kernels in Python, compiled through NVVM. Partial blocks, doubles, shared memory, shuffles, atomics."""

import math

import numpy as np
from numba import cuda, float32, int32

RANDOM = np.random.default_rng(2026)


@cuda.jit
def hypotenuse(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sqrt(a[i] * a[i] + b[i] * b[i])


for kind, tolerance in [(np.float32, 2e-7), (np.float64, 4e-16)]:
    a, b = RANDOM.random(1000).astype(kind), RANDOM.random(1000).astype(kind)
    out = np.zeros_like(a)
    hypotenuse[8, 128](a, b, out)
    np.testing.assert_allclose(out, np.hypot(a, b), rtol=tolerance)

TILE = 16


@cuda.jit
def product(a, b, c):
    tile_a, tile_b = cuda.shared.array((TILE, TILE), float32), cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for start in range(0, a.shape[1], TILE):
        tile_a[row, column] = a[y, start + column] if y < a.shape[0] and start + column < a.shape[1] else 0
        tile_b[row, column] = b[start + row, x] if start + row < b.shape[0] and x < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[row, k] * tile_b[k, column]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


for rows, inner, columns in [(16, 16, 16), (33, 20, 47)]:
    # Small integers, whose sums are exact in any order.
    a = RANDOM.integers(-8, 9, (rows, inner)).astype(np.float32)
    b = RANDOM.integers(-8, 9, (inner, columns)).astype(np.float32)
    c = np.zeros((rows, columns), dtype=np.float32)
    product[(-(-columns // TILE), -(-rows // TILE)), (TILE, TILE)](a, b, c)
    np.testing.assert_array_equal(c, a @ b)


@cuda.jit
def warp_sums(values, sums):
    i = cuda.grid(1)
    value = values[i] if i < values.size else 0
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
    if cuda.laneid == 0:
        cuda.atomic.add(sums, 0, value)


values = RANDOM.integers(0, 100, 777).astype(np.int32)
sums = np.zeros(1, dtype=np.int32)
warp_sums[7, 128](values, sums)
assert sums[0] == values.sum(), (sums[0], values.sum())


@cuda.jit
def histogram(values, bins):
    own = cuda.shared.array(16, int32)
    if cuda.threadIdx.x < 16:
        own[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, values[i] % 16, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 16:
        cuda.atomic.add(bins, cuda.threadIdx.x, own[cuda.threadIdx.x])


bins = np.zeros(16, dtype=np.int32)
histogram[3, 96](values, bins)
np.testing.assert_array_equal(bins, np.bincount(values % 16, minlength=16))


@cuda.jit
def extremes(values, out):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.max(out, 0, values[i])
        cuda.atomic.min(out, 1, values[i])


doubles = RANDOM.normal(size=500)
out = np.array([-np.inf, np.inf])
extremes[4, 128](doubles, out)
np.testing.assert_array_equal(out, [doubles.max(), doubles.min()])
