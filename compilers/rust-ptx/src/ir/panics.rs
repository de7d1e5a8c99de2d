//! Marks for panics: functions of core and of `device` that end in a trap.
//!
//! Each trap is marked with the condition that failed, so that LLVM does not merge it with others. [`crate::panics`] makes the
//! report from the mark.

/// A trap in LLVM IR.
const TRAP: &str = "call void @llvm.trap()";

/// The marker for a failed bounds check in `device`.
const OUT_OF_BOUNDS: &str = "call void @device.out_of_bounds()";

/// The beginning of the comment before a trap in the PTX.
pub const MARK: &str = "// panicked: ";

/// The condition that fails for an invalid subslice.
pub const RANGE: &str = "range within the slice";

/// The condition that fails for a trap of unknown cause.
pub const UNMARKED: &str = "no panic";

/// The conditions that fail if a function traps, by the end of the function's name.
const CONDITIONS: [(&str, &str); 7] = [
    ("panic_bounds_check", "index < length"),
    ("slice_index_fail", RANGE),
    ("unwrap_failed", "a value to unwrap"),
    ("expect_failed", "a value to unwrap"),
    ("_by_zero", "divisor is not 0"),
    ("_overflow", "result fits"),
    ("assert_failed_inner", "assertion"),
];

/// Returns the lines that replace a trap in function `name`: its mark, and the trap, which LLVM may not merge with another
/// that has the same mark. None if the line is not a trap.
pub fn mark(name: &str, line: &str) -> Option<[String; 2]> {
    let line = line.trim_start();
    let (condition, place) = match line.strip_prefix(OUT_OF_BOUNDS) {
        Some(place) => ("index < length", place),
        None => (condition(name), line.strip_prefix(TRAP)?),
    };
    // The attributes of the call are dropped, since a mark returns.
    let place = place.find(", !dbg").map_or("", |start| &place[start..]);
    let mark = format!("call void asm sideeffect \"{MARK}{condition}\", \"\"()");
    Some([
        format!("  {mark} nomerge nounwind memory(inaccessiblemem: write){place}"),
        format!("  {TRAP} nomerge{place}"),
    ])
}

/// Returns whether a line is a trap, which ends the launch.
pub fn is_trap(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(OUT_OF_BOUNDS) || line.starts_with(TRAP)
}

/// Returns the condition that fails if a function traps.
fn condition(name: &str) -> &'static str {
    let name = name.split("::<").next().unwrap_or_default();
    CONDITIONS.iter().find(|(end, _)| name.ends_with(end)).map_or(UNMARKED, |(_, condition)| condition)
}
