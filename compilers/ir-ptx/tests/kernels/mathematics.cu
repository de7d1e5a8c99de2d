// Functions of the header for real numbers.
extern "C" __global__ void fuzz(const int* in, const float* reals, unsigned int* out) {
    const int t = threadIdx.x;
    const float a = reals[t];
    const double d = a * 3.0;
    float sum = expf(a * 0.1f) + sinf(a) + cosf(a) + logf(fabsf(a) + 1.0f) + powf(fabsf(a), 1.5f) + tanhf(a);
    sum += sqrtf(fabsf(a)) + rsqrtf(fabsf(a) + 1.0f) + exp2f(a) + log2f(fabsf(a) + 2.0f) + floorf(a) + roundf(a);
    out[8 * t] = __float_as_uint(sum);
    out[8 * t + 1] = __float_as_uint(fmodf(a, 3.0f) + __expf(a) + __sinf(a) + atan2f(a, 2.0f));
    out[8 * t + 2] = (unsigned int)(long long)(sqrt(fabs(d)) * 1000.0 + floor(d));
    out[8 * t + 3] = __float_as_uint(copysignf(ceilf(a), -1.0f) + truncf(a) + 1.0f / (a + 10.0f));
    out[8 * t + 4] = (unsigned int)(int)rintf(a) + __float2int_rn(a * 7.0f);
}
