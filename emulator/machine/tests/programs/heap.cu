// Memory that kernels allocate: a list of nodes, and objects with a virtual destructor.

struct Node {
    int value;
    Node* next;
};

// Each thread makes a list of `threadIdx.x + 1` nodes, adds them up, and frees them.
extern "C" __global__ void lists(int* out) {
    Node* first = nullptr;
    for (int i = 0; i <= threadIdx.x; i++) {
        Node* node = (Node*)malloc(sizeof(Node));
        node->value = i + 1;
        node->next = first;
        first = node;
    }
    int sum = 0;
    while (first != nullptr) {
        sum = 2 * sum + first->value;
        Node* next = first->next;
        free(first);
        first = next;
    }
    free(nullptr);
    out[threadIdx.x] = sum;
}

struct Shape {
    int side;
    __device__ Shape(int side) : side(side) {}
    __device__ virtual int area() { return side * side; }
    __device__ virtual ~Shape() {}
};

struct Box : Shape {
    int* heights;
    __device__ Box(int side) : Shape(side), heights(new int[side]) {
        for (int i = 0; i < side; i++) heights[i] = i;
    }
    __device__ int area() override { return 6 * side * side + heights[side - 1]; }
    __device__ ~Box() override { delete[] heights; }
};

extern "C" __global__ void objects(int* out) {
    Shape* shape = threadIdx.x % 2 ? new Box(threadIdx.x) : new Shape(threadIdx.x);
    out[threadIdx.x] = shape->area();
    delete shape;
}

// One thread allocates for its block, if the heap has room.
extern "C" __global__ void ofBlock(int* out, unsigned long long bytes) {
    __shared__ int* values;
    if (threadIdx.x == 0) values = (int*)malloc(bytes);
    __syncthreads();
    if (values == nullptr) {
        out[threadIdx.x] = -1;
        return;
    }
    values[threadIdx.x] = 3 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x] + ((unsigned long long)values % 16 == 0);
    __syncthreads();
    if (threadIdx.x == 0) free(values);
}
