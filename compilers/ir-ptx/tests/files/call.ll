; A function that is not inlined, and a structure as a parameter of the kernel.
define ptx_kernel void @kernel(ptr noundef byval({ i32, ptr }) align 8 %of) {
  %n = load i32, ptr %of, align 8
  %at = getelementptr inbounds nuw i8, ptr %of, i64 8
  %out = load ptr, ptr %at, align 8
  %value = tail call i32 @twice(i32 noundef %n)
  store i32 %value, ptr %out, align 4
  ret void
}

define internal noundef i32 @twice(i32 noundef %n) {
  %double = shl i32 %n, 1
  ret i32 %double
}
