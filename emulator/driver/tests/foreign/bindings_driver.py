"""CUDA Python's driver bindings: a kernel compiled by NVRTC, its launch, and errors."""

import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


def checked(result):
    status, *values = result
    assert status.value == 0, status
    return values[0] if len(values) == 1 else values


def ptx(source):
    program = checked(nvrtc.nvrtcCreateProgram(source, b"saxpy.cu", 0, None, None))
    checked(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_75"]))
    text = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, text))
    return text


def saxpy(kernel, n, threads):
    """Runs the kernel with `threads` threads. Returns the expected and the actual result."""
    x, y = np.arange(n, dtype=np.float32), np.full(n, 0.5, dtype=np.float32)
    stream = checked(driver.cuStreamCreate(0))
    device_x, device_y = checked(driver.cuMemAlloc(x.nbytes)), checked(driver.cuMemAlloc(y.nbytes))
    checked(driver.cuMemcpyHtoDAsync(device_x, x.ctypes.data, x.nbytes, stream))
    checked(driver.cuMemcpyHtoDAsync(device_y, y.ctypes.data, y.nbytes, stream))
    types = (ctypes.c_float, None, None, ctypes.c_int)
    arguments = ((2.0, device_x, device_y, n), types)
    checked(driver.cuLaunchKernel(kernel, threads // 256, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
    found = np.empty_like(y)
    checked(driver.cuMemcpyDtoHAsync(found.ctypes.data, device_y, y.nbytes, stream))
    checked(driver.cuStreamSynchronize(stream))
    return 2 * x + y, found


checked(driver.cuInit(0))
device = checked(driver.cuDeviceGet(0))
assert b"emulator" in checked(driver.cuDeviceGetName(100, device)), "not the emulator: a real driver was found"
context = checked(driver.cuDevicePrimaryCtxRetain(device))
checked(driver.cuCtxSetCurrent(context))
module = checked(driver.cuModuleLoadData(ptx(SOURCE)))
kernel = checked(driver.cuModuleGetFunction(module, b"saxpy"))
expected, found = saxpy(kernel, 1000, 1024)
np.testing.assert_array_equal(found, expected)

# The kernel of a library runs in any context.
library = checked(driver.cuLibraryLoadData(ptx(SOURCE), [], [], 0, [], [], 0))
assert checked(driver.cuLibraryGetKernelCount(library)) == 1
kernel = checked(driver.cuKernelGetFunction(checked(driver.cuLibraryGetKernel(library, b"saxpy"))))
expected, found = saxpy(kernel, 77, 256)
np.testing.assert_array_equal(found, expected)

# Machine code is an error, and so is an unsupported instruction.
refused = driver.cuModuleLoadData(b"\x7fELF\x02\x01\x01" + bytes(60))[0]
assert refused == driver.CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU, refused
refused = driver.cuModuleLoadData(ptx(SOURCE).replace(b"fma.rn.f32", b"frobnicate"))[0]
assert refused == driver.CUresult.CUDA_ERROR_INVALID_PTX, refused

# A write out of bounds disables the context, so this comes last.
wrong = ptx(SOURCE.replace(b"if (i < n) ", b""))
kernel = checked(driver.cuModuleGetFunction(checked(driver.cuModuleLoadData(wrong)), b"saxpy"))
try:
    saxpy(kernel, 1000, 1024)
except AssertionError as error:
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in str(error), error
else:
    raise SystemExit("a write past the end was not found")
