// Nothing.
//
// launch    one warp.
// measures  the duration of a launch between two events, and in a sequence of launches.

extern "C" __global__ void __launch_bounds__(32) emptyKernel() {}
