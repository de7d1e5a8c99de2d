; A chain of comparisons.
define ptx_kernel void @choose(ptr noundef %out, i32 noundef %x) {
entry:
  switch i32 %x, label %other [
    i32 1, label %done
    i32 4, label %four
  ]

four:                                             ; preds = %entry
  br label %done

other:                                            ; preds = %entry
  br label %done

done:                                             ; preds = %other, %four, %entry
  %value = phi i32 [ 10, %entry ], [ 40, %four ], [ %x, %other ]
  store i32 %value, ptr %out, align 4
  ret void
}
