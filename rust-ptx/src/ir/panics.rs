//! Panics: functions of core and of `device` that end in a trap.
//!
//! Each trap is marked with what did not hold, so that it stays apart from others and can say so. What is made of it is in
//! [`crate::panics`].

/// How LLVM's text spells a trap.
const TRAP: &str = "call void @llvm.trap()";

/// The marker for a check of bounds in `device`.
const OUT_OF_BOUNDS: &str = "call void @device.out_of_bounds()";

/// What begins the comment that is in the PTX before a trap.
pub const MARK: &str = "// panicked: ";

/// What does not hold where a part of a slice is none.
pub const RANGE: &str = "range within the slice";

/// What does not hold at a trap of which nothing else is known.
pub const UNMARKED: &str = "no panic";

/// What did not hold where a function traps, by what its name has at the end, with what comes after.
const CONDITIONS: [(&str, &str); 7] = [
    ("panic_bounds_check", "index < length"),
    ("slice_index_fail", RANGE),
    ("unwrap_failed", "a value to unwrap"),
    ("expect_failed", "a value to unwrap"),
    ("_by_zero", "divisor is not 0"),
    ("_overflow", "result fits"),
    ("assert_failed_inner", "assertion"),
];

/// The lines that a line of function `name` becomes where it is a trap: its mark, and the trap, which LLVM may not join with
/// another that is marked alike.
pub fn marked(name: &str, line: &str) -> Option<[String; 2]> {
    let line = line.trim_start();
    let (condition, place) = match line.strip_prefix(OUT_OF_BOUNDS) {
        Some(place) => ("index < length", place),
        None => (condition(name), line.strip_prefix(TRAP)?),
    };
    // Not the attributes of the call: a mark returns.
    let place = place.find(", !dbg").map_or("", |start| &place[start..]);
    let mark = format!("call void asm sideeffect \"{MARK}{condition}\", \"\"()");
    Some([
        format!("  {mark} nomerge nounwind memory(inaccessiblemem: write){place}"),
        format!("  {TRAP} nomerge{place}"),
    ])
}

/// Whether a line of a function ends the launch.
pub fn is_trap(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(OUT_OF_BOUNDS) || line.starts_with(TRAP)
}

/// What did not hold where a function traps.
fn condition(name: &str) -> &'static str {
    let name = name.split("::<").next().unwrap_or_default();
    CONDITIONS.iter().find(|(end, _)| name.ends_with(end)).map_or(UNMARKED, |(_, condition)| condition)
}
