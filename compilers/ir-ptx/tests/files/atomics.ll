; The strictest order is what clang writes for CUDA's functions, which promise none.
define ptx_kernel void @atomics(ptr noundef %data, i32 noundef %x) {
  %old = atomicrmw add ptr %data, i32 %x seq_cst, align 4
  %of.block = atomicrmw umax ptr %data, i32 %x syncscope("block") acq_rel, align 4
  %pair = cmpxchg ptr %data, i32 %old, i32 %of.block seq_cst seq_cst, align 4
  %was = extractvalue { i32, i1 } %pair, 0
  %ok = extractvalue { i32, i1 } %pair, 1
  %picked = select i1 %ok, i32 %was, i32 0
  store volatile i32 %picked, ptr %data, align 4
  ret void
}
