use super::*;

const LOOP: &str = "\
; kernel::sum
define ptx_kernel void @sum(ptr %x) unnamed_addr #0 !dbg !6 {
start:
  call void @device.launch_bounds(i64 noundef 128) #10, !dbg !7
  br label %outer

outer:                                            ; preds = %start, %next
  br i1 %c, label %inner, label %end

inner:                                            ; preds = %outer, %body
  br i1 %d, label %body, label %next, !dbg !8

body:                                             ; preds = %inner
  call void @device.unroll(i64 noundef 4) #10, !dbg !9
  br label %inner, !dbg !9

next:                                             ; preds = %inner
  br label %outer

end:                                              ; preds = %outer
  ret void
}

declare void @device.unroll(i64)

!9 = !{}
";

fn reason(ir: &str) -> String {
    prepare(ir).unwrap_err().to_string()
}

#[test]
fn the_innermost_loop_around_a_marker_is_unrolled() {
    let text = prepare(LOOP).expect("markers in their places");
    assert!(text.contains("  br label %inner, !dbg !9, !llvm.loop !10\n"), "{text}");
    assert!(text.ends_with("!10 = distinct !{!10, !11}\n!11 = !{!\"llvm.loop.unroll.count\", i32 4}\n"), "{text}");
    assert_eq!(text.matches("!llvm.loop").count(), 1);
    assert!(!text.contains("@device."), "{text}");
}

#[test]
fn a_loop_unrolled_once_is_left_as_it_is() {
    let text = prepare(&LOOP.replace("unroll(i64 noundef 4)", "unroll(i64 noundef 1)")).expect("a marker in its place");
    assert!(text.ends_with("!11 = !{!\"llvm.loop.unroll.disable\"}\n"), "{text}");
}

#[test]
fn launch_bounds_are_an_attribute_of_the_kernel() {
    let text = prepare(LOOP).expect("markers in their places");
    assert!(text.contains("@sum(ptr %x) unnamed_addr \"nvvm.maxntid\"=\"128\" #0 !dbg !6 {\n"), "{text}");
}

#[test]
fn resident_blocks_are_an_attribute_of_the_kernel() {
    let marker = "  call void @device.launch_bounds(i64 noundef 128) #10, !dbg !7\n";
    let both = format!("{marker}{}", marker.replace("launch_bounds", "resident_blocks").replace("128", "2"));
    let text = prepare(&LOOP.replace(marker, &both)).expect("markers in their places");
    assert!(text.contains("unnamed_addr \"nvvm.maxntid\"=\"128\" \"nvvm.minctasm\"=\"2\" #0 !dbg !6 {\n"), "{text}");
}

#[test]
fn markers_without_a_meaning_in_their_place_name_the_function() {
    let no_loop = LOOP.replace("br label %inner, !dbg !9", "br label %next, !dbg !9");
    let outside = no_loop.replace("next:   ", "nowhere:").replace("label %outer\n\nend", "label %end\n\nend");
    assert_eq!(reason(&outside), "kernel::sum: unroll() is not in the body of a loop");
    assert_eq!(reason(&LOOP.replace("ptx_kernel ", "")), "kernel::sum: launch_bounds() is not in a kernel");
    assert_eq!(reason(&LOOP.replace("noundef 4", "%n")), "kernel::sum: unroll() takes a constant, 1 or more");
    assert!(reason(&LOOP.replace("device.unroll", "device.fly")).contains("`call void @device.fly"));
}

#[test]
fn a_refusal_has_the_line_into_which_its_marker_was_inlined() {
    let places =
        "!8 = !DILocation(line: 57, column: 9, scope: !3)\n!9 = !DILocation(line: 10, scope: !4, inlinedAt: !8)\n";
    let ir = LOOP.replace("noundef 4", "%n").replace("!9 = !{}\n", places);
    assert_eq!(prepare(&ir).unwrap_err().line(&ir), Some(57));
    assert_eq!(prepare(&LOOP.replace("noundef 4", "%n")).unwrap_err().line(""), None);
}

#[test]
fn arrays_are_variables_of_their_memory() {
    let function = |name: &str, marker: &str| {
        format!(
            "define noundef ptr {name}() unnamed_addr #1 !dbg !3 {{\nstart:\n  %_1 = call noundef ptr {marker}(i64 noundef 256, i64 noundef 4) #10\n  ret ptr %_1\n}}\n"
        )
    };
    let text = prepare(&function("@here", "@device.shared")).expect("a shared array");
    assert!(text.contains("define internal ptr @here() alwaysinline {\n"), "{text}");
    assert!(text.contains("  ret ptr addrspacecast (ptr addrspace(3) @shared_0 to ptr)\n"), "{text}");
    assert!(text.contains("@shared_0 = internal addrspace(3) global [256 x i8] undef, align 4\n"), "{text}");
    let text = prepare(&function("@constant.atoms", "@device.constant")).expect("a constant array");
    assert!(text.contains("ret ptr addrspacecast (ptr addrspace(4) @atoms to ptr)\n"), "{text}");
    assert!(text.contains("@atoms = addrspace(4) externally_initialized global [256 x i8] zeroinitializer, align 4\n"));
    let dynamic =
        "define void @f() #1 {\n  %t = call noundef ptr @device.dynamic_shared() #9, !dbg !4\n  ret void\n}\n";
    let text = prepare(dynamic).expect("dynamic shared memory");
    assert!(text.contains("  %t = addrspacecast ptr addrspace(3) @device_dynamic to ptr, !dbg !4\n"), "{text}");
    assert!(text.contains("@device_dynamic = external addrspace(3) global [0 x i8], align 16\n"), "{text}");
}

#[test]
fn arrays_without_a_constant_size_are_refused() {
    let text =
        "; kernel::f\ndefine ptr @f() #1 {\n  %_1 = call ptr @device.shared(i64 %n, i64 noundef 4)\n  ret ptr %_1\n}\n";
    assert_eq!(reason(text), "kernel::f: the size of shared memory must be a constant");
}

#[test]
fn a_copy_of_16_aligned_bytes_is_a_vector() {
    let copy = "define void @f() #1 {\n  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1 false), !dbg !4\n  ret void\n}\n";
    let text = prepare(copy).expect("a copy");
    let vector = "  %copied.1 = load <4 x i32>, ptr %b, align 16, !dbg !4\n  store <4 x i32> %copied.1, ptr %a, align 16, !dbg !4\n";
    assert!(text.contains(vector), "{text}");
    for other in [copy.replace("i64 16", "i64 32"), copy.replace("align 16 %b", "align 8 %b")] {
        assert_eq!(prepare(&other).expect("a copy"), other);
    }
}

#[test]
fn a_trap_is_marked_with_the_condition_that_fails_in_its_function() {
    let mark = |name: &str| {
        let text = format!("; {name}\ndefine void @f() #1 {{\n  call void @llvm.trap(), !dbg !4\n  unreachable\n}}\n");
        let text = prepare(&text).expect("a trap");
        assert!(text.contains("\n  call void @llvm.trap() nomerge, !dbg !4\n"), "{text}");
        text.split_once(panics::MARK).and_then(|(_, rest)| rest.split_once('"')).map(|(mark, _)| mark.to_owned())
    };
    assert_eq!(mark("core::panicking::panic_bounds_check").as_deref(), Some("index < length"));
    assert_eq!(mark("core::result::unwrap_failed::<core::Error>").as_deref(), Some("a value to unwrap"));
    assert_eq!(mark("core::panicking::panic_fmt").as_deref(), Some("no panic"));
    let check = "define void @f() #1 {\n  call void @device.out_of_bounds() #3, !dbg !4\n  unreachable\n}\n";
    let text = prepare(check).expect("a check of bounds");
    assert!(text.contains("panicked: index < length") && text.contains("@llvm.trap() nomerge, !dbg !4"), "{text}");
}
