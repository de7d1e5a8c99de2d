//! The part of a PTX text that decides what a kernel does.

/// Returns the instructions of PTX, one per line, without comments, source line tables and lines that contain `of_panics`, which are
/// those with line numbers of panics: a changed comment in the kernel file changes nothing here.
pub fn instructions<'a>(ptx: &'a str, of_panics: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = ptx.lines().map(str::trim).take_while(|line| !line.starts_with(".section"));
    let of_lines = |line: &str| [".loc", ".file", "//"].iter().any(|word| line.starts_with(word));
    lines.filter(move |line| !line.is_empty() && !of_lines(line) && !line.contains(of_panics))
}
