; Inline PTX: `$$` is a dollar sign, and an output that is also an input begins with it.
define ptx_kernel void @assembly(ptr noundef %data, i32 noundef %x) {
  %lanes = tail call i32 asm sideeffect "activemask.b32 $0;", "=r"()
  %both = tail call i32 asm "add.s32 $0, $0, $1; // $$1", "=r,r,0"(i32 %lanes, i32 %x)
  store i32 %both, ptr %data, align 4
  ret void
}
