// Functions without a word for the host or the device are for both, as in a program that an older nvcc took.
#pragma clang force_cuda_host_device begin
