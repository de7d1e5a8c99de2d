; A pointer that is in one space whatever happens is accessed there; one that may be in two is generic.
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@table = addrspace(4) constant [2 x i32] [i32 7, i32 9], align 4
define ptx_kernel void @spaces(ptr noundef %out, i1 noundef %which) {
  %i = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %i to i64
  %mine = getelementptr inbounds [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %wide
  %nine = load i32, ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 4), align 4
  store i32 %nine, ptr %mine, align 4
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %one = select i1 %which, ptr %mine, ptr %out
  %value = load i32, ptr %one, align 4
  store i32 %value, ptr %out, align 4
  ret void
}
