; Everything that is not supported is named, with its line here and in the source.
define ptx_kernel void @refused(ptr noundef %data, float noundef %x) !dbg !3 {
  %big = load i128, ptr %data, align 16, !dbg !5
  %rest = frem float %x, 2.000000e+00, !dbg !6
  %text = tail call float @llvm.pow.f32(float %x, float %rest)
  %far = tail call float %data(float %text)
  %value = extractelement <2 x float> zeroinitializer, i32 %n
  ret void
}

!1 = !DIFile(filename: "kernel.cu", directory: "/home/learner")
!3 = distinct !DISubprogram(name: "refused", scope: !1, file: !1, line: 3)
!5 = !DILocation(line: 4, column: 5, scope: !3)
!6 = !DILocation(line: 7, column: 5, scope: !3)
