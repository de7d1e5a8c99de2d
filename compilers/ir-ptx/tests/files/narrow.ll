; What is above the width of an integer is arbitrary: it is cut off only where it matters.
define ptx_kernel void @narrow(ptr noundef %data) {
  %a = load i8, ptr %data, align 1
  %b.at = getelementptr inbounds i8, ptr %data, i64 5
  %b = load i8, ptr %b.at, align 1
  %sum = add i8 %a, %b
  %half = lshr i8 %sum, 1
  %small = icmp ult i8 %half, -56
  %signed = sext i8 %sum to i32
  %wide = zext i8 %half to i32
  %picked = select i1 %small, i32 %signed, i32 %wide
  store i32 %picked, ptr %data, align 4
  ret void
}
