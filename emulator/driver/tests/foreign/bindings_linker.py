"""CUDA Python's driver bindings: a kernel and its device function, compiled separately and linked by the driver."""

import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc

KERNEL = b"""
extern __device__ int triple(int value);
extern "C" __global__ void apply(int* values) { values[threadIdx.x] = triple(values[threadIdx.x]); }
"""
FUNCTION = b"__device__ int triple(int value) { return 3 * value; }"


def checked(result):
    status, *values = result
    assert status.value == 0, status
    return values[0] if len(values) == 1 else values


def ptx(source, architecture):
    program = checked(nvrtc.nvrtcCreateProgram(source, b"part.cu", 0, None, None))
    options = [b"--gpu-architecture=" + architecture, b"--relocatable-device-code=true"]
    checked(nvrtc.nvrtcCompileProgram(program, len(options), options))
    text = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, text))
    return text


def link(*texts):
    state = checked(driver.cuLinkCreate(0, [], []))
    for text in texts:
        kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
        checked(driver.cuLinkAddData(state, kind, text, len(text), b"part", 0, [], []))
    image, size = checked(driver.cuLinkComplete(state))
    linked = ctypes.string_at(image, size)
    checked(driver.cuLinkDestroy(state))
    return linked


checked(driver.cuInit(0))
context = checked(driver.cuDevicePrimaryCtxRetain(checked(driver.cuDeviceGet(0))))
checked(driver.cuCtxSetCurrent(context))

kernel, function = ptx(KERNEL, b"compute_75"), ptx(FUNCTION, b"compute_80")
missing = driver.cuModuleLoadData(link(kernel))[0]
assert missing == driver.CUresult.CUDA_ERROR_INVALID_PTX, f"{missing}: `triple` is in no part"
for parts in [(kernel, function), (function, kernel)]:
    module = checked(driver.cuModuleLoadData(link(*parts)))
    apply = checked(driver.cuModuleGetFunction(module, b"apply"))
    values = np.arange(40, dtype=np.int32)
    address = checked(driver.cuMemAlloc(values.nbytes))
    checked(driver.cuMemcpyHtoD(address, values.ctypes.data, values.nbytes))
    checked(driver.cuLaunchKernel(apply, 1, 1, 1, 40, 1, 1, 0, 0, ((address,), (None,)), 0))
    found = np.empty_like(values)
    checked(driver.cuMemcpyDtoH(found.ctypes.data, address, values.nbytes))
    np.testing.assert_array_equal(found, 3 * values)
