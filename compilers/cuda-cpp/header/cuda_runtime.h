// CUDA C++ for clang: what a kernel can use without any #include, written for this course. NVIDIA's headers are not needed, and
// nothing of them is in it. Each function is that of the CUDA C++ Programming Guide and of the CUDA Math API.
#pragma once

// As with nvcc.
#include "limits.h"
#include "math.h"
#include "stdint.h"

#include "coalesced/keywords.h"
#include "coalesced/vectors.h"
#include "coalesced/indices.h"
#include "coalesced/synchronization.h"
#include "coalesced/warp.h"
#include "coalesced/atomics.h"
#include "coalesced/memory.h"
#include "coalesced/bits.h"
#include "coalesced/conversions.h"
#include "coalesced/arithmetic.h"
#include "coalesced/dots.h"
#include "coalesced/pairs.h"
#include "coalesced/exponentials.h"
#include "coalesced/exponentials_of_double.h"
#include "coalesced/trigonometry.h"
#include "coalesced/trigonometry_of_double.h"
#include "coalesced/powers_of_double.h"
#include "coalesced/powers.h"
#include "coalesced/special.h"
#include "cmath"
#include "cstdlib"

#undef COALESCED_OVERLOAD
