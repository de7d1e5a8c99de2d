//! Advice on rustc's errors that beginners meet in kernels: rustc does not know the course's library.

/// A part of rustc's message, and the advice.
type Advice = (&'static str, &'static str);

const ALL: [Advice; 4] = [
    (
        "error[E0608]",
        "an array that threads write has no `[i]`: `out.get(i)` reads an element, and `out.set(i, value)` writes it",
    ),
    (
        "` cannot be indexed by `",
        "the index of a slice is a usize: `input[i as usize]`; `get` and `set` of the other arrays also take u32 and i32",
    ),
    (
        "cannot find macro `print",
        "a kernel in Rust cannot print: write the value to an element of a result, and the verdict shows it; kernels in CUDA \
         C++ have printf",
    ),
    (
        "cannot find macro `vec`",
        "a kernel cannot allocate: its arrays are parameters, `shared!`, or of a fixed size, `[0.0; 4]`",
    ),
];

/// Returns the errors of rustc, followed by the advice on them.
#[must_use]
pub fn add_advice(errors: &str) -> String {
    let advice = ALL.iter().filter(|(part, _)| errors.contains(part)).map(|(_, advice)| format!("\nadvice: {advice}"));
    std::iter::once(errors.trim_end().to_owned()).chain(advice).collect()
}
