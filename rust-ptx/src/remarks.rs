//! Remarks on errors of rustc whose text does not contain what to do in a kernel.

/// A part of rustc's text, and the remark on it.
const REMARKS: [(&str, &str); 3] = [
    (
        "cannot index into a value of type `device::",
        "memory that threads write has no brackets: `out.set(i, value)` writes an element, and `out.get(i)` reads it",
    ),
    (
        "cannot find macro `print",
        "a kernel in Rust cannot print; write the value to an element of an output, or print in CUDA C++",
    ),
    ("use of unresolved module or unlinked crate `std`", "a kernel has no `std`; much of it is also in `core`"),
];

/// Returns rustc's text with the remarks on its errors.
pub fn with_remarks(mut text: String) -> String {
    for (part, remark) in REMARKS {
        if text.contains(part) {
            text.push_str("\nhelp: ");
            text.push_str(remark);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_remark_is_made_once_and_on_its_error_alone() {
        let index = "error[E0608]: cannot index into a value of type `device::Global<f32>`";
        let text = with_remarks(format!("{index}\n{index}"));
        assert_eq!(text.matches("help: ").count(), 1);
        assert!(text.ends_with("`out.get(i)` reads it"), "{text}");
        assert_eq!(with_remarks("error: expected `;`".into()), "error: expected `;`");
    }
}
