// Constants of mathematics, in float and double.
#pragma once

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_MIN_DENORM_F 0x1p-149f
#define CUDART_MAX_NORMAL_F 0x1.fffffep127f
#define CUDART_PI_F 0x1.921fb6p+1f
#define CUDART_SQRT_TWO_F 0x1.6a09e6p+0f
#define CUDART_LN2_F 0x1.62e430p-1f
#define CUDART_L2E_F 0x1.715476p+0f
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI 0x1.921fb54442d18p+1
#define CUDART_SQRT_TWO 0x1.6a09e667f3bcdp+0
#define CUDART_LN2 0x1.62e42fefa39efp-1
#define CUDART_L2E 0x1.71547652b82fep+0
