"""numba-cuda's own kernels: reductions, universal functions, generated random numbers, streams and events."""

import numpy as np
from numba import cuda, float32, vectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

values = np.arange(1, 1235, dtype=np.float64)
assert cuda.reduce(lambda a, b: a + b)(values) == values.sum()
assert cuda.reduce(lambda a, b: max(a, b))(values, init=0) == values.max()


@vectorize(["float32(float32, float32)"], target="cuda")
def blend(a, b):
    return a * float32(0.25) + b * float32(0.75)


a, b = values.astype(np.float32), values[::-1].astype(np.float32)
np.testing.assert_array_equal(blend(a, b), a * np.float32(0.25) + b * np.float32(0.75))


@cuda.jit
def inside_circle(states, rounds, out):
    thread = cuda.grid(1)
    count = 0
    for _ in range(rounds):
        x = xoroshiro128p_uniform_float32(states, thread)
        y = xoroshiro128p_uniform_float32(states, thread)
        if x * x + y * y <= float32(1):
            count += 1
    out[thread] = count


threads, rounds = 256, 100
stream, start, end = cuda.stream(), cuda.event(), cuda.event()
states = create_xoroshiro128p_states(threads, seed=1, stream=stream)
out = cuda.device_array(threads, dtype=np.int32, stream=stream)
start.record(stream)
inside_circle[4, 64, stream](states, rounds, out)
end.record(stream)
stream.synchronize()
assert cuda.event_elapsed_time(start, end) > 0
share = out.copy_to_host().sum() / (threads * rounds)
# Ten standard deviations of the mean of 25,600 samples.
assert abs(share - np.pi / 4) < 10 * np.sqrt(np.pi / 4 * (1 - np.pi / 4) / (threads * rounds)), share
