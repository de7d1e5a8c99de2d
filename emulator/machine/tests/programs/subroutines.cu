// Recursion, and calls through pointers: as nvcc compiles them.

__noinline__ __device__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursion(unsigned* out) { out[threadIdx.x] = fibonacci(threadIdx.x); }

__noinline__ __device__ bool odd(unsigned n);
__noinline__ __device__ bool even(unsigned n) { return n == 0 || odd(n - 1); }
__noinline__ __device__ bool odd(unsigned n) { return n != 0 && even(n - 1); }

extern "C" __global__ void mutual(unsigned* out) { out[threadIdx.x] = even(threadIdx.x * 5) ? 1 : 0; }

__noinline__ __device__ int sum(int* values, int count) {
    int mine[3] = {count, values[0], 7};
    if (count == 0) return mine[values[1] & 1];
    int inner = sum(mine, count - 1);
    values[1] += inner;
    return inner + mine[1] + mine[0];
}

extern "C" __global__ void frames(int* out) {
    int start[3] = {1, 2, 3};
    out[threadIdx.x] = sum(start, threadIdx.x % 5) * 1000 + start[1];
}

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ Operation table[3] = {add, subtract, multiply};

extern "C" __global__ void pointers(int* out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x, 3); }

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};
struct Circle : Shape {
    float radius;
    __device__ Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

extern "C" __global__ void virtuals(float* out) {
    Square square(threadIdx.x);
    Circle circle(threadIdx.x);
    Shape* shape = threadIdx.x % 2 ? (Shape*)&square : (Shape*)&circle;
    out[threadIdx.x] = shape->area() + 0.25f * shape->corners();
}
