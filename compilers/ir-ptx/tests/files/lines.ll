; The places of the source, for the messages of checks. A load without one has that of the store to its address.
define ptx_kernel void @lines(ptr noundef %data, ptr noundef %sum) !dbg !3 {
  %s = load i32, ptr %sum, align 4
  store i32 %s, ptr %sum, align 4, !dbg !6
  %x = load i32, ptr %data, align 4, !dbg !5
  %y = add i32 %x, 1, !dbg !6
  store i32 %y, ptr %data, align 4, !dbg !5
  ret void, !dbg !7
}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "kernel.cu", directory: "/home/learner")
!3 = distinct !DISubprogram(name: "lines", scope: !1, file: !1, line: 3, unit: !0)
!5 = !DILocation(line: 4, column: 5, scope: !3)
!6 = !DILocation(line: 4, column: 13, scope: !3)
!7 = !DILocation(line: 5, column: 1, scope: !3)
