"""CUDA Python's cuda.core: compilation to PTX and a launch through its objects."""

import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
from cuda.bindings import driver

SOURCE = """
template <typename T>
__global__ void scale(T* values, T factor, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) values[i] *= factor;
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
program = Program(SOURCE, code_type="c++", options=ProgramOptions(std="c++17", arch="compute_80"))
compiled = program.compile("ptx", name_expressions=("scale<float>", "scale<double>"))
for kind, name in [(np.float32, "scale<float>"), (np.float64, "scale<double>")]:
    values = np.arange(1000, dtype=kind)
    status, address = driver.cuMemAlloc(values.nbytes)
    assert status.value == 0, status
    driver.cuMemcpyHtoD(address, values.ctypes.data, values.nbytes)
    launch(stream, LaunchConfig(grid=3, block=128), compiled.get_kernel(name), int(address), kind(1.5), np.uint64(1000))
    stream.sync()
    found = np.empty_like(values)
    driver.cuMemcpyDtoH(found.ctypes.data, address, values.nbytes)
    np.testing.assert_array_equal(found, values * kind(1.5))
