; Vectors are taken apart; what only moves their elements is free.
define ptx_kernel void @vectors(ptr noundef %data, float noundef %s) {
  %v = load <4 x float>, ptr %data, align 16
  %one = insertelement <4 x float> poison, float %s, i64 0
  %all = shufflevector <4 x float> %one, <4 x float> poison, <4 x i32> zeroinitializer
  %scaled = fmul <4 x float> %v, %all
  %pair = shufflevector <4 x float> %scaled, <4 x float> poison, <2 x i32> <i32 3, i32 1>
  %bits = bitcast <2 x float> %pair to i64
  store i64 %bits, ptr %data, align 8
  ret void
}
