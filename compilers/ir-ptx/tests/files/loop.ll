; The address moves on with the loop, and the counter that unrolling left is the other.
define ptx_kernel void @loop(ptr noundef %data, i32 noundef %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %body, label %done

body:                                             ; preds = %entry, %body
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %left = phi i32 [ 0, %entry ], [ %left.next, %body ]
  %sum = phi float [ 0.000000e+00, %entry ], [ %more, %body ]
  %i.wide = zext nneg i32 %i to i64
  %at = getelementptr inbounds nuw float, ptr %data, i64 %i.wide
  %value = load float, ptr %at, align 4
  %more = fadd float %sum, %value
  %next = add nuw nsw i32 %i, 1
  %left.next = add i32 %left, 1
  %end = icmp eq i32 %left.next, %n
  br i1 %end, label %done, label %body

done:                                             ; preds = %body, %entry
  %total = phi float [ 0.000000e+00, %entry ], [ %more, %body ]
  store float %total, ptr %data, align 4
  ret void
}
