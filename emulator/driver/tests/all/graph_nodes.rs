//! Graphs that are built node by node.

use crate::support::{KERNELS, context, copy_of_host, last_error, on_hardware, status};
use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUgraphNode, CUresult};
use cudarc::driver::{CudaContext, CudaStream, DevicePtr};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// A graph, with a stream to launch it on and the kernel `scale`.
struct Built {
    graph: CUgraph,
    stream: Arc<CudaStream>,
    scale: sys::CUfunction,
}

#[track_caller]
fn check(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS, "{}", last_error());
}

/// Returns the current context.
fn current() -> sys::CUcontext {
    let mut context = null_mut();
    // SAFETY: the output is valid for a write.
    check(unsafe { sys::cuCtxGetCurrent(&mut context) });
    context
}

impl Built {
    fn new(context: &Arc<CudaContext>) -> Self {
        let (mut graph, mut module, mut scale) = (null_mut(), null_mut(), null_mut());
        let ptx = CString::new(KERNELS).unwrap();
        // SAFETY: the outputs are valid for writes, and the texts end with NUL.
        unsafe {
            check(sys::cuGraphCreate(&mut graph, 0));
            check(sys::cuModuleLoadData(&mut module, ptx.as_ptr().cast()));
            check(sys::cuModuleGetFunction(&mut scale, module, c"scale".as_ptr()));
        }
        Self { graph, stream: context.default_stream(), scale }
    }

    /// Adds a node with one of cudarc's functions, and returns it and the status.
    fn try_add(
        &self,
        after: &[CUgraphNode],
        add: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> CUresult,
    ) -> (CUgraphNode, CUresult) {
        let mut node = null_mut();
        let result = add(&mut node, self.graph, after.as_ptr(), after.len());
        (node, result)
    }

    fn fill(&self, after: &[CUgraphNode], target: u64, value: f32, count: usize) -> CUgraphNode {
        let parameters = fill(target, value, count);
        // SAFETY: the arguments are valid for the call.
        let add = |node, graph, after, length| unsafe {
            sys::cuGraphAddMemsetNode(node, graph, after, length, &parameters, current())
        };
        let (node, result) = self.try_add(after, add);
        check(result);
        node
    }

    /// Adds `y = factor * x`, for four elements.
    fn scale(&self, after: &[CUgraphNode], [y, x]: [u64; 2], factor: f32) -> CUgraphNode {
        let (node, result) = self.try_scale(after, [y, x], factor, 1);
        check(result);
        node
    }

    fn try_scale(&self, after: &[CUgraphNode], data: [u64; 2], factor: f32, blocks: u32) -> (CUgraphNode, CUresult) {
        self.launch(data, factor, blocks, |parameters| {
            // SAFETY: the arguments are valid for the call.
            self.try_add(after, |node, graph, after, length| unsafe {
                sys::cuGraphAddKernelNode_v2(node, graph, after, length, parameters)
            })
        })
    }

    fn launch<T>(
        &self,
        [mut y, mut x]: [u64; 2],
        mut factor: f32,
        blocks: u32,
        act: impl FnOnce(*const sys::CUDA_KERNEL_NODE_PARAMS) -> T,
    ) -> T {
        let mut count = 4_u32;
        let mut values: [*mut c_void; 4] =
            [(&raw mut y).cast(), (&raw mut x).cast(), (&raw mut factor).cast(), (&raw mut count).cast()];
        // SAFETY: all members are numbers or pointers, which may be zero.
        let mut parameters: sys::CUDA_KERNEL_NODE_PARAMS = unsafe { std::mem::zeroed() };
        parameters.func = self.scale;
        (parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ) = (blocks, 1, 1);
        (parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ) = (32, 1, 1);
        parameters.kernelParams = values.as_mut_ptr();
        act(&parameters)
    }

    fn instantiate(&self) -> Result<CUgraphExec, CUresult> {
        let mut executable = null_mut();
        // SAFETY: the output is valid for a write, and the graph exists.
        match unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, self.graph, 0) } {
            CUresult::CUDA_SUCCESS => Ok(executable),
            error => Err(error),
        }
    }

    fn run(&self, executable: CUgraphExec) {
        // SAFETY: the graph exists, and its work accesses live allocations.
        check(unsafe { sys::cuGraphLaunch(executable, self.stream.cu_stream()) });
        self.stream.synchronize().unwrap();
    }

    fn connect(&self, from: CUgraphNode, to: CUgraphNode) -> CUresult {
        // SAFETY: the arrays have one element.
        unsafe { sys::cuGraphAddDependencies(self.graph, &from, &to, 1) }
    }

    /// Returns the dependencies, each the node that comes first and the other.
    fn edges(&self) -> Vec<(CUgraphNode, CUgraphNode)> {
        let (mut from, mut to, mut count) = ([null_mut(); 8], [null_mut(); 8], 8);
        // SAFETY: the arrays have `count` elements.
        check(unsafe { sys::cuGraphGetEdges(self.graph, from.as_mut_ptr(), to.as_mut_ptr(), &mut count) });
        from.into_iter().zip(to).take(count).collect()
    }
}

fn fill(target: u64, value: f32, count: usize) -> sys::CUDA_MEMSET_NODE_PARAMS {
    // SAFETY: all members are numbers, which may be zero.
    let mut parameters: sys::CUDA_MEMSET_NODE_PARAMS = unsafe { std::mem::zeroed() };
    (parameters.dst, parameters.value, parameters.elementSize) = (target, value.to_bits(), 4);
    (parameters.width, parameters.height) = (count, 1);
    parameters
}

#[test]
fn nodes_run_in_the_order_of_their_dependencies() {
    let context = context();
    let built = Built::new(&context);
    let (x, y) = (built.stream.alloc_zeros::<f32>(4).unwrap(), built.stream.alloc_zeros::<f32>(4).unwrap());
    let (x_at, y_at) = (x.device_ptr(&built.stream).0, y.device_ptr(&built.stream).0);
    // The kernel is added first, and comes last.
    let scale = built.scale(&[], [y_at, x_at], 2.0);
    let fill = built.fill(&[], x_at, 3.0, 4);
    check(built.connect(fill, scale));
    assert_eq!(built.edges(), [(fill, scale)]);
    let executable = built.instantiate().unwrap();
    assert_eq!(built.stream.clone_dtoh(&y).unwrap(), [0.0; 4], "a node has run already");
    built.run(executable);
    assert_eq!(built.stream.clone_dtoh(&y).unwrap(), [6.0; 4]);
    // New parameters of the executable graph, and of later ones.
    let change = |parameters| {
        // SAFETY: the handles and parameters are valid.
        unsafe { sys::cuGraphExecKernelNodeSetParams_v2(executable, scale, parameters) }
    };
    check(built.launch([y_at, x_at], 5.0, 1, change));
    built.run(executable);
    assert_eq!(built.stream.clone_dtoh(&y).unwrap(), [15.0; 4]);
    // SAFETY: the handles and parameters are valid.
    unsafe {
        check(sys::cuGraphMemsetNodeSetParams(fill, &self::fill(x_at, 1.0, 4)));
        assert_eq!(sys::cuGraphMemsetNodeSetParams(scale, &self::fill(x_at, 1.0, 4)), INVALID);
    }
    built.run(built.instantiate().unwrap());
    assert_eq!(built.stream.clone_dtoh(&y).unwrap(), [2.0; 4]);
    built.run(executable);
    assert_eq!(built.stream.clone_dtoh(&y).unwrap(), [15.0; 4], "the first executable graph has changed");
}

#[test]
fn copies_host_functions_and_graphs_are_nodes() {
    unsafe extern "C" fn add_one(counter: *mut c_void) {
        // SAFETY: the test passes its counter and waits before it reads it.
        unsafe { *counter.cast::<u32>() += 1 };
    }
    let context = context();
    let (inner, outer) = (Built::new(&context), Built::new(&context));
    let stream = &inner.stream;
    let data = stream.alloc_zeros::<u32>(6).unwrap();
    let source = [1_u32, 2, 3, 4, 5, 6];
    // Two rows of two words, of rows of three.
    let copy = sys::CUDA_MEMCPY3D {
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstDevice: data.device_ptr(stream).0,
        ..copy_of_host(&source, 12, [8, 2, 1])
    };
    let mut counter = 0_u32;
    let place: *mut u32 = &raw mut counter;
    // SAFETY: all members are pointers.
    let mut call: sys::CUDA_HOST_NODE_PARAMS = unsafe { std::mem::zeroed() };
    call.fn_ = Some(add_one);
    call.userData = place.cast();
    // SAFETY: the arguments are valid for the calls, and the host memory outlives the launches.
    let (copied, added) = inner.try_add(&[], |node, graph, after, count| unsafe {
        sys::cuGraphAddMemcpyNode(node, graph, after, count, &copy, current())
    });
    check(added);
    // SAFETY: as above.
    let add_call = |node, graph, after, count| unsafe { sys::cuGraphAddHostNode(node, graph, after, count, &call) };
    let (_, added) = inner.try_add(&[copied], add_call);
    check(added);
    let mut first: Option<CUgraphNode> = None;
    for _ in 0..2 {
        let after: &[CUgraphNode] = first.as_slice();
        // SAFETY: the graph exists.
        let (node, added) = outer.try_add(after, |node, graph, after, count| unsafe {
            sys::cuGraphAddChildGraphNode(node, graph, after, count, inner.graph)
        });
        check(added);
        first = Some(node);
    }
    // SAFETY: the graph exists, and its copies in the other remain.
    check(unsafe { sys::cuGraphDestroy(inner.graph) });
    outer.run(outer.instantiate().unwrap());
    assert_eq!(stream.clone_dtoh(&data).unwrap(), [1, 2, 0, 4, 5, 0]);
    // SAFETY: the counter is no longer used elsewhere.
    assert_eq!(unsafe { place.read_volatile() }, 2);
}

#[test]
fn graphs_can_be_inspected_cloned_and_changed() {
    let context = context();
    let built = Built::new(&context);
    let data = built.stream.alloc_zeros::<f32>(4).unwrap();
    let at = data.device_ptr(&built.stream).0;
    // SAFETY: the arguments are valid for the call.
    let add_empty = |node, graph, after, count| unsafe { sys::cuGraphAddEmptyNode(node, graph, after, count) };
    let (empty, added) = built.try_add(&[], add_empty);
    check(added);
    let fill = built.fill(&[empty], at, 1.0, 4);
    let scale = built.scale(&[fill, empty], [at, at], 3.0);
    assert_eq!(built.edges(), [(empty, fill), (empty, scale), (fill, scale)]);
    let (mut nodes, mut count, mut kind) = ([null_mut(); 4], 4, sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL);
    let mut clone = null_mut();
    // SAFETY: the arrays have `count` elements, and the handles are valid.
    unsafe {
        check(sys::cuGraphGetRootNodes(built.graph, nodes.as_mut_ptr(), &mut count));
        assert_eq!((&nodes[..count], count), (&[empty][..], 1));
        check(sys::cuGraphNodeGetDependencies(scale, null_mut(), &mut count));
        assert_eq!(count, 2);
        check(sys::cuGraphNodeGetDependentNodes(empty, nodes.as_mut_ptr(), &mut count));
        assert_eq!(nodes[..count], [fill, scale]);
        check(sys::cuGraphNodeGetType(empty, &mut kind));
        assert_eq!(kind, sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY);
        check(sys::cuGraphClone(&mut clone, built.graph));
        check(sys::cuGraphRemoveDependencies(built.graph, &empty, &scale, 1));
        assert_eq!(sys::cuGraphRemoveDependencies(built.graph, &empty, &scale, 1), INVALID);
        check(sys::cuGraphDestroyNode(fill));
        // A real driver dereferences destroyed handles.
        assert!(on_hardware() || sys::cuGraphDestroyNode(fill) == INVALID);
    }
    assert!(built.edges().is_empty());
    built.run(built.instantiate().unwrap());
    assert_eq!(built.stream.clone_dtoh(&data).unwrap(), [0.0; 4], "three times zero");
    let clone = Built { graph: clone, ..built };
    assert_eq!(clone.edges().len(), 3);
    clone.run(clone.instantiate().unwrap());
    assert_eq!(clone.stream.clone_dtoh(&data).unwrap(), [3.0; 4]);
}

#[test]
fn wrong_nodes_are_refused() {
    let context = context();
    let (built, other) = (Built::new(&context), Built::new(&context));
    let data = built.stream.alloc_zeros::<f32>(4).unwrap();
    let at = data.device_ptr(&built.stream).0;
    let (first, second) = (built.fill(&[], at, 1.0, 4), built.fill(&[], at, 2.0, 4));
    assert_eq!(built.try_scale(&[], [at, at], 1.0, 0).1, INVALID, "no blocks");
    assert_eq!(other.try_scale(&[first], [at, at], 1.0, 1).1, INVALID, "a node of another graph");
    assert_eq!(built.try_scale(&[first, first], [at, at], 1.0, 1).1, INVALID, "a dependency given twice");
    // SAFETY: the arguments are valid for the calls, or null.
    let (_, result) = built.try_add(&[], |node, graph, after, count| unsafe {
        sys::cuGraphAddMemsetNode(node, graph, after, count, &fill(at, 0.0, 5), current())
    });
    assert_eq!(result, INVALID, "beyond the end");
    // SAFETY: as above.
    let (_, result) = built.try_add(&[], |node, graph, after, count| unsafe {
        sys::cuGraphAddMemsetNode(node, graph, after, count, null(), current())
    });
    assert_eq!(result, INVALID, "no parameters");
    // SAFETY: as above.
    let (_, result) = built.try_add(&[], |node, graph, after, count| unsafe {
        sys::cuGraphAddMemsetNode(node, graph, after, count, &fill(at, 0.0, 4), null_mut())
    });
    assert_eq!(result, INVALID, "no context");
    assert_eq!(built.connect(first, first), INVALID);
    check(built.connect(first, second));
    assert_eq!(built.connect(first, second), INVALID, "the same dependency again");
    check(built.connect(second, first));
    assert_eq!(built.instantiate(), Err(INVALID));
    assert!(on_hardware() || last_error().contains("circle"), "{}", last_error());
    assert_eq!(status(built.stream.synchronize()), CUresult::CUDA_SUCCESS);
}
