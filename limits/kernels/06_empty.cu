// Nothing.
//
// launch    one warp.
// measures  what a launch takes between two events, and in a row of launches.

extern "C" __global__ void __launch_bounds__(32) emptyKernel() {}
