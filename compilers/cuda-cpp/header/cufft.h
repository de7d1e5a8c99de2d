// The types of cuFFT's numbers. The host calls its functions.
#pragma once

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
