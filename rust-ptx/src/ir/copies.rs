//! Copies of vectors.
//!
//! rustc copies a `Float4` whole, as 16 bytes of memory. LLVM makes two accesses of 8 bytes of that, by way of memory of the
//! thread, where it cannot see which number each part is.

/// What rustc writes for a copy of 16 bytes that lie at addresses divisible by 16.
const COPY: &str = "call void @llvm.memcpy.p0.p0.i64(ptr align 16 ";

/// The vector load and store that a line becomes where it copies 16 aligned bytes; `number` tells it from others of its
/// function.
pub fn of_a_vector(line: &str, number: usize) -> Option<[String; 2]> {
    let (arguments, place) = line.trim_start().strip_prefix(COPY)?.split_once(", i64 16, i1 false)")?;
    let (to, from) = arguments.split_once(", ptr align 16 ")?;
    let value = format!("%copied.{number}");
    Some([
        format!("  {value} = load <4 x i32>, ptr {from}, align 16{place}"),
        format!("  store <4 x i32> {value}, ptr {to}, align 16{place}"),
    ])
}
