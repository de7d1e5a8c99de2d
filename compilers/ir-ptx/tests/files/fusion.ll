; A product that nothing else needs becomes part of the addition. Of two, the first does.
define ptx_kernel void @fusion(ptr noundef %out, float noundef %a, float noundef %b, float noundef %c) {
  %ab = fmul contract float %a, %b
  %bc = fmul contract float %b, %c
  %sum = fadd contract float %ab, %bc
  %square = fmul contract float %sum, %sum
  %difference = fsub contract float %c, %square
  store float %difference, ptr %out, align 4
  ret void
}
