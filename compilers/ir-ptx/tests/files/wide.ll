; Loads of neighbors that are aligned become one, the parameter is only read, and a gap of one is loaded too.
define ptx_kernel void @wide(ptr noalias noundef readonly %in, ptr noalias noundef writeonly %out) {
  %i = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i.wide = zext nneg i32 %i to i64
  %x.at = getelementptr inbounds { float, float, float, float }, ptr %in, i64 %i.wide
  %x = load float, ptr %x.at, align 16
  %y.at = getelementptr inbounds nuw i8, ptr %x.at, i64 4
  %y = load float, ptr %y.at, align 4
  %w.at = getelementptr inbounds nuw i8, ptr %x.at, i64 12
  %w = load float, ptr %w.at, align 4
  %xy = fadd float %x, %y
  %to = getelementptr inbounds { float, float }, ptr %out, i64 %i.wide
  store float %xy, ptr %to, align 8
  %next = getelementptr inbounds nuw i8, ptr %to, i64 4
  store float %w, ptr %next, align 4
  ret void
}
