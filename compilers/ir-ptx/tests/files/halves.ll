; Numbers of 16 bits have registers of their own.
define ptx_kernel void @halves(ptr noundef %data) {
  %pair = load i32, ptr %data, align 4
  %v = bitcast i32 %pair to <2 x half>
  %low = extractelement <2 x half> %v, i64 0
  %high = extractelement <2 x half> %v, i64 1
  %sum = fadd half %low, %high
  %more = fadd half %sum, 0xH3C00
  %wide = fpext half %more to float
  store float %wide, ptr %data, align 4
  ret void
}
