//! Copies of vectors.
//!
//! rustc copies a `Float4` as 16 bytes of memory. If LLVM cannot see the components, it compiles the copy to two accesses of 8
//! bytes through local memory.

/// The beginning of rustc's call for a copy between addresses that are multiples of 16.
const COPY: &str = "call void @llvm.memcpy.p0.p0.i64(ptr align 16 ";

/// Returns the vector load and store that replace a line, if the line copies 16 aligned bytes. `number` makes the name of the
/// value unique in its function.
pub fn of_a_vector(line: &str, number: usize) -> Option<[String; 2]> {
    let (arguments, place) = line.trim_start().strip_prefix(COPY)?.split_once(", i64 16, i1 false)")?;
    let (to, from) = arguments.split_once(", ptr align 16 ")?;
    let value = format!("%copied.{number}");
    Some([
        format!("  {value} = load <4 x i32>, ptr {from}, align 16{place}"),
        format!("  store <4 x i32> {value}, ptr {to}, align 16{place}"),
    ])
}
