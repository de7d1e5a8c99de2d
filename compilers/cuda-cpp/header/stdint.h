// Whole numbers of a given size.
#pragma once

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
// As the host's header has them: long has 32 bits on Windows. Some headers of the toolkit declare them too, for NVRTC, as long long.
#if defined(_WIN32) || defined(COALESCED_LONG_LONG)
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT64_C(number) number##ll
#define UINT64_C(number) number##ull
#else
typedef long int64_t;
typedef unsigned long uint64_t;
#define INT64_C(number) number##l
#define UINT64_C(number) number##ul
#endif
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;

#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN ((int64_t)-9223372036854775807 - 1)
#define INT64_MAX ((int64_t)9223372036854775807)
#define UINT64_MAX ((uint64_t)18446744073709551615ull)
#define SIZE_MAX ((size_t)18446744073709551615ull)
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX

#define INT8_C(number) number
#define UINT8_C(number) number
#define INT16_C(number) number
#define UINT16_C(number) number
#define INT32_C(number) number
#define UINT32_C(number) number##u
#define INTMAX_C(number) number##ll
#define UINTMAX_C(number) number##ull
